"""What `roundtable fleet` prints: who is up, what each serves, and what waits."""

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
from bot.store.repositories.run_lists import RunListRepository


@dataclass(frozen=True, slots=True)
class _Figures:
    shards: list[ShardState]
    waiting: int
    oldest: float
    runs: int


async def fleet_lines(database: Where) -> list[str]:
    """One line for each process, and one for what waits."""
    if not isinstance(database, str):
        raise UnavailableError(StoreText.NEEDS_POSTGRES)
    store = await Store.open(database, guest=True)
    try:
        connection = await connect(database)
        try:
            gateways = await ShardLocks(connection).gateways(cut_off_silent=False)
            worker = await lock_holder(connection)
        finally:
            await connection.close()
        figures = await store.read(_figures)
    finally:
        await store.close()
    return list(_lines(gateways, worker, figures))


def _figures(conn: Connection) -> _Figures:
    waiting, oldest = InboxRepository(conn).depth()
    runs = len(RunListRepository(conn).unfinished())
    return _Figures(Shards(conn).all(), waiting, oldest, runs)


def _lines(
    gateways: Sequence[tuple[str, list[int]]], worker: str | None, figures: _Figures
) -> Iterator[str]:
    for process, shards in gateways:
        yield FleetText.gateway(process, shards, len(figures.shards))
    if not gateways:
        yield FleetText.NO_GATEWAY
    yield FleetText.worker(worker, figures.runs) if worker else FleetText.NO_HOLDER
    served = {shard for _, shards in gateways for shard in shards}
    silent = [each.shard for each in figures.shards if each.shard not in served]
    if silent and gateways:
        yield FleetText.silent(silent)
    yield FleetText.waiting(figures.waiting, figures.oldest)
