"""What is true of SQLite alone: connections, settings, triggers, the meaning of its errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, Table
from sqlalchemy.exc import DBAPIError

from bot.errors import UnavailableError
from bot.store.line import Line, LinePool

READERS: Final = 4
_LOST_SAVEPOINT: Final = "no such savepoint"
_OLDEST_WITH_STRICT: Final = (3, 37, 0)
_SETTINGS: Final = (
    "PRAGMA busy_timeout=5000",
    "PRAGMA synchronous=FULL",
    "PRAGMA foreign_keys=ON",
    "PRAGMA trusted_schema=OFF",
    "PRAGMA temp_store=MEMORY",
)
_WRITER_SETTINGS: Final = (
    "PRAGMA journal_mode=WAL",
    *_SETTINGS,
    f"PRAGMA journal_size_limit={64 * 1024 * 1024}",
    # Without it INSERT OR REPLACE would delete events behind the back of their trigger.
    "PRAGMA recursive_triggers=ON",
)
# Two connections that checkpoint at once can corrupt the WAL of SQLite before 3.51.3.
_READER_SETTINGS: Final = (*_SETTINGS, "PRAGMA wal_autocheckpoint=0", "PRAGMA query_only=ON")


def writer_line(path: Path) -> Line:
    """The one connection that writes."""
    return Line(path, _WRITER_SETTINGS, "BEGIN IMMEDIATE")


def reader_lines(path: Path) -> LinePool:
    """The connections that only read, each read on one snapshot."""
    return LinePool(READERS, lambda: Line(path, _READER_SETTINGS, "BEGIN"))


def require_recent_library() -> None:
    """Refuse a SQLite library that does not know STRICT tables."""
    if sqlite3.sqlite_version_info < _OLDEST_WITH_STRICT:
        raise UnavailableError(
            f"Roundtable needs SQLite 3.37 or newer and found {sqlite3.sqlite_version}:"
            " install a newer Python."
        )


def require_healthy(conn: Connection, path: Path) -> None:
    """Refuse a damaged file, and a disk that cannot hold a write-ahead log."""
    findings = conn.exec_driver_sql("PRAGMA quick_check(1)").scalars().all()
    if findings != ["ok"]:
        raise damaged(path)
    if conn.exec_driver_sql("PRAGMA journal_mode").scalar_one() != "wal":
        raise UnavailableError(
            f"The disk of {path} cannot hold a write-ahead log: set ROUNDTABLE_HOME to a folder"
            " on a local disk."
        )


def damaged(path: Path) -> UnavailableError:
    """What to say about a file that is no sound database."""
    return UnavailableError(
        f"{path} is damaged: move it away together with its -wal and -shm files, then put a"
        " backup in its place or start again with an empty store."
    )


def forbid_changes(conn: Connection, table: Table) -> None:
    """Make a table append-only by triggers that abort every UPDATE and DELETE."""
    for verb in ("UPDATE", "DELETE"):
        conn.exec_driver_sql(
            f"CREATE TRIGGER {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
            f"BEGIN SELECT RAISE(ABORT, '{table.name} is append-only'); END"
        )


def explain(error: Exception, path: Path) -> Exception:
    """The sentence for a person when the disk or the file is the cause, else the error itself."""
    original = _root(error)
    code = getattr(original, "sqlite_errorcode", None)
    sentence = None if code is None else _sentence(code & 0xFF, path)
    if sentence is None:
        return error
    sentence.__cause__ = error
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


@contextmanager
def explaining(path: Path) -> Iterator[None]:
    """Turn errors of the disk or the file into sentences for a person."""
    try:
        yield
    except Exception as error:
        explained = explain(error, path)
        if explained is error:
            raise
        raise explained from error


def _sentence(code: int, path: Path) -> UnavailableError | None:
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return damaged(path)
    text = _SENTENCES.get(code)
    return None if text is None else UnavailableError(text.format(path=path))


_SENTENCES: Final = {
    sqlite3.SQLITE_FULL: "The disk of {path} is full: free some space, then try again.",
    sqlite3.SQLITE_READONLY: (
        "{path} is read-only: give Roundtable the right to write it, then try again."
    ),
    sqlite3.SQLITE_IOERR: (
        "The disk of {path} reported an error: check the disk and its free space, then try again."
    ),
    sqlite3.SQLITE_CANTOPEN: (
        "{path} cannot be opened: check that its folder exists and can be written."
    ),
    sqlite3.SQLITE_BUSY: (
        "{path} is locked by another program: close whatever has it open, then try again."
    ),
}
