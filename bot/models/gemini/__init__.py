"""The adapter for the native Gemini API."""

from bot.models.gemini.port import GeminiPort

__all__ = ["GeminiPort"]
