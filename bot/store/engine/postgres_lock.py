"""The lock on a Postgres database: one process at a time, and a loss is always noticed."""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, insert

from bot.errors import UnavailableError
from bot.messages.operations import StoreText
from bot.store.engine.locks import Holding
from bot.store.tables import terms
from bot.types.timing import Sleep

if TYPE_CHECKING:
    import asyncpg


_CHECK_SECONDS: Final = 5.0
_LEASE_SECONDS: Final = 15.0
"""Without an answer for so long the lock counts as lost.

The server may have given it to another process; it notices a vanished client after 35 s at the
earliest.
"""
_PAUSE: Final = 0.1

_Now = Callable[[], float]
_LOCK_PATIENCE: Final = 2.0
"""A killed process keeps the lock until the server has noticed its end."""
_LOCK_CLASS: Final = 0x52544142
_LOCK_OBJECT: Final = "hashtext(coalesce(current_schema(), ''))"
TRY_LOCK: Final = f"SELECT pg_try_advisory_lock({_LOCK_CLASS}, {_LOCK_OBJECT})"
_HOLDER: Final = f"""
    SELECT pid, activity.application_name AS name
    FROM pg_locks JOIN pg_stat_activity AS activity USING (pid)
    WHERE locktype = 'advisory' AND granted
    AND classid = {_LOCK_CLASS} AND objid::bigint = ({_LOCK_OBJECT}::bigint & 4294967295)
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""  # noqa: S608 (every part of it is a constant of ours)
_BEGIN_TERM: Final = insert(terms).returning(terms.c.id)
_NEWEST_TERM: Final = "SELECT id, process FROM terms ORDER BY id DESC LIMIT 1"
_SIGNATURE: Final = "Roundtable, "


class LockWatch:
    """Checks every few seconds that the lock is held, and at once when its connection has ended."""

    def __init__(
        self,
        holding: Holding,
        prove: Callable[[], Awaitable[None]],
        sleep: Sleep = asyncio.sleep,
        now: _Now | None = None,
    ) -> None:
        self._holding = holding
        self._prove = prove
        self._sleep = sleep
        self._now = now or asyncio.get_running_loop().time
        self._proved = self._now()
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
            try:
                async with asyncio.timeout(_CHECK_SECONDS):
                    await self._prove()
            except UnavailableError as error:
                self._holding.abandon(error)
                return
            except Exception:
                # Busy, restarting or unreachable: each may last, so the lock expires.
                if self._now() - self._proved > _LEASE_SECONDS:
                    self._holding.lose()
            else:
                self._proved = self._now()
                self._holding.regain()

    async def _pause(self) -> None:
        sleeping = asyncio.ensure_future(
            self._sleep(_CHECK_SECONDS if self._holding.held else _PAUSE)
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

    async def take(self, connection: "asyncpg.Connection[Any]") -> None:
        """Take the lock; raises UnavailableError if another process has or had it."""
        deadline = asyncio.get_running_loop().time() + _LOCK_PATIENCE
        while not await connection.fetchval(TRY_LOCK):
            if asyncio.get_running_loop().time() > deadline:
                raise self._refused(await connection.fetchrow(_HOLDER))
            await asyncio.sleep(_PAUSE)
        self._own_sessions.add(await server_process(connection))
        if self._term is not None:
            self._require_own(await connection.fetchrow(_NEWEST_TERM))

    def _refused(self, holder: Mapping[str, Any] | None) -> Exception:
        if holder is not None and holder["pid"] in self._own_sessions:
            # Held by our own broken connection, whose end the server has not noticed yet.
            return ConnectionError()
        process = _process(str(holder["name"] or "")) if holder else StoreText.ANOTHER_PROCESS
        return UnavailableError(StoreText.in_use(self._name, process, StoreText.OTHER_DATABASE))

    def _require_own(self, newest: Mapping[str, Any] | None) -> None:
        """Raise if another process has held the database: it may have done what this one plans."""
        if newest is None or newest["id"] != self._term:
            process = _process(newest["process"]) if newest else StoreText.ANOTHER_PROCESS
            raise UnavailableError(StoreText.taken_over(self._name, process))


async def server_process(connection: "asyncpg.Connection[Any]") -> int:
    """The server's process that serves this connection; what a pooler told it is another number."""
    number: int = await connection.fetchval("SELECT pg_backend_pid()")
    return number


def signature() -> str:
    """The name of this process in the server's list of connections (at most 63 bytes)."""
    text = f"{_SIGNATURE}{StoreText.process_on(os.getpid(), socket.gethostname())}"
    return text.encode("ascii", "replace").decode()[:63]


def _process(name: str) -> str:
    return name.removeprefix(_SIGNATURE) or StoreText.ANOTHER_PROCESS
