"""What the store asks of a database; SQLite and Postgres each answer in a module of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from sqlalchemy import Connection, Engine

from bot.store.engine.locks import Holding

_T = TypeVar("_T")
Where = Path | str
"""A file of SQLite, or the URL of a Postgres database."""


class SharedFateError(Exception):
    """What befell everybody in a transaction alike; trying each of them alone would not help."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Backend(Protocol):
    """One database, held by this process alone from `open` to `close`."""

    @property
    def engine(self) -> Engine:
        """The engine of the one connection that writes."""

    @property
    def holding(self) -> Holding:
        """Whether the database is still held by this process alone."""

    async def open(self, prepare: Callable[[Connection], None]) -> None:
        """Take hold of the database and bring it into shape, or leave nothing behind."""

    def begin_term(self, conn: Connection) -> None:
        """Note in the database, once it is in shape, that this process holds it from now on."""

    async def transact(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure in a transaction and return its result once it is committed.

        An error means that nothing of it was kept, unless it is a SharedFateError.
        """

    async def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure on one read-only snapshot."""

    async def close(self) -> None:
        """Close every connection and let go of the database."""

    def explain(self, error: Exception) -> Exception:
        """The sentence for a person when the database is the cause, else the error itself."""
