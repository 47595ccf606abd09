"""Ways to run the bot, and the event loop that all of them run on."""

import asyncio
import gc
from collections.abc import Coroutine
from typing import Any, TypeVar

_T = TypeVar("_T")


def run(main: Coroutine[Any, Any, _T]) -> _T:
    """Run the coroutine to its end on uvloop, where the `speed` extra is installed, or asyncio."""
    try:
        import uvloop  # noqa: PLC0415 (an extra, and slow)
    except ImportError:
        return asyncio.run(main)
    return uvloop.run(main)


def collect_less_often() -> None:
    """Look for reference cycles after 50,000 new objects instead of 700.

    Imports and runs make many objects that live on, and cycles are rare.
    """
    gc.set_threshold(50_000)
