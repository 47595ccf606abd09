"""The interface between the store and a database; SQLite and Postgres each implement it."""

from collections.abc import Callable
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

from sqlalchemy import Connection, Engine

from bot.store.engine.locks import Holding

_T = TypeVar("_T")
Where = Path | str
"""The path of an SQLite file, or the URL of a Postgres database."""


class SharedFateError(Exception):
    """The whole transaction was lost; running its closures one by one would fail the same way."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Result(NamedTuple, Generic[_T]):
    """What a closure returned."""

    value: _T


class Backend(Protocol):
    """One database, locked by this process from `open` to `close`."""

    @property
    def engine(self) -> Engine:
        """The engine of the only connection that writes."""

    @property
    def holding(self) -> Holding:
        """Whether this process still holds the lock on the database."""

    @property
    def member(self) -> int | None:
        """The number of this process among those that share the database; None if it is alone."""

    async def open(self, prepare: Callable[[Connection], None]) -> None:
        """Lock the database, connect and run `prepare`; on failure release everything."""

    def begin_term(self, conn: Connection) -> None:
        """Record in the migrated database that this process holds it from now on."""

    async def transact(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure in a transaction and return its result once it is committed.

        An error means that nothing of it was kept, unless it is a SharedFateError.
        """

    def read_at_once(self, work: Callable[[Connection], _T]) -> Result[_T] | None:
        """Run the closure on one read-only snapshot here and now; None when that means waiting."""

    async def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure on one read-only snapshot, and let others work meanwhile."""

    async def close(self) -> None:
        """Close every connection and release the lock."""

    def explain(self, error: Exception) -> Exception:
        """The error to show people when the database is the cause, else the error itself."""
