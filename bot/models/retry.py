"""The retry loop: which failures are retried, how often and after what wait.

A call is retried only as long as nothing of its answer was passed on, so a reader sees one clean
stream. An answer that breaks off later is not retried here: by then a fallback model is faster
(2.2#24). What the failed attempts used is reported to the request's `on_retry`.
"""

import asyncio
import logging
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import count
from types import MappingProxyType
from typing import Final

from bot.models.breaker import CircuitOpenError
from bot.types.model_port import (
    Aside,
    Delta,
    ErrorKind,
    FailedAttempt,
    Finished,
    ModelError,
    ModelEvent,
    ModelPort,
    ModelRequest,
    Queued,
    Usage,
)

_Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[object]]

_log = logging.getLogger(__name__)
_TRIES: Final[Mapping[ErrorKind, int]] = MappingProxyType(
    {ErrorKind.RATE_LIMITED: 3, ErrorKind.OVERLOADED: 3, ErrorKind.NETWORK: 2}
)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often each kind of failure is tried (others once), and the waits in seconds.

    `kept` is the share of a call's time that waits must leave: for the answer, or for the fallback
    that shares the deadline.
    """

    tries: Mapping[ErrorKind, int] = field(default_factory=lambda: _TRIES)
    base: float = 0.5
    cap: float = 20.0
    longest_wait: float = 60.0
    kept: float = 0.5

    def wait_after(self, error: ModelError, tries: int, rng: random.Random) -> float | None:
        """The wait after so many tries, or None to give up.

        The server's Retry-After comes first; jitter keeps seats from retrying at the same moment.
        """
        if isinstance(error, CircuitOpenError) or tries >= self.tries.get(error.kind, 1):
            return None
        asked = error.retry_after or 0.0
        jitter = rng.uniform(0.0, min(self.cap, self.base * 2 ** (tries - 1)))
        return None if asked > self.longest_wait else asked + jitter


@dataclass(slots=True)
class _Opening:
    """Buffers events until text or the end comes, after which nothing is retried."""

    began: float
    held: list[ModelEvent] = field(default_factory=list)
    passed: bool = False

    def admit(self, event: ModelEvent) -> list[ModelEvent]:
        if isinstance(event, Aside):
            return [event]
        self.held.append(event)
        self.passed = self.passed or isinstance(event, Delta | Finished)
        return self.release() if self.passed else []

    def release(self) -> list[ModelEvent]:
        held, self.held = self.held, []
        return held

    @property
    def usage(self) -> Usage | None:
        return next((event for event in reversed(self.held) if isinstance(event, Usage)), None)


class RetryingPort:
    """A port that retries within the request's deadline.

    `clock` and `sleep` are the time, `rng` the jitter.
    """

    def __init__(
        self,
        port: ModelPort,
        policy: RetryPolicy | None = None,
        clock: _Clock = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        rng: random.Random | None = None,
    ) -> None:
        self._port = port
        self._policy = policy or RetryPolicy()
        self._clock = clock
        self._sleep = sleep
        self._rng = rng or random.Random()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream the answer of the first successful try; raises ModelError."""
        ends = self._clock() + request.deadline_seconds
        asked = request
        for number in count(1):
            opening = _Opening(self._clock())
            failure: ModelError | None = None
            try:
                async with aclosing(self._port.stream(asked)) as events:
                    async for event in events:
                        if isinstance(event, Queued):
                            ends = self._clock() + asked.deadline_seconds
                        for admitted in opening.admit(event):
                            yield admitted
            except ModelError as error:
                failure = error
            wait = self._wait(request, failure, opening, number, ends)
            if failure is None or wait is None:
                break
            if not await self._may_repeat(request, failure, opening, number, wait):
                break
            await self._sleep(wait)
            asked = replace(request, deadline_seconds=ends - self._clock())
        for event in opening.release():
            yield event
        if failure is not None:
            raise failure

    async def close(self) -> None:
        """Close the wrapped port."""
        await self._port.close()

    def _wait(
        self,
        request: ModelRequest,
        failure: ModelError | None,
        opening: _Opening,
        number: int,
        ends: float,
    ) -> float | None:
        """The wait before the next try, or None if there is none."""
        if failure is None or opening.passed:
            return None
        wait = self._policy.wait_after(failure, number, self._rng)
        latest = ends - self._policy.kept * request.deadline_seconds
        return None if wait is None or self._clock() + wait > latest else wait

    async def _may_repeat(
        self,
        request: ModelRequest,
        failure: ModelError,
        opening: _Opening,
        number: int,
        wait: float,
    ) -> bool:
        """Report the failed attempt to the budget; returns whether another one may follow."""
        _log.info(
            "%s: attempt %d failed (%s), next in %.1f s", request.label, number, failure.kind, wait
        )
        if request.on_retry is None:
            return True
        seconds = self._clock() - opening.began
        return await request.on_retry(FailedAttempt(number, failure, seconds, opening.usage, wait))
