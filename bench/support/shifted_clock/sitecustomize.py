"""A machine whose clock is wrong: the wall clock of this process is so many seconds ahead.

Python imports this before anything else where its folder is on PYTHONPATH. Monotonic time goes on
as it is: a clock that was set wrong does not make seconds longer.
"""

import datetime as dt
import os
import time
from typing import Any, Self

_AHEAD = float(os.environ.get("BENCH_CLOCK_AHEAD", "0"))
_time, _time_ns = time.time, time.time_ns
_RealDate, _RealDatetime = dt.date, dt.datetime


class _Like(type):
    """What is an instance of the real class is one of the shifted class."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, cls.__mro__[1])

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.__mro__[1])


class _Date(_RealDate, metaclass=_Like):
    @classmethod
    def today(cls) -> Self:
        return cls.fromtimestamp(time.time())


class _Datetime(_RealDatetime, metaclass=_Like):
    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Self:
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def today(cls) -> Self:
        return cls.fromtimestamp(time.time())

    @classmethod
    def utcnow(cls) -> Any:
        return cls.fromtimestamp(time.time(), dt.UTC).replace(tzinfo=None)


if _AHEAD:
    time.time = lambda: _time() + _AHEAD
    time.time_ns = lambda: _time_ns() + int(_AHEAD * 1_000_000_000)
    dt.date, dt.datetime = _Date, _Datetime  # type: ignore[misc]
