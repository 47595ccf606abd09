"""A line to the database: one connection that runs whole closures, most in a thread of its own."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from bot.store.prepared import SqliteConnection

PATIENCE = 5.0
LOCK_SECONDS = 5.0
"""How long a thread of a line waits for another program that holds a lock; nobody else does."""
T = TypeVar("T")


class Line(aiosqlite.Connection):
    """An aiosqlite connection on which SQLAlchemy works inside the connection's own thread.

    One trip to the thread carries a whole transaction. SQLAlchemy's own async engine makes a trip
    for every statement, which cost most of the time of a run. What is brief can be done without a
    trip, in the caller's thread, as long as nobody else uses the line meanwhile.
    """

    def __init__(self, path: Path, settings: Sequence[str], begin: str) -> None:
        def connect() -> sqlite3.Connection:
            # The driver begins nothing by itself, so that DDL and savepoints are transactional.
            made = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            try:
                for setting in settings:
                    made.execute(setting).close()
            except BaseException:
                made.close()
                raise
            return made

        super().__init__(connect, iter_chunk_size=64)
        # A connection that does not close in time must not keep the process alive.
        self._thread.daemon = True
        self._begin = begin
        self.engine = self._engine()
        self._held: SqliteConnection | None = None
        self._waits = True
        self.lock_seconds = LOCK_SECONDS

    async def open(self) -> None:
        """Connect; a file that cannot be opened leaves no thread behind."""
        try:
            await self
        except BaseException:
            await asyncio.to_thread(self._thread.join, PATIENCE)
            raise

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run the closure in the connection's thread and return its result."""
        result: T = await self._execute(self._within, work)  # type: ignore[no-untyped-call]
        return result

    def here(self, work: Callable[[Connection], T]) -> T:
        """Run a brief closure that only reads in the caller's thread; raises BusyError."""
        self._wait_for_locks(False)
        try:
            return self._finished(work)
        except DBAPIError as error:
            _raise_if_busy(error)
            raise

    def begin_here(self) -> None:
        """Begin a transaction in the caller's thread; raises BusyError instead of waiting."""
        self._wait_for_locks(False)
        try:
            self.connection.start()
        except DBAPIError as error:
            _raise_if_busy(error)
            raise

    async def settle(self) -> None:
        """Commit in the connection's thread, because a disk takes its time."""
        await self._execute(self._commit)  # type: ignore[no-untyped-call]

    def give_up(self) -> None:
        """Roll back what was begun in the caller's thread."""
        self._leave_nothing_open()

    @property
    def connection(self) -> SqliteConnection:
        """The connection as closures get it."""
        self._held = self._held or SqliteConnection(self.engine, self._begin)
        return self._held

    def _wait_for_locks(self, waits: bool) -> None:
        """Wait for other programs that hold a lock only where nobody is kept from working."""
        if waits is not self._waits:
            milliseconds = round(self.lock_seconds * 1000) if waits else 0
            self._conn.execute(f"PRAGMA busy_timeout={milliseconds}").close()
            self._waits = waits

    def _within(self, work: Callable[[Connection], T]) -> T:
        self._wait_for_locks(True)
        return self._finished(work)

    def _finished(self, work: Callable[[Connection], T]) -> T:
        try:
            return work(self.connection)
        finally:
            self._leave_nothing_open()

    def _commit(self) -> None:
        try:
            self.connection.finish()
        finally:
            self._leave_nothing_open()

    def _leave_nothing_open(self) -> None:
        """End what a closure left open, such as a snapshot to read from, or a failed commit."""
        conn = self.connection
        if conn.in_transaction():
            conn.rollback()
        if conn.driver.in_transaction:
            conn.driver.rollback()

    def _engine(self) -> Engine:
        engine = create_engine(
            "sqlite://",
            creator=lambda: self._conn,
            poolclass=StaticPool,
            # What people wrote must not reach a log.
            hide_parameters=True,
        )
        begin = self._begin

        def start(connection: Any) -> None:
            if not connection.in_transaction:
                connection.execute(begin)

        # Not by an event: a single listener makes SQLAlchemy look for others at every statement.
        engine.dialect.do_begin = start  # type: ignore[assignment,method-assign]
        return engine


class BusyError(Exception):
    """Another program holds a lock, and nobody has waited for it yet."""


def _raise_if_busy(error: DBAPIError) -> None:
    code = getattr(error.orig, "sqlite_errorcode", 0)
    if code & 0xFF == sqlite3.SQLITE_BUSY:
        raise BusyError from error


class LinePool:
    """A few lines that are opened when they are needed and lent out one at a time."""

    def __init__(self, size: int, make: Callable[[], Line]) -> None:
        self._make = make
        self._lent = asyncio.Semaphore(size)
        self._free: list[Line] = []
        self._lines: list[Line] = []

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run the closure on a free line, or on a new one as long as there are few."""
        async with self._lent:
            line = self._free.pop() if self._free else await self._open()
            try:
                return await line.run(work)
            finally:
                self._free.append(line)

    async def close(self) -> None:
        """Close every line that was opened."""
        for line in self._lines:
            await line.close()

    async def _open(self) -> Line:
        line = self._make()
        await line.open()
        self._lines.append(line)
        return line
