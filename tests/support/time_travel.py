"""Time that passes faster than the clock on the wall, for limits that are minutes long."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from bot.store import Store

_WAKE_SECONDS = 0.005


def set_clock(store: Store, clock: Callable[[], float]) -> None:
    """Let a store tell the time of another clock."""
    store.now = clock  # type: ignore[method-assign]


@asynccontextmanager
async def fast_time(factor: float) -> AsyncIterator[None]:
    """Timers of the running event loop are due so many times as early."""
    loop = asyncio.get_running_loop()
    real, begun = loop.time, loop.time()
    loop.time = lambda: begun + (real() - begun) * factor  # type: ignore[method-assign]
    waking = asyncio.create_task(_wake_often())
    try:
        yield
    finally:
        waking.cancel()
        with suppress(asyncio.CancelledError):
            await waking
        # Never back: a timer that is set already must not be due later than it was.
        ahead = loop.time() - real()
        loop.time = lambda: real() + ahead  # type: ignore[method-assign]


async def _wake_often() -> None:
    """The loop sleeps as long as the next timer says, in real seconds."""
    while True:
        await asyncio.to_thread(time.sleep, _WAKE_SECONDS)
