"""The adapter for every server that speaks OpenAI chat completions."""

from bot.models.openai.port import OpenAIPort
from bot.models.wire import WaitLimits, make_client

__all__ = ["OpenAIPort", "WaitLimits", "make_client"]
