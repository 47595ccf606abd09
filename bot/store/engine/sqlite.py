"""The SQLite backend: connections, settings, triggers and error messages."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final, TypeVar, cast

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from bot.errors import UnavailableError
from bot.files.private import keep_private, make_file, make_folder
from bot.messages.store import StoreText
from bot.store.engine.backend import Result, SharedFateError
from bot.store.engine.locks import Holding, ProcessLock

_T = TypeVar("_T")

_PATIENCE: Final = 10.0
ELSEWHERE: Final = StoreText.OTHER_FOLDER
_READERS: Final = 4
_LOCK_SECONDS: Final = 5.0
"""How long to wait for another program that holds the file."""
_LOST_SAVEPOINT: Final = "no such savepoint"
_OLDEST_WITH_STRICT: Final = (3, 37, 0)
_SETTINGS: Final = (
    f"PRAGMA busy_timeout={round(_LOCK_SECONDS * 1000)}",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA temp_store=MEMORY",
)
WRITER_SETTINGS: Final = (
    "PRAGMA journal_mode=WAL",
    *_SETTINGS,
    f"PRAGMA journal_size_limit={64 * 1024 * 1024}",
    # Without it INSERT OR REPLACE would delete events without firing their trigger.
    "PRAGMA recursive_triggers=ON",
)
# Two connections that checkpoint at once can corrupt the WAL of SQLite before 3.51.3.
_READER_SETTINGS: Final = (*_SETTINGS, "PRAGMA wal_autocheckpoint=0", "PRAGMA query_only=ON")
_SENTENCES: Final = {
    sqlite3.SQLITE_CORRUPT: StoreText.file_damaged,
    sqlite3.SQLITE_NOTADB: StoreText.file_damaged,
    sqlite3.SQLITE_FULL: StoreText.disk_full,
    sqlite3.SQLITE_READONLY: StoreText.file_read_only,
    sqlite3.SQLITE_IOERR: StoreText.file_disk_error,
    sqlite3.SQLITE_CANTOPEN: StoreText.file_not_opened,
    sqlite3.SQLITE_BUSY: StoreText.file_locked,
}


class SqliteBackend:
    """One file, one process, one connection that writes, a few that read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)
        # The operating system keeps the lock for as long as the process lives.
        self.holding = Holding()
        self.member: int | None = None
        self._lock: ProcessLock | None = None
        self._writer = _Connections(path, WRITER_SETTINGS, "BEGIN IMMEDIATE", 1)
        self._readers = _Connections(path, _READER_SETTINGS, "BEGIN", _READERS)
        self._reader = _QuickReader(path)
        self.engine = self._writer.engine

    async def open(self, prepare: Callable[[Connection], None]) -> None:
        """Take the lock file, connect, and raise if the file is damaged."""
        _require_recent_library()

        def work(conn: Connection) -> None:
            _require_healthy(conn, self._path)
            prepare(conn)

        async with AsyncExitStack() as undo:
            self._lock = _lock(self._path)
            undo.push_async_callback(self.close)
            _keep_private(self._path)
            await self.transact(work)
            undo.pop_all()
        # Only the operator may see the file's path.
        self._name = StoreText.OUR_DATABASE

    def begin_term(self, conn: Connection) -> None:
        """Nothing to record: the lock on a file cannot be lost."""

    async def transact(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure in a transaction of the only writing connection."""
        return await self._writer.run(lambda conn: _transact(conn, work))

    def read_at_once(self, work: Callable[[Connection], _T]) -> Result[_T] | None:
        """Run the closure in this thread, unless another program holds the file."""
        return self._reader.run(work)

    async def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure in a thread, on a snapshot of a read-only connection."""
        return await self._readers.run(work)

    async def close(self) -> None:
        """Close every connection and release the file."""
        try:
            # The writer goes last: the last connection to close checkpoints, and readers must not.
            self._reader.close()
            await self._readers.close()
            await self._writer.close()
        finally:
            if self._lock is not None:
                self._lock.release()

    def explain(self, error: Exception) -> Exception:
        """The error to show people when the disk or the file is the cause."""
        return explain(error, self._name)


class _Connections:
    """A pool of connections with one thread each; a closure runs on one of them.

    One trip to a thread carries a whole transaction; SQLAlchemy's async engine makes several for
    every statement (docs/decisions/34-sqlite-thread.md).
    """

    def __init__(self, path: Path, settings: Sequence[str], begin: str, size: int) -> None:
        self.engine = _engine(path, settings, size)
        self._threads = ThreadPoolExecutor(size, "store")
        event.listen(self.engine, "begin", lambda conn: conn.exec_driver_sql(begin))

    async def run(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure in a thread, on a connection of its own."""

        def whole() -> _T:
            with self.engine.connect() as conn:
                return work(conn)

        return await asyncio.get_running_loop().run_in_executor(self._threads, whole)

    async def close(self) -> None:
        """Close the connections when their threads are idle, after a few seconds at the latest."""
        loop = asyncio.get_running_loop()
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await loop.run_in_executor(self._threads, self.engine.dispose)
        self._threads.shutdown(wait=False)


class _QuickReader:
    """One connection that reads in the thread of the event loop, and never waits.

    Most reads take less than a trip to a thread costs (docs/decisions/46-reads-in-place.md). A
    write-ahead log lets them pass every writer.
    """

    def __init__(self, path: Path) -> None:
        self._engine = _engine(path, (*_READER_SETTINGS, "PRAGMA busy_timeout=0"), 1)
        self._conn: Connection | None = None

    def run(self, work: Callable[[Connection], _T]) -> Result[_T] | None:
        """Run the closure on a snapshot; None when another program holds the file."""
        try:
            if self._conn is None:
                self._conn = self._engine.connect()
            # SQLAlchemy's own way to begin takes longer than most closures.
            driver = cast("sqlite3.Connection", self._conn.connection.driver_connection)
            driver.execute("BEGIN")
            try:
                return Result(work(self._conn))
            finally:
                driver.rollback()
        except (sqlite3.Error, DBAPIError) as error:
            if getattr(_root(error), "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                return None
            raise

    def close(self) -> None:
        """Close the connection."""
        if self._conn is not None:
            self._conn.close()
        self._engine.dispose()


def _engine(path: Path, settings: Sequence[str], size: int) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        # Transactions are begun explicitly, so that DDL and savepoints are transactional.
        connect_args={"isolation_level": None},
        pool_size=size,
        max_overflow=0,
        # Errors must not carry people's text into a log.
        hide_parameters=True,
    )

    def prepare(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for setting in settings:
            cursor.execute(setting)
        cursor.close()

    event.listen(engine, "connect", prepare)
    return engine


def _transact(conn: Connection, work: Callable[[Connection], _T]) -> _T:
    try:
        transaction = conn.begin()
    except DBAPIError as error:
        # No closure ran, and running each alone would only wait just as long.
        raise SharedFateError(error) from error
    with transaction:
        return work(conn)


def _require_recent_library() -> None:
    """Raise if the SQLite library does not know STRICT tables."""
    if sqlite3.sqlite_version_info < _OLDEST_WITH_STRICT:
        raise UnavailableError(StoreText.old_sqlite(sqlite3.sqlite_version))


def _require_healthy(conn: Connection, path: Path) -> None:
    """Raise if the file is damaged or the disk cannot hold a write-ahead log."""
    findings = conn.exec_driver_sql("PRAGMA quick_check(1)").scalars().all()
    if findings != ["ok"]:
        raise damaged(path)
    if conn.exec_driver_sql("PRAGMA journal_mode").scalar_one() != "wal":
        raise UnavailableError(StoreText.no_write_ahead_log(str(path)))


def damaged(path: Path) -> UnavailableError:
    """The error for a file that is not a sound database."""
    return UnavailableError(StoreText.file_damaged(str(path)))


def forbid_changes(conn: Connection, table: Table) -> None:
    """Make a table append-only by triggers that abort every UPDATE and DELETE."""
    for verb in ("UPDATE", "DELETE"):
        conn.exec_driver_sql(
            f"CREATE TRIGGER {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
            f"BEGIN SELECT RAISE(ABORT, '{table.name} is append-only'); END"
        )


def create_queue(conn: Connection) -> None:
    """Nothing: one process works on a file."""


def explain(error: Exception, name: str) -> Exception:
    """The error to show people when the disk or the file is the cause, else the error itself."""
    cause = error.cause if isinstance(error, SharedFateError) else error
    original = _root(cause)
    code = getattr(original, "sqlite_errorcode", None)
    sentence = None if code is None else _sentence(code & 0xFF, name)
    if sentence is None:
        return cause
    sentence.__cause__ = cause
    return sentence


def _root(error: BaseException) -> BaseException:
    """The driver's own error.

    On a full disk SQLite rolls back the transaction with its savepoints, so that rolling back to
    one fails, too, and hides the first error.
    """
    original = error.orig if isinstance(error, DBAPIError) and error.orig else error
    before = original.__context__
    if before is None or not str(original).startswith(_LOST_SAVEPOINT):
        return original
    return _root(before)


def _lock(path: Path) -> ProcessLock:
    try:
        make_folder(path.parent)
    except OSError as error:
        raise UnavailableError(StoreText.no_folder(str(path.parent), error.strerror)) from error
    return ProcessLock.acquire(path)


def _keep_private(path: Path) -> None:
    """Make the database private; SQLite gives its journal files the same mode."""
    # Problems with the file are reported when it is opened.
    with suppress(OSError):
        make_file(path)
    keep_private(*(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")))


def _sentence(code: int, name: str) -> UnavailableError | None:
    said = _SENTENCES.get(code)
    return None if said is None else UnavailableError(said(name))
