"""Which shards this gateway serves: each is a lock in Postgres, and all gateways have as many."""

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Protocol

from sqlalchemy import Connection

from bot.errors import AwayError, UnavailableError
from bot.store import Store
from bot.store.engine.postgres import connect, is_cut_off
from bot.store.engine.postgres_lock import ShardLocks, signature
from bot.store.fleet.processes import Processes
from bot.store.fleet.shards import Shards
from bot.types import Sleep

if TYPE_CHECKING:
    import asyncpg

_log = logging.getLogger(__name__)

_STEP_SECONDS: Final = 1.0
_ASK_SECONDS: Final = 3600.0
_SLOWEST: Final = 5.0
"""Who waits longer for an answer counts the database as away."""


class ShardPort(Protocol):
    """The connections to Discord."""

    async def launch(self, shard_id: int, session: tuple[str, int, str] | None) -> None:
        """Connect a shard; resume its session, if Discord lets it."""

    async def drop(self, shard_id: int) -> None:
        """Disconnect a shard, so that its session can be resumed."""

    def connected(self) -> Collection[int]:
        """The shards that hear events now."""


class SharedPace:
    """Lets the shards of all gateways identify as often as Discord allows."""

    def __init__(self, store: Store, sleep: Sleep = asyncio.sleep) -> None:
        self._store = store
        self._sleep = sleep

    async def wait(self, key: int, seconds: float) -> None:
        """Wait for the turn of a rate limit key, whose turns are so many seconds apart."""
        reserve = lambda conn: Shards(conn).reserve_identify(key, seconds)  # noqa: E731
        while True:
            try:
                turn = await self._store.write(reserve)
            except AwayError:
                await self._sleep(_STEP_SECONDS)
            else:
                await self._sleep(turn)
                return


class ShardKeeper:
    """Claims shards, gives back what others should have, and takes over what others left."""

    def __init__(self, store: Store, port: ShardPort, count: int) -> None:
        self._store, self._port, self._count = store, port, count
        self._connection: asyncpg.Connection[Any] | None = None
        self._mine: set[int] = set()
        self._stepped = False
        self._launching: dict[int, asyncio.Task[None]] = {}

    async def run(self, sleep: Sleep = asyncio.sleep) -> None:
        """Keep the gateway's share; returns when all gateways are to have another number."""
        was_away = False
        while True:
            away = False
            try:
                if not await self._step(await self._locks()):
                    return
            except Exception as error:
                away = _is_away(error)
            if away and not was_away:
                _log.warning("the database is away: what is heard waits until it is back")
            if was_away and not away:
                _log.warning("the database is back: work continues")
            was_away = away
            await sleep(_STEP_SECONDS)

    def has_its_share(self) -> bool:
        """Whether every shard that this gateway took is connected; there may be none for it."""
        return self._stepped and self._mine <= set(self._port.connected())

    async def keep_asking(
        self, wanted: Callable[[], Awaitable[int]], sleep: Sleep = asyncio.sleep
    ) -> None:
        """Ask Discord now and then how many shards it wants; if more, all gateways hear of it."""
        while True:
            await sleep(_ASK_SECONDS)
            number = await wanted()
            if number > self._count:
                try:
                    await agreed_shards(self._store, number)
                except Exception as error:
                    _is_away(error)  # which `run` tells

    async def close(self) -> None:
        """Disconnect every shard and let other gateways have them."""
        for shard in tuple(self._mine):
            await self._drop(shard)
        if self._connection is not None:
            with suppress(Exception):  # whatever is wrong with it ends with the process
                await self._connection.close(timeout=_STEP_SECONDS)

    async def _locks(self) -> ShardLocks:
        if self._connection is not None and not self._connection.is_closed():
            return ShardLocks(self._connection)
        self._connection = await connect(str(self._store.where), _SLOWEST)
        locks = ShardLocks(self._connection)
        await locks.join(self._count)
        for shard in tuple(self._mine):
            if not await locks.claim(shard):
                _log.warning("shard %d went to another gateway", shard)
                await self._drop(shard)
        return locks

    async def _step(self, locks: ShardLocks) -> bool:
        gateways = await locks.gateways()
        share = math.ceil(self._count / max(1, len(gateways)))
        free = set(range(self._count)) - {shard for _, shards in gateways for shard in shards}
        wanted = sorted(free)[: max(0, share - len(self._mine))]
        if wanted and await locks.in_step(self._count):
            for shard in wanted:
                if await locks.claim(shard):
                    self._mine.add(shard)
                    self._launching[shard] = asyncio.create_task(self._launch(shard))
        while len(self._mine) > share:
            shard = max(self._mine)
            await self._drop(shard)
            await locks.give_back(shard)
        for shard in set(self._port.connected()) - self._mine:
            await self._port.drop(shard)  # it was connecting again when it was given back
        connected = self._mine & set(self._port.connected())
        self._stepped = True
        return await self._store.write(lambda conn: Shards(conn).alive(connected, self._count))

    async def _launch(self, shard: int) -> None:
        while True:
            try:
                session = await self._store.read(lambda conn: Shards(conn).session(shard))
            except UnavailableError:
                await asyncio.sleep(_STEP_SECONDS)
            else:
                await self._port.launch(shard, session)
                return

    async def _drop(self, shard: int) -> None:
        self._mine.discard(shard)
        launching = self._launching.pop(shard, None)
        if launching is not None and not launching.done():
            launching.cancel()
        await self._port.drop(shard)


def _is_away(error: Exception) -> bool:
    """Whether the database is away; logs what else is wrong with it, and raises other errors."""
    if is_cut_off(error):
        return True
    if not isinstance(error, UnavailableError):
        raise error
    _log.warning("the shards cannot be shared: %s", error)
    return False


async def agreed_shards(store: Store, wanted: int) -> int:
    """How many shards all gateways start: as Discord wants; fewer only when no other is up."""
    connection = await connect(str(store.where))
    try:
        in_use = any(shards for _, shards in await ShardLocks(connection).gateways())
    finally:
        await connection.close(timeout=_STEP_SECONDS)

    def agree(conn: Connection) -> int:
        # One that moves to another number holds no shard meanwhile.
        up = {each.process for each in Processes.all(conn) if each.role == "gateway"}
        return Shards(conn).agree(wanted, in_use or bool(up - {signature()}))

    return await store.write(agree)
