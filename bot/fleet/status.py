"""What `roundtable fleet` prints: who is up, what each serves, and what waits."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.messages.command_line import FleetText
from bot.messages.store import StoreText
from bot.store import Store
from bot.store.engine.backend import Where
from bot.store.engine.postgres import connect
from bot.store.engine.postgres_lock import ShardLocks, lock_holder
from bot.store.repositories.fleet import InboxRepository, Shards, ShardState
from bot.store.repositories.jobs import ServerJobs
from bot.store.repositories.run_lists import RunListRepository


@dataclass(frozen=True, slots=True)
class _Figures:
    shards: list[ShardState]
    events: tuple[int, float]
    jobs: tuple[int, float]
    workers: list[tuple[str, list[int], float]]
    runs: Counter[int]
    """How many roundtables are under way in each server."""


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
        Counter(run.guild_id for run in RunListRepository(conn).unfinished()),
    )


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


def _worker_lines(holder: str | None, figures: _Figures) -> Iterator[str]:
    for process, held, silent in figures.workers:
        servers = [server for server in held if server >= 0]
        runs = sum(figures.runs[server] for server in servers)
        yield FleetText.worker(process, servers, runs, silent)
    if holder is None:
        yield FleetText.NO_HOLDER
    elif not figures.workers:
        yield FleetText.alone(holder, figures.runs.total())
