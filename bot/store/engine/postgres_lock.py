"""The lock on a Postgres database: one process at a time, and a loss is always noticed."""

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, insert

from bot.errors import InUseError, UnavailableError
from bot.messages.store import StoreText
from bot.store.engine.locks import Holding
from bot.store.tables import terms, workers
from bot.types import Sleep

if TYPE_CHECKING:
    import asyncpg


_log = logging.getLogger(__name__)

_LEASE_SECONDS: Final = 6.0
"""Without an answer for so long the lock counts as lost.

Another process that waits for it may take it from one that gave no sign for longer.
"""
_SILENCE_SECONDS: Final = 8.0
"""Whoever holds a lock and gave no sign for so long is cut off by those who wait for it."""
_PAUSE: Final = 0.1


@dataclass(frozen=True, slots=True)
class Beat:
    """How often a process proves that it is there, and for how long a proof holds, in seconds."""

    every: float = 2.0
    patience: float = 5.0
    lease: float = _LEASE_SECONDS


MEMBER_BEAT: Final = Beat(every=1.5, patience=3.0, lease=4.5)
"""Of a worker beside others."""
MEMBER_SILENCE: Final = 6.0
"""A worker that gave no sign for so long has lost its servers; its lease ended before."""
FENCED: Final = "RT001"
"""The error of a transaction whose worker was given up by the others."""

_Now = Callable[[], float]
_LOCK_PATIENCE: Final = 2.0
"""A killed process keeps the lock until the server has noticed its end."""
_LOCK_CLASS: Final = 0x52544142
_LOCK_OBJECT: Final = "hashtext(coalesce(current_schema(), ''))"
TRY_LOCK: Final = f"SELECT pg_try_advisory_lock({_LOCK_CLASS}, {_LOCK_OBJECT})"
_TRY_SHARED: Final = f"SELECT pg_try_advisory_lock_shared({_LOCK_CLASS}, {_LOCK_OBJECT})"
WRITE_ALONE: Final = f"pg_advisory_xact_lock({_LOCK_CLASS + 1}, {_LOCK_OBJECT})"
"""Until the end of the transaction no other process of a fleet writes."""
_HOLDER: Final = f"""
    SELECT pid, activity.application_name AS name, state,
    clock_timestamp() - state_change AS since
    FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
    WHERE locktype = 'advisory' AND granted
    AND classid = {_LOCK_CLASS} AND objid::bigint = ({_LOCK_OBJECT}::bigint & 4294967295)
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""  # noqa: S608 (every part of it is a constant of ours)
# Two fleets may live in two schemas of one database.
_SHARDS: Final = "(hashtext(coalesce(current_schema(), '')) # 1381127240)"
_GATEWAYS: Final = "(hashtext(coalesce(current_schema(), '')) # 1381124935)"
_MEMBER: Final = 1
_NUMBERS: Final = 1000
"""A gateway that works with so many shards holds a lock with this plus their number, too."""
_SHARD_HOLDERS: Final = """
    SELECT pid, activity.application_name AS name, state, objid::int AS shard,
    clock_timestamp() - state_change AS since,
    classid::bigint = ((hashtext(coalesce(current_schema(), '')) # 1381124935)::bigint & 4294967295)
    AS member
    FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
    WHERE locktype = 'advisory' AND granted AND classid::bigint IN (
    (hashtext(coalesce(current_schema(), '')) # 1381127240)::bigint & 4294967295,
    (hashtext(coalesce(current_schema(), '')) # 1381124935)::bigint & 4294967295)
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    ORDER BY shard
"""
_BEGIN_TERM: Final = insert(terms).returning(terms.c.id)
_NEWEST_TERM: Final = "SELECT id, process FROM terms ORDER BY id DESC LIMIT 1"
_SIGNATURE: Final = "Roundtable, "
_JOIN: Final = "SELECT worker_id FROM procrastinate_register_worker_v1()"
# As procrastinate_update_heartbeat_v1 does it, but one that comes too late is noticed.
_BEAT: Final = "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = $1 RETURNING id"
_ALONE: Final = "DELETE FROM procrastinate_workers"


class LockWatch:
    """Checks every few seconds that the lock is held, and at once when its connection has ended."""

    def __init__(
        self,
        holding: Holding,
        prove: Callable[[], Awaitable[None]],
        sleep: Sleep = asyncio.sleep,
        now: _Now | None = None,
        beat: Beat = Beat(),  # noqa: B008 (frozen)
    ) -> None:
        self._holding = holding
        self._beat = beat
        self._prove = prove
        self._sleep = sleep
        self._now = now or asyncio.get_running_loop().time
        self._proved = self._now()
        self._holding.trust(beat.lease)
        self._ended = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name="lock watch")

    def connection_ended(self) -> None:
        """The connection that held the lock has ended, which released it."""
        self._holding.lose()
        self._ended.set()

    async def close(self) -> None:
        """Stop watching."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._pause()
            self._ended.clear()
            began = self._now()
            try:
                async with asyncio.timeout(self._beat.patience):
                    await self._prove()
            except UnavailableError as error:
                self._holding.abandon(error)
                return
            except Exception:
                # Busy, restarting or unreachable: each may last, so the lock expires.
                if self._now() - self._proved > self._beat.lease:
                    self._holding.lose()
            else:
                self._proved = began
                self._holding.trust(self._beat.lease - (self._now() - began))
                self._holding.regain()

    async def _pause(self) -> None:
        sleeping = asyncio.ensure_future(
            self._sleep(self._beat.every if self._holding.held else _PAUSE)
        )
        waking = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait({sleeping, waking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sleeping, waking):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task


class ServerLock:
    """The advisory lock, taken on each new writing connection; `name` is shown to people."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._term: int | None = None
        self._own_sessions: set[int] = set()

    def begin_term(self, conn: Connection) -> None:
        """Record that this process holds the database from now on."""
        self._term = conn.execute(_BEGIN_TERM, {"process": signature()}).scalar_one()

    def fence_workers(self, conn: Connection) -> None:
        """Whoever worked here beside others, and was cut off, writes nothing any more."""
        conn.exec_driver_sql(_ALONE)

    async def share(self, connection: "asyncpg.Connection[Any]") -> None:
        """Take the lock together with other workers; raises while one process has it alone."""
        await self._wait_for(connection, _TRY_SHARED)

    async def take(self, connection: "asyncpg.Connection[Any]") -> None:
        """Take the lock; raises UnavailableError if another process has or had it."""
        await self._wait_for(connection, TRY_LOCK)
        if self._term is not None:
            self._require_own(await connection.fetchrow(_NEWEST_TERM))

    async def _wait_for(self, connection: "asyncpg.Connection[Any]", attempt: str) -> None:
        deadline = asyncio.get_running_loop().time() + _LOCK_PATIENCE
        while not await connection.fetchval(attempt):
            if asyncio.get_running_loop().time() > deadline:
                raise self._refused(await connection.fetchrow(_HOLDER))
            await asyncio.sleep(_PAUSE)
        self._own_sessions.add(await server_process(connection))

    def _refused(self, holder: Mapping[str, Any] | None) -> Exception:
        if holder is not None and holder["pid"] in self._own_sessions:
            # Held by our own broken connection, whose end the server has not noticed yet.
            return ConnectionError()
        process = process_name(str(holder["name"] or "")) if holder else StoreText.ANOTHER_PROCESS
        return InUseError(StoreText.in_use(self._name, process, StoreText.OTHER_DATABASE))

    def _require_own(self, newest: Mapping[str, Any] | None) -> None:
        """Raise if another process has held the database: it may have done what this one plans."""
        if newest is None or newest["id"] != self._term:
            process = process_name(newest["process"]) if newest else StoreText.ANOTHER_PROCESS
            raise UnavailableError(StoreText.taken_over(self._name, process))


class Pulse:
    """The signs of life of a worker beside others, on a connection that waits for nobody's writes.

    Its lock keeps out a process that wants the database alone. The worker's row in the queue is
    what the others give up when the signs stop.
    """

    def __init__(
        self,
        lock: ServerLock,
        connect: "Callable[[], Awaitable[asyncpg.Connection[Any]]]",
        ended: Callable[[object], None],
    ) -> None:
        self._lock, self._connect, self._ended = lock, connect, ended
        self._connection: asyncpg.Connection[Any] | None = None
        self.number: int | None = None
        """The worker's number in the queue, once it has one."""

    async def open(self) -> None:
        """Connect and share the lock; raises while one process has the database alone."""
        if self._connection is not None and not self._connection.is_closed():
            return
        connection = await self._connect()
        try:
            await self._lock.share(connection)
        except BaseException:
            await connection.close(timeout=_PAUSE)
            raise
        connection.add_termination_listener(self._ended)
        self._connection = connection

    def join(self, conn: Connection) -> None:
        """Become one of the queue's workers."""
        self.number = conn.exec_driver_sql(_JOIN).scalar_one()
        conn.execute(insert(workers), {"id": self.number, "process": signature()})

    async def beat(self) -> None:
        """Give a sign of life; raises UnavailableError when the others gave this worker up."""
        await self.open()
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            counts = await connection.fetchval(_BEAT, self.number)
        except BaseException:
            connection.terminate()  # a broken line may stay silent for minutes
            raise
        self._connection = connection
        if counts is None:
            raise UnavailableError(StoreText.FENCED)

    async def close(self) -> None:
        """Let a process have the database alone."""
        if self._connection is not None:
            with suppress(Exception):  # whatever is wrong with it ends with the process
                await self._connection.close(timeout=_PAUSE * 10)


async def server_process(connection: "asyncpg.Connection[Any]") -> int:
    """The server's process that serves this connection; what a pooler told it is another number."""
    number: int = await connection.fetchval("SELECT pg_backend_pid()")
    return number


async def lock_holder(
    connection: "asyncpg.Connection[Any]",
) -> str | None:
    """A process that holds the lock, alone or with others."""
    holder = await connection.fetchrow(_HOLDER)
    if holder is None:
        return None
    return process_name(str(holder["name"] or ""))


def _is_silent(holder: Mapping[str, Any]) -> bool:
    """Whether a connection asked nothing for so long that its process must be stopped or gone."""
    since: timedelta | None = holder["since"]
    idle = str(holder["state"] or "").startswith("idle")
    return idle and since is not None and since.total_seconds() > _SILENCE_SECONDS


async def _cut_off(connection: "asyncpg.Connection[Any]", pid: int) -> None:
    """End the connection of a process that holds a lock and gives no sign."""
    _log.warning("a silent holder of a lock is cut off (connection %s)", pid)
    await connection.execute("SELECT pg_terminate_backend($1)", pid)


class ShardLocks:
    """One lock for each shard, held by the connection of the gateway that serves it."""

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection

    async def join(self, count: int) -> None:
        """Be counted among the gateways with so many shards for as long as the connection lasts."""
        for number in (_MEMBER, _NUMBERS + count):
            await self._connection.execute(f"SELECT pg_advisory_lock_shared({_GATEWAYS}, {number})")

    async def in_step(self, count: int) -> bool:
        """Whether no gateway serves shards of another number of them."""
        serving: set[int] = set()
        joined: set[int] = set()
        for row in await self._connection.fetch(_SHARD_HOLDERS):
            if not row["member"]:
                serving.add(row["pid"])
            elif row["shard"] == _NUMBERS + count:
                joined.add(row["pid"])
        return serving <= joined

    async def leave(self) -> None:
        """Give every lock back."""
        await self._connection.execute("SELECT pg_advisory_unlock_all()")

    async def claim(self, shard: int) -> bool:
        """Take a shard, unless another gateway has it."""
        taken: bool = await self._connection.fetchval(
            f"SELECT pg_try_advisory_lock({_SHARDS}, $1)", shard
        )
        return taken

    async def give_back(self, shard: int) -> None:
        """Let another gateway have a shard."""
        await self._connection.execute(f"SELECT pg_advisory_unlock({_SHARDS}, $1)", shard)

    async def gateways(self, *, cut_off_silent: bool = True) -> list[tuple[str, list[int]]]:
        """The process and the shards of every gateway; one that gives no sign is cut off."""
        found: dict[int, tuple[str, list[int]]] = {}
        silent: set[int] = set()
        for row in await self._connection.fetch(_SHARD_HOLDERS):
            own = row["pid"] == self._connection.get_server_pid()
            if cut_off_silent and not own and _is_silent(row):
                silent.add(row["pid"])
                continue
            _, shards = found.setdefault(row["pid"], (process_name(str(row["name"] or "")), []))
            if not row["member"]:
                shards.append(row["shard"])
        for process in silent:
            await _cut_off(self._connection, process)
        return list(found.values())


def signature() -> str:
    """The name of this process in the server's list of connections (at most 63 bytes)."""
    text = f"{_SIGNATURE}{StoreText.process_on(os.getpid(), socket.gethostname())}"
    return text.encode("ascii", "replace").decode()[:63]


def process_name(name: str) -> str:
    """What people are told a process is called."""
    return name.removeprefix(_SIGNATURE) or StoreText.ANOTHER_PROCESS
