"""How long the event loop was held up: every callback of the loop is timed."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

STALL_LIMIT = 0.1
"""Seconds that nothing a stranger sends may keep everybody else waiting."""


@dataclass(slots=True)
class Stalls:
    """The longest callback so far, and the most processor time that one took."""

    longest: float = 0.0
    busy: float = 0.0

    def take(self) -> float:
        """The longest since it was last asked for."""
        found, self.longest, self.busy = self.longest, 0.0, 0.0
        return found


@contextmanager
def watched_loop(clock: Callable[[], float] = time.perf_counter) -> Iterator[Stalls]:
    """Time every callback; with `time.thread_time` what other programs take does not count."""
    stalls, run = Stalls(), asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        began, worked = clock(), time.thread_time()
        try:
            run(handle)
        finally:
            stalls.longest = max(stalls.longest, clock() - began)
            stalls.busy = max(stalls.busy, time.thread_time() - worked)

    setattr(asyncio.Handle, "_run", timed)  # noqa: B010 (its type says it takes itself twice)
    try:
        yield stalls
    finally:
        setattr(asyncio.Handle, "_run", run)  # noqa: B010
