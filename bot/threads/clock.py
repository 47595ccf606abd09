"""The clock and timers of floors; injected, so that tests can advance it."""

import asyncio
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will be called, unless it is cancelled first."""

    def cancel(self) -> None:
        """Call nothing."""
        ...


class Clock(Protocol):
    """Milliseconds that never go back."""

    def now(self) -> int:
        """The time in milliseconds."""
        ...

    def call_later(self, milliseconds: int, action: Callable[[], None]) -> Timer:
        """Call an action after so many milliseconds."""
        ...


class LoopClock:
    """The event loop's own time; a `pace` above 1 makes it run faster than real time."""

    def __init__(self, pace: float = 1.0) -> None:
        self._pace = pace

    def now(self) -> int:
        """The time in milliseconds."""
        return int(asyncio.get_running_loop().time() * 1000 * self._pace)

    def call_later(self, milliseconds: int, action: Callable[[], None]) -> Timer:
        """Call an action after so many milliseconds."""
        seconds = milliseconds / 1000 / self._pace
        return asyncio.get_running_loop().call_later(seconds, action)
