"""Who is up: each process says so, and `roundtable fleet` prints it with what waits."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection

from bot import VERSION
from bot.errors import UnavailableError
from bot.messages.command_line import FleetText
from bot.messages.store import StoreText
from bot.store import Store
from bot.store.engine.backend import Where
from bot.store.engine.migrations import STEPS
from bot.store.engine.postgres import connect
from bot.store.engine.postgres_lock import ShardLocks, lock_holder, signature
from bot.store.fleet.inbox import InboxRepository
from bot.store.fleet.jobs import ServerJobs
from bot.store.fleet.processes import Processes, ProcessState
from bot.store.fleet.shards import Shards, ShardState
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import Run

if TYPE_CHECKING:
    import asyncpg

_log = logging.getLogger(__name__)

_SEEN_SECONDS: Final = 3.0
_RETRY_SECONDS: Final = 0.5
_GOODBYE: Final = 1.0


@dataclass(slots=True)
class Presence:
    """What this process says of itself."""

    role: str
    panels: str = ""

    def use_panels(self, digest: str) -> None:
        """This worker uses another panels.json."""
        self.panels = digest

    def state(self) -> ProcessState:
        """All of it."""
        return ProcessState(signature(), self.role, VERSION, STEPS[-1].number, self.panels)


@asynccontextmanager
async def present(url: str, role: str) -> AsyncIterator[Presence]:
    """Say that this process is up for as long as the block lasts."""
    me = Presence(role)
    saying = asyncio.create_task(_say(url, me.state), name="presence")
    try:
        yield me
    finally:
        saying.cancel()
        await asyncio.gather(saying, return_exceptions=True)


async def _say(url: str, state: Callable[[], ProcessState]) -> None:
    connection: asyncpg.Connection[Any] | None = None
    try:
        while True:
            try:
                if connection is None or connection.is_closed():
                    connection = await connect(url)
                await Processes(connection).seen(state())
            except Exception as error:
                # Away, or not yet of this version: whoever prepares it is not waited for.
                _log.debug("it cannot be said that this process is up: %s", type(error).__name__)
                await asyncio.sleep(_RETRY_SECONDS)
            else:
                await asyncio.sleep(_SEEN_SECONDS)
    finally:
        if connection is not None:
            with suppress(Exception):  # whoever looks waits half a minute
                async with asyncio.timeout(_GOODBYE):
                    await Processes(connection).gone(state().process)
                    await connection.close()


@dataclass(frozen=True, slots=True)
class _Figures:
    shards: list[ShardState]
    events: tuple[int, float]
    jobs: tuple[int, float]
    workers: list[tuple[str, list[int], float]]
    runs: Mapping[int, Sequence[int]]
    """The threads in which roundtables are under way, by server."""
    up: list[ProcessState]


async def fleet_lines(database: Where) -> list[str]:
    """One line for each process, and two for what waits."""
    if not isinstance(database, str):
        raise UnavailableError(StoreText.NEEDS_POSTGRES)
    store = await Store.open(database, guest=True)
    try:
        connection = await connect(database)
        try:
            gateways = await ShardLocks(connection).gateways(cut_off_silent=False)
            holder = await lock_holder(connection)
        finally:
            await connection.close()
        figures = await store.read(_figures)
    finally:
        await store.close()
    return list(_lines(gateways, holder, figures))


def _figures(conn: Connection) -> _Figures:
    return _Figures(
        Shards(conn).all(),
        InboxRepository(conn).depth(),
        ServerJobs(conn).waiting(),
        ServerJobs(conn).members(),
        _threads(RunListRepository(conn).unfinished()),
        Processes.all(conn),
    )


def _threads(unfinished: Iterable[Run]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for run in unfinished:
        found.setdefault(run.guild_id, []).append(run.thread_id or 0)
    return found


def _lines(
    gateways: Sequence[tuple[str, list[int]]], holder: str | None, figures: _Figures
) -> Iterator[str]:
    for process, shards in gateways:
        yield FleetText.gateway(process, shards, len(figures.shards))
    if not gateways:
        yield FleetText.NO_GATEWAY
    yield from _worker_lines(holder, figures)
    served = {shard for _, shards in gateways for shard in shards}
    silent = [each.shard for each in figures.shards if each.shard not in served]
    if silent and gateways:
        yield FleetText.silent(silent)
    yield FleetText.waiting_servers(*figures.jobs)
    yield FleetText.waiting(*figures.events)
    yield from _differences(figures.up)


def _worker_lines(holder: str | None, figures: _Figures) -> Iterator[str]:
    for process, held, silent in figures.workers:
        servers = [server for server in held if server >= 0]
        threads = [thread for server in servers for thread in figures.runs.get(server, ())]
        yield FleetText.worker(process, servers, threads, silent)
    if holder is None:
        yield FleetText.NO_HOLDER
    elif not figures.workers:
        yield FleetText.alone(holder, sum(map(len, figures.runs.values())))


def _differences(up: Sequence[ProcessState]) -> Iterator[str]:
    """What should be the same in all processes and is not."""
    versions = sorted({each.version for each in up})
    if len(versions) > 1:
        yield FleetText.versions(versions)
    files = {each.panels: each.process for each in up if each.panels}
    if len(files) > 1:
        yield FleetText.files_differ([f"{digest} ({who})" for digest, who in files.items()])
