"""A consistent copy of the database, also while the bot is writing to it."""

import asyncio
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiosqlite

from bot.errors import UnavailableError
from bot.messages.store import BackupText

_PAGES_AT_ONCE = 512


def back_up(database: Path | str, target: Path | None = None) -> Path:
    """Copy the database to `target`, or beside it under today's date; never over a file."""
    if isinstance(database, str):
        raise UnavailableError(BackupText.IN_POSTGRES)
    if not database.is_file():
        raise UnavailableError(BackupText.no_database(str(database)))
    goal = target or _dated(database)
    if goal.exists():
        raise UnavailableError(BackupText.exists_already(str(goal)))
    with _explained(goal), _written_whole(goal) as unfinished:
        asyncio.run(_copy(f"{database.absolute().as_uri()}?mode=ro", unfinished))
    return goal


def _dated(database: Path) -> Path:
    stamp = time.strftime("%Y-%m-%d-%H%M%S", time.gmtime())
    return database.with_name(f"{database.stem}-{stamp}.backup.db")


@contextmanager
def _explained(goal: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise UnavailableError(BackupText.not_written(str(goal), str(error))) from error


@contextmanager
def _written_whole(goal: Path) -> Iterator[Path]:
    """A file that gets its name only when it is complete and on the disk."""
    unfinished = goal.with_name(f".{goal.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        # Nobody else may read what people wrote.
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield unfinished
        with unfinished.open("rb") as file:
            os.fsync(file.fileno())
        unfinished.rename(goal)
    finally:
        unfinished.unlink(missing_ok=True)


async def _copy(source_uri: str, unfinished: Path) -> None:
    """Copy a snapshot of the database and check what was written."""
    async with (
        aiosqlite.connect(source_uri, uri=True) as source,
        aiosqlite.connect(unfinished) as copy,
    ):
        # One read transaction holds the snapshot, so that a busy writer never starts it over.
        await source.execute("BEGIN")
        await source.execute_fetchall("SELECT count(*) FROM sqlite_schema")
        await source.backup(copy, pages=_PAGES_AT_ONCE)
        await copy.execute("PRAGMA journal_mode = DELETE")
    async with aiosqlite.connect(unfinished) as copy:
        ((found,),) = await copy.execute_fetchall("PRAGMA integrity_check(1)")
    if found != "ok":
        raise sqlite3.DatabaseError(BackupText.damaged(found))
