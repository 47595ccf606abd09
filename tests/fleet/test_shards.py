"""Which gateway serves which shard, and when shards of all gateways identify."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from bot.errors import AwayError, UnavailableError
from bot.fleet.shards import ShardKeeper, SharedPace, agreed_shards
from bot.store import Store
from bot.store.engine.postgres_lock import ShardLocks
from bot.store.fleet.processes import Processes, ProcessState
from bot.store.fleet.shards import Shards
from tests.support import waiting
from tests.support.time_travel import fast_time


class _Port:
    """Connections that work at once."""

    def __init__(self) -> None:
        self.up: set[int] = set()

    async def launch(self, shard_id: int, _: tuple[str, int, str] | None) -> None:
        self.up.add(shard_id)

    async def drop(self, shard_id: int) -> None:
        self.up.discard(shard_id)

    def connected(self) -> set[int]:
        return self.up


async def soon(port: _Port, shards: int) -> None:
    """Wait until a gateway has so many shards."""
    async with asyncio.timeout(30):
        while len(port.up) != shards:  # noqa: ASYNC110 (nobody tells)
            await asyncio.sleep(0.01)


async def claimed(locks: ShardLocks, shard: int) -> None:
    """Claim a shard, which is disconnected a moment before it is given back."""
    async with asyncio.timeout(30):
        while not await locks.claim(shard):  # noqa: ASYNC110 (nobody tells)
            await asyncio.sleep(0.01)


@asynccontextmanager
async def serving(store: Store, shards: int) -> AsyncIterator[tuple[_Port, "asyncio.Task[None]"]]:
    """A gateway alone that has all its shards, and the task that keeps them."""
    await agreed_shards(store, shards)
    port = _Port()
    keeper = ShardKeeper(store, port, shards)
    running = asyncio.create_task(keeper.run(quick))
    await soon(port, shards)
    yield port, running
    running.cancel()
    await keeper.close()


async def quick(_: float) -> None:
    """Look again soon."""
    await asyncio.sleep(0.02)


async def test_gateways_share_the_shards_evenly_and_take_over_what_one_leaves(
    store: Store, url: str
) -> None:
    """Issue 25, point 3; both are one process here, so Postgres is told two names."""
    assert await agreed_shards(store, 5) == 5
    first = _Port()
    keeper = ShardKeeper(store, first, 5)
    running = asyncio.create_task(keeper.run(quick))
    await soon(first, 5)
    assert await agreed_shards(store, 3) == 5
    other = await asyncpg.connect(url, server_settings={"application_name": "another gateway"})
    locks = ShardLocks(other)
    await locks.join(5)
    await soon(first, 3)
    await claimed(locks, 3)
    await claimed(locks, 4)
    assert not any([await locks.claim(shard) for shard in range(3)])
    assert sorted(shards for _, shards in await locks.gateways()) == [[0, 1, 2], [3, 4]]
    await other.close()
    await soon(first, 5)
    running.cancel()
    await keeper.close()
    assert first.up == set()
    assert await agreed_shards(store, 3) == 3


async def test_a_gateway_that_lost_its_connection_keeps_what_nobody_took(
    store: Store, url: str
) -> None:
    """Issue 25, point 8: a cut connection to Postgres costs no session with Discord."""
    rival = await asyncpg.connect(url, server_settings={"application_name": "a rival"})
    shard = "(SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 1)"
    cut = f"SELECT count(pg_terminate_backend(pid)) FROM {shard} AS holders"
    locks = ShardLocks(rival)
    async with serving(store, 2) as (port, running):
        assert await rival.fetchval(cut) > 0
        async with asyncio.timeout(30):
            while [shards for _, shards in await locks.gateways()] != [[0, 1]]:
                assert not running.done(), running.exception()
                await asyncio.sleep(0.01)
        assert port.up == {0, 1}
    await rival.close()


async def test_a_database_that_stops_answering_is_two_lines_in_the_log_of_a_gateway(
    store: Store, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 23 point 7: a server that is frozen ends no connection; only its silence tells."""
    looking = await asyncpg.connect(url)
    async with serving(store, 1):
        holder = await looking.fetchval("SELECT pid FROM pg_locks WHERE objid = 0 AND objsubid = 2")
        os.kill(holder, signal.SIGSTOP)
        try:
            async with fast_time(20):
                await waiting.soon(lambda: "the database is away" in caplog.text)
        finally:
            os.kill(holder, signal.SIGCONT)
        await waiting.soon(lambda: "the database is back" in caplog.text)
    await looking.close()
    assert [record.message for record in caplog.records] == [
        "the database is away: what is heard waits until it is back",
        "the database is back: work continues",
    ]


async def test_a_shard_is_connected_although_its_session_could_not_be_read_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 25, point 8: Postgres may be away for the moment between claim and connection."""
    await agreed_shards(store, 1)
    reads, usual = iter([UnavailableError("away"), None]), store.read

    async def read(work: Any) -> Any:
        error = next(reads, None)
        if error is not None:
            raise error
        return await usual(work)

    monkeypatch.setattr(store, "read", read)
    port = _Port()
    keeper = ShardKeeper(store, port, 1)
    running = asyncio.create_task(keeper.run(quick))
    await soon(port, 1)
    assert keeper.has_its_share()
    running.cancel()
    await keeper.close()


async def test_all_gateways_together_identify_once_in_a_while_for_each_key(store: Store) -> None:
    """The database says when, so clocks that differ do not matter."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    one, another = SharedPace(store, sleep), SharedPace(store, sleep)
    for pace, key in ((one, 0), (another, 0), (another, 1), (one, 0)):
        await pace.wait(key, 100.0)
    assert waits == pytest.approx([0.0, 100.0, 0.0, 200.0], abs=20)


async def test_a_shard_waits_for_its_turn_while_the_database_is_away(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 23 point 7: what is raised here would end the gateway, with all that it has heard."""
    answers, usual = iter([AwayError("away"), AwayError("away")]), store.write
    waits: list[float] = []

    async def write(work: Any) -> Any:
        error = next(answers, None)
        if error is not None:
            raise error
        return await usual(work)

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(store, "write", write)
    await SharedPace(store, sleep).wait(0, 100.0)
    assert len(waits) == 3
    assert waits[-1] == pytest.approx(0.0, abs=20)


async def test_gateways_move_to_a_larger_number_together(store: Store, url: str) -> None:
    """Issue 25, point 3: nobody connects the new shards while another one serves old ones."""
    assert await agreed_shards(store, 2) == 2
    before = _Port()
    keeper = ShardKeeper(store, before, 2)
    running = asyncio.create_task(keeper.run(quick))
    await soon(before, 2)
    slow = await asyncpg.connect(url, server_settings={"application_name": "a slow gateway"})
    locks = ShardLocks(slow)
    await locks.join(2)
    await soon(before, 1)
    await claimed(locks, 1)
    asked = asyncio.Event()

    async def wanted() -> int:
        asked.set()
        return 4

    asking = asyncio.create_task(keeper.keep_asking(wanted, quick))
    await asyncio.wait_for(running, 30)
    asking.cancel()
    assert asked.is_set()
    await keeper.close()
    assert await agreed_shards(store, 4) == 4
    after = _Port()
    keeper = ShardKeeper(store, after, 4)
    running = asyncio.create_task(keeper.run(quick))
    await asyncio.sleep(0.3)
    assert after.up == set()
    await slow.close()
    await soon(after, 4)
    running.cancel()
    await keeper.close()


async def test_a_gateway_that_moves_keeps_others_from_a_smaller_number(
    store: Store, url: str
) -> None:
    """Issue 25, point 3: none is connected while all move; Discord may still name the old one."""
    connection = await asyncpg.connect(url)
    moving = ProcessState("another one", "gateway", "1", 17, "")
    await Processes(connection).seen(moving)
    assert await agreed_shards(store, 4) == 4
    assert await agreed_shards(store, 2) == 4
    await Processes(connection).gone(moving.process)
    assert await agreed_shards(store, 2) == 2
    await connection.close()


async def test_what_is_missed_while_the_number_changes_is_read(store: Store) -> None:
    """The new shards were away since the first of the old ones was certainly connected."""
    await agreed_shards(store, 2)
    await store.write(lambda conn: conn.exec_driver_sql("UPDATE shards SET alive_at = 7 + shard"))
    await agreed_shards(store, 4)
    assert not await store.write(lambda conn: Shards(conn).alive([0, 1], 2))
    await store.write(lambda conn: Shards(conn).identified(1))
    since = "SELECT away_since FROM shards ORDER BY shard"
    found = await store.read(lambda conn: conn.exec_driver_sql(since).scalars().all())
    assert found == [7.0, 7.0, 7.0, 7.0]
