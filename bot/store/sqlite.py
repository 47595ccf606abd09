"""What is true of SQLite alone: connections, settings, triggers, the meaning of its errors."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import Connection, Table
from sqlalchemy.exc import DBAPIError

from bot.errors import UnavailableError
from bot.files.private import keep_private, make_file, make_folder
from bot.store.backend import SharedFateError
from bot.store.holding import Holding
from bot.store.line import LOCK_SECONDS, BusyError, Line, LinePool
from bot.store.process_lock import ProcessLock
from bot.words import store as words

T = TypeVar("T")

PATIENCE: Final = 10.0
ELSEWHERE: Final = words.OTHER_FOLDER
READERS: Final = 4
_LOST_SAVEPOINT: Final = "no such savepoint"
_OLDEST_WITH_STRICT: Final = (3, 37, 0)
_SETTINGS: Final = (
    f"PRAGMA busy_timeout={round(LOCK_SECONDS * 1000)}",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA temp_store=MEMORY",
)
WRITER_SETTINGS: Final = (
    "PRAGMA journal_mode=WAL",
    *_SETTINGS,
    f"PRAGMA journal_size_limit={64 * 1024 * 1024}",
    # Without it INSERT OR REPLACE would delete events behind the back of their trigger.
    "PRAGMA recursive_triggers=ON",
)
# Two connections that checkpoint at once can corrupt the WAL of SQLite before 3.51.3.
_READER_SETTINGS: Final = (*_SETTINGS, "PRAGMA wal_autocheckpoint=0", "PRAGMA query_only=ON")


class SqliteBackend:
    """One file, one process, one connection that writes, a few that read.

    What is brief is done in the caller's thread: a few rows take less time than a trip to another
    thread, and with many runs at once the threads took the interpreter from each other at every
    statement. Only the disk is waited for in a thread.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._name = str(path)
        # The system keeps the lock of a file for as long as the process lives.
        self.holding = Holding()
        self._lock: ProcessLock | None = None
        self._line = Line(path, WRITER_SETTINGS, "BEGIN IMMEDIATE")
        self._readers = LinePool(READERS, self._reader)
        self._near = self._reader()
        self.engine = self._line.engine

    def _reader(self) -> Line:
        return Line(self._path, _READER_SETTINGS, "BEGIN")

    async def open(self, prepare: Callable[[Connection], None]) -> None:
        """Take the lock file, connect, and refuse a file that cannot be trusted."""
        require_recent_library()

        def work(conn: Connection) -> None:
            require_healthy(conn, self._path)
            prepare(conn)

        async with AsyncExitStack() as undo:
            self._lock = _lock(self._path)
            undo.callback(self._lock.release)
            _keep_private(self._path)
            await self._line.open()
            undo.push_async_callback(self._line.close)
            await self.transact(work)
            await self._near.open()
            undo.pop_all()
        # Where the file lies is for whoever starts the bot; people who use it are not told.
        self._name = words.OUR_DATABASE

    def begin_term(self, conn: Connection) -> None:
        """The lock of a file cannot be lost, so nobody has to be told."""

    async def transact(self, work: Callable[[Connection], T], *, brief: bool = False) -> T:
        """Run the closure in the one writing transaction."""
        if brief:
            with suppress(BusyError):
                return await self._transact_here(work)

        def whole(conn: Connection) -> T:
            try:
                transaction = conn.begin()
            except DBAPIError as error:
                # Nothing ran yet, so nobody is to be tried alone: each would wait as long in vain.
                raise SharedFateError(error) from error
            with transaction:
                return work(conn)

        return await self._line.run(whole)

    async def _transact_here(self, work: Callable[[Connection], T]) -> T:
        try:
            self._line.begin_here()
        except DBAPIError as error:
            raise SharedFateError(error) from error
        try:
            result = work(self._line.connection)
        except BaseException:
            self._line.give_up()
            raise
        await self._line.settle()
        return result

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run the closure on a free connection that cannot write."""
        return await self._readers.run(work)

    async def glance(self, work: Callable[[Connection], T]) -> T:
        """Run a brief closure on a connection that cannot write."""
        with suppress(BusyError):
            return self._near.here(work)
        return await self.read(work)

    async def close(self) -> None:
        """Close every connection in time and release the file."""
        try:
            # The writer goes last: whoever closes last checkpoints, and readers must not.
            await _in_time(self._readers.close())
            await _in_time(self._near.close())
            await _in_time(self._line.close())
        finally:
            if self._lock is not None:
                self._lock.release()

    def explain(self, error: Exception) -> Exception:
        """The sentence for a person when the disk or the file is the cause."""
        return explain(error, self._name)


def require_recent_library() -> None:
    """Refuse a SQLite library that does not know STRICT tables."""
    if sqlite3.sqlite_version_info < _OLDEST_WITH_STRICT:
        raise UnavailableError(words.old_sqlite(sqlite3.sqlite_version))


def require_healthy(conn: Connection, path: Path) -> None:
    """Refuse a damaged file, and a disk that cannot hold a write-ahead log."""
    findings = conn.exec_driver_sql("PRAGMA quick_check(1)").scalars().all()
    if findings != ["ok"]:
        raise damaged(path)
    if conn.exec_driver_sql("PRAGMA journal_mode").scalar_one() != "wal":
        raise UnavailableError(words.no_write_ahead_log(str(path)))


def damaged(path: Path) -> UnavailableError:
    """What to say about a file that is no sound database."""
    return UnavailableError(words.file_damaged(str(path)))


def forbid_changes(conn: Connection, table: Table) -> None:
    """Make a table append-only by triggers that abort every UPDATE and DELETE."""
    for verb in ("UPDATE", "DELETE"):
        conn.exec_driver_sql(
            f"CREATE TRIGGER {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
            f"BEGIN SELECT RAISE(ABORT, '{table.name} is append-only'); END"
        )


def explain(error: Exception, name: str) -> Exception:
    """The sentence for a person when the disk or the file is the cause, else the error itself."""
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

    A full disk makes SQLite give up the transaction with its savepoints, so that rolling back to
    one fails, too, and hides what came first.
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
        raise UnavailableError(words.no_folder(str(path.parent), error.strerror)) from error
    return ProcessLock.acquire(path)


def _keep_private(path: Path) -> None:
    """What SQLite makes beside a database has the mode of the database."""
    # Whatever is wrong with the file is explained when it is opened.
    with suppress(OSError):
        make_file(path)
    keep_private(*(path.with_name(path.name + end) for end in ("-wal", "-shm", "-journal")))


async def _in_time(closing: Awaitable[None]) -> None:
    # A connection that does not close in time dies with its daemon thread.
    with suppress(TimeoutError):
        await asyncio.wait_for(closing, PATIENCE)


def _sentence(code: int, name: str) -> UnavailableError | None:
    said = _SENTENCES.get(code)
    return None if said is None else UnavailableError(said(name))


_SENTENCES: Final = {
    sqlite3.SQLITE_CORRUPT: words.file_damaged,
    sqlite3.SQLITE_NOTADB: words.file_damaged,
    sqlite3.SQLITE_FULL: words.disk_full,
    sqlite3.SQLITE_READONLY: words.file_read_only,
    sqlite3.SQLITE_IOERR: words.file_disk_error,
    sqlite3.SQLITE_CANTOPEN: words.file_not_opened,
    sqlite3.SQLITE_BUSY: words.file_locked,
}
