"""What the store asks of a database; SQLite and Postgres each answer in a module of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeVar

from sqlalchemy import Connection, Engine, Table

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


class _Dialect(Protocol):
    """What the tables need to hear in the words of one database."""

    @property
    def ELSEWHERE(self) -> str:  # noqa: N802 (a module's constant)
        """How to choose another database, as the end of a sentence."""

    def forbid_changes(self, conn: Connection, table: Table) -> None:
        """Make a table append-only."""


def backend_for(where: Where) -> Backend:
    """The database at a path or URL; only what is used is loaded."""
    if isinstance(where, str):
        from bot.store.engine.postgres import PostgresBackend  # noqa: PLC0415 (slow, for Postgres alone)

        return PostgresBackend(where)
    from bot.store.engine.sqlite import SqliteBackend  # noqa: PLC0415 (not needed on Postgres)

    return SqliteBackend(where)


def dialect_of(conn: Connection) -> _Dialect:
    """The module that speaks the connection's dialect."""
    if conn.dialect.name == "postgresql":
        from bot.store.engine import postgres  # noqa: PLC0415 (slow, for Postgres alone)

        return postgres
    from bot.store.engine import sqlite  # noqa: PLC0415 (not needed on Postgres)

    return sqlite
