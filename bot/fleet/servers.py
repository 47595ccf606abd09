"""A worker's side: it holds servers, hears what happens in them, and lets go of quiet ones."""

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final, Protocol

from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.store import Store
from bot.store.engine.postgres_lock import MEMBER_SILENCE
from bot.store.engine.postgres_wakeups import Wakeups
from bot.store.fleet.inbox import InboxRepository, left_over
from bot.store.fleet.jobs import CHORES, JOBS, WAKE, HeldServer, Look, ServerJobs
from bot.store.fleet.server_states import ServerStates
from bot.types.gateway_events import INTERACTION, TakenEvent

_log = logging.getLogger(__name__)

_BATCH: Final = 200
_PAUSE: Final = 0.3
_SECONDS_BETWEEN_LOOKS: Final = 2.0
_LONGEST_GAP: Final = 4.0
"""Whoever looked less often than this may have been away itself, and gives nobody up."""
_LINGER: Final = 60.0
"""A server in which nothing happens is held so long: whoever answers a press is done by then."""
_HANDLED: Final = 20.0
"""What happened longer ago has been dealt with, if nothing is under way."""
_UNKNOWN_AGAIN: Final = 2.0
_SOON: Final = 30.0
"""What is due so soon is waited for."""
_STEP_BACK: Final = 0.02
_LONGEST_STEP_BACK: Final = 0.3
_RECALLED_SECONDS: Final = 24 * 3600.0
_STALE_SECONDS: Final = 2.8
"""Discord takes the answer to an interaction for three seconds."""
_MOST_REMEMBERED: Final = 1000


class ServerPort(Protocol):
    """What works for the servers that are held."""

    async def adopt(self, server: int, states: Sequence[TakenEvent], *, interrupted: bool) -> None:
        """Work for a server from now on; it may have been interrupted."""

    def hear(self, told: TakenEvent) -> None:
        """Something happened in a server that is held."""

    def is_busy(self, server: int) -> bool:
        """Whether something is under way in a server."""

    async def next_due(self, server: int) -> float | None:
        """When something is to be done in a quiet server, in epoch seconds."""

    async def let_go(self, server: int) -> None:
        """Work for a server no longer."""


@dataclass(slots=True)
class _Holding:
    job: HeldServer
    heard: float


class ServerFeed:
    """Takes servers as jobs, their events from the inbox, and over what silent workers held."""

    def __init__(
        self, store: Store, linger: float = _LINGER, every: float = _SECONDS_BETWEEN_LOOKS
    ) -> None:
        self._store, self._linger, self._every = store, linger, every
        self._member = store.member or 0
        self._wakeups = Wakeups(str(store.where), WAKE)
        self._held: dict[int, _Holding] = {}
        self._answered: deque[int] = deque(maxlen=_MOST_REMEMBERED)
        self._looked = self._steady = self._swept = 0.0
        self._draining = self._cut_off = False

    @property
    def servers(self) -> frozenset[int]:
        """What this worker holds."""
        return frozenset(self._held)

    async def run(self, port: ServerPort) -> None:
        """Work until cancelled, or until somebody asks for an end."""
        since = self._store.now() - _RECALLED_SECONDS
        notices: Iterable[str] = (JOBS,)
        begun = False
        while not self._draining:
            try:
                if not begun:
                    await self._store.write(lambda conn: _wake_left_over(conn, since))
                    begun = True
                await self._step(port, frozenset(notices))
            except UnavailableError as error:
                _log.debug("nothing can be taken: %s", error)
                self._steady, self._cut_off = 0.0, True
                await asyncio.sleep(_PAUSE)
            notices = await self._wakeups.wait()

    async def drain(self, port: ServerPort) -> None:
        """Take nothing new, because the process ends; others have what is quiet at once."""
        self._draining = True
        since = self._now() - _HANDLED
        quiet = [
            server
            for server, held in self._held.items()
            if held.heard < since and not port.is_busy(server)
        ]
        jobs = [self._held.pop(server).job for server in quiet]
        for server in quiet:
            await port.let_go(server)
        with suppress(UnavailableError):
            await self._store.write(lambda conn: ServerJobs(conn).give_back(jobs))

    async def close(self) -> None:
        """Let other workers have everything that is left, and stop listening."""
        self._draining = True
        jobs = [replace(each.job, interrupted=True) for each in self._held.values()]
        with suppress(UnavailableError):
            await self._store.write(lambda conn: ServerJobs(conn).leave(self._member, jobs))
        self._held.clear()
        await self._wakeups.close()

    async def _step(self, port: ServerPort, notices: frozenset[str]) -> None:
        if self._cut_off:
            known = list(self._held)
            await self._store.write(
                lambda conn: ServerJobs(conn).give_back_forgotten(self._member, known)
            )
            self._cut_off = False
        jobs = JOBS in notices
        events = any(str(server) in notices for server in self._held)
        if self._now() - self._looked >= self._every:
            found = await self._look()
            jobs, events = jobs or found.jobs, events or found.events
            if found.lost and self._is_steady():
                jobs = bool(await self._rescue()) or jobs
        if events:
            await self._take_events(port)
        if jobs:
            await self._take_servers(port)
        await self._let_go_of_quiet(port)

    async def _look(self) -> Look:
        servers = list(self._held)
        found = await self._store.read(lambda conn: ServerJobs(conn).look(servers, MEMBER_SILENCE))
        now = self._now()
        if now - self._looked > _LONGEST_GAP or not self._steady:
            self._steady = now
        self._looked = now
        return found

    def _is_steady(self) -> bool:
        """After an outage the others get their time to give a sign, too."""
        return self._now() - self._steady > MEMBER_SILENCE

    async def _rescue(self) -> list[int]:
        found = await self._store.write(lambda conn: ServerJobs(conn).rescue(MEMBER_SILENCE))
        if found:
            _log.warning("a worker gave no sign: %d of its servers wait for another", len(found))
        return found

    async def _take_servers(self, port: ServerPort) -> None:
        """Take what waits; who holds more lets others be faster."""
        while not self._draining:
            await asyncio.sleep(min(_STEP_BACK * len(self._held), _LONGEST_STEP_BACK))
            job = await self._store.write(lambda conn: ServerJobs(conn).take(self._member))
            if job is None:
                return
            await self._adopt(port, job)
            await self._take_events(port)

    async def _adopt(self, port: ServerPort, job: HeldServer) -> None:
        states: list[TakenEvent] | None = []
        if job.server > 0:
            states = await self._store.read(lambda conn: ServerStates(conn).of(job.server))
        if states is None:
            await self._postpone(job, _UNKNOWN_AGAIN)
            return
        self._held[job.server] = _Holding(job, self._now())
        try:
            await port.adopt(job.server, states, interrupted=job.interrupted)
        except Exception:
            _log.exception("server %s could not be taken; trying again later", job.server)
            del self._held[job.server]
            await port.let_go(job.server)
            await self._postpone(job, _UNKNOWN_AGAIN)

    async def _postpone(self, job: HeldServer, seconds: float) -> None:
        await self._store.write(lambda conn: ServerJobs(conn).postpone(job, seconds))

    async def _take_events(self, port: ServerPort) -> None:
        while self._held and not self._draining:
            servers = list(self._held)
            taken = await self._store.write(
                lambda conn: InboxRepository(conn).take(_BATCH, servers)  # noqa: B023 (at once)
            )
            for told in taken:
                if told.server in self._held and self._is_news(told):
                    self._held[told.server].heard = self._now()
                    port.hear(told)
            if len(taken) < _BATCH:
                return

    async def _let_go_of_quiet(self, port: ServerPort) -> None:
        now = self._now()
        if now - self._swept < self._every:
            return
        self._swept = now
        for server, held in tuple(self._held.items()):
            quiet = server != CHORES and now - held.heard > self._linger
            if quiet and not port.is_busy(server):
                await self._let_go(port, server)

    async def _let_go(self, port: ServerPort, server: int) -> None:
        due = await port.next_due(server)
        seconds = None if due is None else due - self._store.now()
        if seconds is not None and seconds < _SOON:
            return
        held = self._held.pop(server, None)
        if held is None:
            return  # it was given back meanwhile
        job = held.job
        await port.let_go(server)
        if not await self._store.write(lambda conn: ServerJobs(conn).end(job, seconds)):
            await self._postpone(job, 0.0)

    def _is_news(self, taken: TakenEvent) -> bool:
        """Two gateways may hear the same interaction, and nobody can answer an old one."""
        if taken.event != INTERACTION:
            return True
        number = int(taken.payload["id"])
        fresh = number not in self._answered and taken.age < _STALE_SECONDS
        self._answered.append(number)
        return fresh

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _wake_left_over(conn: Connection, since: float) -> None:
    """What an earlier process left, also one that was alone, and what is done for all servers."""
    jobs = ServerJobs(conn)
    known = jobs.waiting_or_held()
    jobs.wake({CHORES} - known)
    jobs.wake(left_over(conn, since) - known, interrupted=True)
