"""The time of a run: rounds end early so that the conclusion always has its share."""

import time
from collections.abc import Callable, Iterable

from bot.panels import Timeouts
from bot.panels.sections import Thinker

LEAST_SECONDS = 5.0


class TimeBudget:
    """Counts from the moment a process takes a run up; the tail is kept for the conclusion."""

    def __init__(
        self, timeouts: Timeouts, *, validate: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        tail = timeouts.synthesis + timeouts.dissent + (timeouts.validation if validate else 0)
        most = max(timeouts.tiers.values(), default=1.0)
        self._timeouts = timeouts
        self._clock = clock
        self._rounds_end = clock() + most * max(timeouts.run - tail, timeouts.round)
        self._run_ends = clock() + timeouts.longest_run

    def left(self) -> float:
        """Seconds until the rounds must be over."""
        return max(0.0, self._rounds_end - self._clock())

    def allows(self, seconds: float) -> bool:
        """Whether a step of that length still fits before the tail."""
        return self.left() >= seconds

    def cap(self, seconds: float, models: Iterable[Thinker] = ()) -> float:
        """A step's own limit, as long as its models may think, shortened to what is left.

        It is never so short that nobody can answer.
        """
        wanted = self._timeouts.allowed(seconds, models)
        return min(wanted, max(self.left(), LEAST_SECONDS))

    def cap_tail(self, seconds: float, models: Iterable[Thinker] = ()) -> float:
        """The same for a step after the rounds, which may use the tail and not more (A30)."""
        wanted = self._timeouts.allowed(seconds, models)
        return min(wanted, max(self._run_ends - self._clock(), LEAST_SECONDS))
