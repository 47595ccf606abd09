"""The adapter for servers that speak Anthropic messages."""

from bot.models.anthropic.port import AnthropicPort

__all__ = ["AnthropicPort"]
