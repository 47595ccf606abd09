"""Which gateway serves which shard, and when shards of all gateways identify."""

import asyncio

import asyncpg
import pytest

from bot.fleet.shards import ShardKeeper, SharedPace, agreed_shards, stand_by
from bot.store import Store
from bot.store.engine.postgres_lock import ShardLocks
from bot.store.repositories.fleet import Shards


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
    assert await agreed_shards(store, 9) == 5
    other = await asyncpg.connect(url, server_settings={"application_name": "another gateway"})
    locks = ShardLocks(other)
    await locks.join()
    await soon(first, 3)
    assert [await locks.claim(shard) for shard in range(5)] == [False] * 3 + [True] * 2
    assert sorted(shards for _, shards in await locks.gateways()) == [[0, 1, 2], [3, 4]]
    await other.close()
    await soon(first, 5)
    running.cancel()
    await keeper.close()
    assert first.up == set()
    assert await agreed_shards(store, 9) == 9


async def test_a_gateway_that_lost_its_connection_keeps_what_nobody_took(
    store: Store, url: str
) -> None:
    """Issue 25, point 8: a cut connection to Postgres costs no session with Discord."""
    await agreed_shards(store, 2)
    port = _Port()
    keeper = ShardKeeper(store, port, 2)
    running = asyncio.create_task(keeper.run(quick))
    await soon(port, 2)
    rival = await asyncpg.connect(url, server_settings={"application_name": "a rival"})
    shard = "(SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 1)"
    cut = f"SELECT count(pg_terminate_backend(pid)) FROM {shard} AS holders"
    assert await rival.fetchval(cut) > 0
    locks = ShardLocks(rival)
    async with asyncio.timeout(30):
        while [shards for _, shards in await locks.gateways()] != [[0, 1]]:
            assert not running.done(), running.exception()
            await asyncio.sleep(0.01)
    assert port.up == {0, 1}
    running.cancel()
    await keeper.close()
    await rival.close()


async def test_all_gateways_together_identify_once_in_a_while_for_each_key(store: Store) -> None:
    """The database says when, so clocks that differ do not matter."""
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    one, another = SharedPace(store, sleep), SharedPace(store, sleep)
    for pace, key in ((one, 0), (another, 0), (another, 1), (one, 0)):
        await pace.wait(key, 100.0)
    assert waits == pytest.approx([0.0, 100.0, 0.0, 200.0], abs=20)


async def test_a_worker_stands_by_until_the_other_is_gone_or_silent(url: str) -> None:
    """Issue 25, point 2: who gives no sign for eight seconds is cut off, and knows before."""
    first = await Store.open(url)
    told: list[str] = []
    waiting = asyncio.create_task(stand_by(url, told.append, quick))
    async with asyncio.timeout(30):
        while not told:  # noqa: ASYNC110 (nobody tells)
            await asyncio.sleep(0.01)
    assert not waiting.done()
    assert "process" in told[0]
    await first.close()
    await asyncio.wait_for(waiting, 30)
    second = await Store.open(url)
    known = await second.read(lambda conn: Shards(conn).all())
    await second.close()
    assert known == []
