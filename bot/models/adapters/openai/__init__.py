"""The adapter for every server that speaks OpenAI's formats."""

from bot.models.adapters.openai.port import OpenAIPort

__all__ = ["OpenAIPort"]
