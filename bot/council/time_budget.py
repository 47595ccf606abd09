"""The time of a run: rounds end early so that the conclusion always has its share."""

import time
from collections.abc import Callable

from bot.panels import Timeouts

LEAST_SECONDS = 5.0


class TimeBudget:
    """Counts from the moment a process takes a run up; the tail is kept for the conclusion."""

    def __init__(
        self, timeouts: Timeouts, *, validate: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        tail = timeouts.synthesis + timeouts.dissent + (timeouts.validation if validate else 0)
        self._clock = clock
        self._rounds_end = clock() + max(timeouts.run - tail, timeouts.round)
        self._run_ends = clock() + timeouts.run

    def left(self) -> float:
        """Seconds until the rounds must be over."""
        return max(0.0, self._rounds_end - self._clock())

    def allows(self, seconds: float) -> bool:
        """Whether a step of that length still fits before the tail."""
        return self.left() >= seconds

    def cap(self, seconds: float) -> float:
        """A step's own limit, shortened to what is left; never so short that nobody can answer."""
        return min(seconds, max(self.left(), LEAST_SECONDS))

    def cap_tail(self, seconds: float) -> float:
        """The same for a step after the rounds, which may use the tail and not more (A30)."""
        return min(seconds, max(self._run_ends - self._clock(), LEAST_SECONDS))
