"""The turns of requests to Discord, shared by all processes with the bot's token."""

import asyncio
import hashlib
import logging
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from bot.store.engine.postgres import connect, is_cut_off
from bot.store.fleet.processes import STOP, RequestTurns
from bot.types import Sleep

if TYPE_CHECKING:
    import asyncpg

_log = logging.getLogger(__name__)

_INTERVAL: Final = 1 / 44
_LATE: Final = 0.05
"""A turn that is missed by more is lost: late requests would meet those of the next turns.

44 turns a second, with what is 50 ms late and what is made up for, are at most 49 requests in any.
"""
_BURST: Final = 1.5 * _INTERVAL
"""Turns that nobody wanted may be made up for, so long after them."""
_MOST_AT_ONCE: Final = 8
"""A process reserves a turn for each request that waits, and at most a fifth of a second."""
_PAUSE: Final = 0.3
_QUICK: Final = "SET synchronous_commit = off"
"""A turn that a crash of the server forgets is long past when it is up again."""


class SharedRequests:
    """One process's connection for turns; it also hears when nobody may go out."""

    def __init__(
        self, url: str, sleep: Sleep = asyncio.sleep, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._url, self._sleep, self._clock = url, sleep, clock
        self._connection: asyncpg.Connection[Any] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._lanes: dict[str, _Lane] = {}
        self._telling: set[asyncio.Task[None]] = set()

    def of_token(self, token: str) -> "_Lane":
        """The turns of requests with a token."""
        return self._lane(f"token-{hashlib.sha256(token.encode()).hexdigest()[:16]}")

    def of_webhooks(self) -> "_Lane":
        """The turns of requests without one, as if all processes had one address."""
        return self._lane("webhooks")

    async def close(self) -> None:
        """Let nobody go out any more."""
        tasks = [*self._telling, *(lane.pump for lane in self._lanes.values() if lane.pump)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._away(None)

    async def reserve(self, lane: str, turns: int) -> float:
        """Reserve so many turns in a row; returns when they begin, on this process's clock."""
        while True:
            async with self._one_at_a_time:
                try:
                    shared = RequestTurns(await self._connected())
                    wait = await shared.reserve(lane, turns * _INTERVAL, _BURST)
                    return self._clock() + wait
                except Exception as error:  # nobody goes out without a turn
                    self._away(error)
            await self._sleep(_PAUSE)

    def tell(self, lane: str, seconds: float) -> None:
        """Let all processes know that Discord refuses requests for so long."""
        _log.warning("Discord refuses all requests for %.1f s: every process waits", seconds)
        task = asyncio.create_task(self._tell(lane, seconds))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    def _lane(self, name: str) -> "_Lane":
        if name not in self._lanes:
            self._lanes[name] = _Lane(name, self, self._sleep, self._clock)
        return self._lanes[name]

    async def _tell(self, lane: str, seconds: float) -> None:
        until = self._clock() + seconds
        while (left := until - self._clock()) > 0:
            async with self._one_at_a_time:
                try:
                    await RequestTurns(await self._connected()).stop(lane, left)
                except Exception as error:
                    self._away(error)
                else:
                    return
            await self._sleep(_PAUSE)

    async def _connected(self) -> "asyncpg.Connection[Any]":
        if self._connection is None or self._connection.is_closed():
            self._connection = await connect(self._url)
            await self._connection.execute(_QUICK)
            await self._connection.add_listener(STOP, self._heard)
        return self._connection

    def _away(self, error: Exception | None) -> None:
        if error is not None and not is_cut_off(error):  # which others tell
            _log.warning("requests wait for Postgres: %s", type(error).__name__)
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.terminate()

    def _heard(self, *notice: Any) -> None:
        lane, _, seconds = str(notice[-1]).rpartition(" ")
        self._lane(lane).wait_for(float(seconds))


class _Lane:
    """What waits in this process for the turns of one of Discord's counters."""

    def __init__(
        self, name: str, shared: SharedRequests, sleep: Sleep, clock: Callable[[], float]
    ) -> None:
        self._name, self._shared, self._sleep, self._clock = name, shared, sleep, clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._stopped_until = 0.0
        self.pump: asyncio.Task[None] | None = None

    async def turn(self) -> None:
        """Wait for the next turn; who comes first goes first."""
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        if self.pump is None or self.pump.done():
            self.pump = asyncio.create_task(self._hand_out(), name=f"turns of {self._name}")
        await mine

    def stop(self, seconds: float) -> None:
        """Discord refused a request because there were too many, from wherever they came."""
        if self._clock() + seconds > self._stopped_until:
            self.wait_for(seconds)
            self._shared.tell(self._name, seconds)

    def wait_for(self, seconds: float) -> None:
        """Use no turn for so long."""
        self._stopped_until = max(self._stopped_until, self._clock() + seconds)

    async def _hand_out(self) -> None:
        while self._wanted():
            turns = min(len(self._waiting), _MOST_AT_ONCE)
            begin = await self._shared.reserve(self._name, turns)
            for number in range(turns):
                await self._use(begin + number * _INTERVAL)

    async def _use(self, due: float) -> None:
        if due > self._clock():
            await self._sleep(due - self._clock())
        # Turns before now are part of the burst that was reserved.
        late = self._clock() - due > _LATE + _BURST
        if not late and due >= self._stopped_until and self._wanted():
            self._waiting.popleft().set_result(None)

    def _wanted(self) -> bool:
        """Whether anybody waits who was not cancelled."""
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        return bool(self._waiting)
