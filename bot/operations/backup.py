"""A consistent copy of the database, also while the bot is writing to it."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from bot.errors import UnavailableError
from bot.words import backup as words

PAGES_AT_ONCE = 512


def back_up(database: Path | str, target: Path | None = None) -> Path:
    """Copy the database to `target`, or beside it under today's date; never over a file."""
    if isinstance(database, str):
        raise UnavailableError(words.IN_POSTGRES)
    if not database.is_file():
        raise UnavailableError(words.no_database(str(database)))
    goal = target or _dated(database)
    if goal.exists():
        raise UnavailableError(words.exists_already(str(goal)))
    with _explained(goal), _written_whole(goal) as unfinished:
        _copy(database, unfinished)
        _verify(unfinished)
    return goal


def _dated(database: Path) -> Path:
    stamp = time.strftime("%Y-%m-%d-%H%M%S", time.gmtime())
    return database.with_name(f"{database.stem}-{stamp}.backup.db")


@contextmanager
def _explained(goal: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise UnavailableError(words.not_written(str(goal), str(error))) from error


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


def _copy(database: Path, unfinished: Path) -> None:
    source_uri = f"{database.absolute().as_uri()}?mode=ro"
    with (
        closing(sqlite3.connect(source_uri, uri=True)) as source,
        closing(sqlite3.connect(unfinished)) as copy,
    ):
        # One read transaction holds the snapshot, so that a busy writer never starts it over.
        source.execute("BEGIN")
        source.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        source.backup(copy, pages=PAGES_AT_ONCE)
        copy.execute("PRAGMA journal_mode = DELETE")


def _verify(unfinished: Path) -> None:
    with closing(sqlite3.connect(unfinished)) as copy:
        found = copy.execute("PRAGMA integrity_check").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(words.damaged(found))
