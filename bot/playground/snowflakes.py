"""Discord's ids: strictly increasing numbers that carry the moment they were made."""

from collections.abc import Callable
from datetime import UTC, datetime

_EPOCH_MS = 1_420_070_400_000
_TIME_SHIFT = 22

Clock = Callable[[], float]


class Snowflakes:
    """Hands out ids in strictly increasing order."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0

    def next(self) -> int:
        """A new id, greater than every one before it."""
        moment = (int(self._clock() * 1000) - _EPOCH_MS) << _TIME_SHIFT
        self._last = max(self._last + 1, moment)
        return self._last


def moment_of(snowflake: int) -> float:
    """The Unix time at which an id was made."""
    return ((snowflake >> _TIME_SHIFT) + _EPOCH_MS) / 1000


def iso(moment: float) -> str:
    """A Unix time as Discord writes it."""
    return datetime.fromtimestamp(moment, UTC).isoformat()
