"""The event loop the bot runs on: uvloop where the `speed` extra is installed, else asyncio."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run the coroutine to its end, as asyncio.run does."""
    try:
        import uvloop  # noqa: PLC0415 (an extra, and slow)
    except ImportError:
        return asyncio.run(main)
    return uvloop.run(main)
