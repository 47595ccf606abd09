"""A small model inside this process: one at a time, in a thread of its own."""

from bot.models.adapters.local.port import LocalPort
from bot.models.adapters.local.runtime import open_runtime

__all__ = ["LocalPort", "open_runtime"]
