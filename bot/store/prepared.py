"""Statements that run again and again: SQLAlchemy takes them apart once, SQLite gets them as text.

Handing a statement through SQLAlchemy costs ten times what SQLite needs for it. Other databases
take the usual way; what a caller sees is the same on all.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Dialect, Engine, Select, UpdateBase
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.types import TypeEngine

from bot.store.types import Change, ForSqlite, storable

Values = Mapping[str, Any]


class SqliteConnection(Connection):
    """A connection that also takes statements as text, without a detour.

    Its transactions begin and end without one, too, as long as nobody asks SQLAlchemy for more.
    """

    def __init__(self, engine: Engine, begin: str) -> None:
        super().__init__(engine)
        driver: Any = self.connection.driver_connection
        self.driver: sqlite3.Connection = driver
        self._begin = begin

    def run(self, sql: str, bound: Sequence[Any] = ()) -> sqlite3.Cursor:
        """Execute a statement, in a transaction; raises SQLAlchemy's errors."""
        self.start()
        try:
            return _execute(self.driver, sql, bound)
        except sqlite3.Error as error:
            raise self._known(error, sql, bound) from error

    def start(self) -> None:
        """Begin a transaction, if there is none; raises SQLAlchemy's errors."""
        try:
            if not self.driver.in_transaction:
                self.driver.execute(self._begin)
        except sqlite3.Error as error:
            raise self._known(error, self._begin) from error

    def finish(self) -> None:
        """Commit, whoever began; raises SQLAlchemy's errors."""
        if (asked_for := self.get_transaction()) is not None:
            with asked_for:
                return
        try:
            self.driver.commit()
        except sqlite3.Error as error:
            raise self._known(error, "COMMIT") from error

    def _known(self, error: sqlite3.Error, sql: str, bound: Sequence[Any] = ()) -> Exception:
        return DBAPIError.instance(
            sql, bound, error, sqlite3.Error, hide_parameters=True, dialect=self.dialect
        )


class Query:
    """A SELECT with named parameters, or a change of the columns `changed` that returns rows."""

    def __init__(self, statement: Select[Any] | UpdateBase, changed: Sequence[str] = ()) -> None:
        self._statement = statement
        self._changed = changed or None
        self._text: _Text | None = None
        self._columns = tuple(statement.exported_columns)
        self._names = tuple(str(column.key) for column in self._columns)
        self._changes: tuple[tuple[int, Change], ...] = ()

    def rows(self, conn: Connection, values: Values) -> list[dict[str, Any]]:
        """What is found, each row by the names of its columns."""
        return [dict(zip(self._names, row, strict=True)) for row in self.lists(conn, values)]

    def lists(self, conn: Connection, values: Values) -> list[list[Any]]:
        """What is found, each row in the order of its columns."""
        if not isinstance(conn, SqliteConnection):
            return [list(row) for row in conn.execute(self._statement, values)]
        if self._text is None:
            self._changes = self._result_changes(conn.dialect)
            self._text = _Text(self._statement, conn.dialect, self._changed)
        found = [list(row) for row in self._text.execute(conn, values).fetchall()]
        for position, change in self._changes:
            for row in found:
                row[position] = change(row[position])
        return found

    def row(self, conn: Connection, values: Values) -> dict[str, Any] | None:
        """The first row, or None."""
        found = self.rows(conn, values)
        return found[0] if found else None

    def value(self, conn: Connection, values: Values) -> Any:
        """The first column of the first row, or None."""
        found = self.lists(conn, values)
        return found[0][0] if found else None

    def _result_changes(self, dialect: Dialect) -> tuple[tuple[int, Change], ...]:
        found = ((n, _outgoing(c.type, dialect)) for n, c in enumerate(self._columns))
        return tuple((n, change) for n, change in found if change is not None)


class Command:
    """An INSERT or UPDATE of the columns `names`, with named parameters."""

    def __init__(self, statement: UpdateBase, names: Sequence[str] = ()) -> None:
        self._statement = statement
        self._names = names or None
        self._text: _Text | None = None

    def run(self, conn: Connection, values: Values) -> int:
        """Execute it; returns how many rows it touched."""
        if not isinstance(conn, SqliteConnection):
            return conn.execute(self._statement, values).rowcount
        if self._text is None:
            self._text = _Text(self._statement, conn.dialect, self._names)
        return self._text.execute(conn, values).rowcount


class _Text:
    """A statement as SQLite takes it, and what becomes of each parameter on its way in."""

    def __init__(
        self,
        statement: Select[Any] | UpdateBase,
        dialect: Dialect,
        column_keys: Sequence[str] | None = None,
    ) -> None:
        compiled: Any = statement.compile(dialect=dialect, column_keys=column_keys)
        self._sql = str(compiled)
        given = compiled.params
        self._given = {name: value for name, value in given.items() if value is not None}
        self._slots = [
            (name, _incoming(compiled.binds[name].type, dialect)) for name in compiled.positiontup
        ]

    def execute(self, conn: SqliteConnection, values: Values) -> sqlite3.Cursor:
        bound = self._bound({**self._given, **values} if self._given else values)
        return conn.run(self._sql, bound)

    def _bound(self, told: Values) -> list[Any]:
        try:
            return [told[n] if change is None else change(told[n]) for n, change in self._slots]
        except (TypeError, ValueError, KeyError) as error:
            raise StatementError(
                str(error), self._sql, told, error, hide_parameters=True
            ) from error


def _execute(driver: sqlite3.Connection, sql: str, bound: Sequence[Any]) -> sqlite3.Cursor:
    """Hand the values over; what the driver cannot write is looked for only when it says so."""
    try:
        return driver.execute(sql, bound)
    except UnicodeEncodeError:
        cleaned = [storable(value) if isinstance(value, str) else value for value in bound]
        return driver.execute(sql, cleaned)


def _incoming(type_: TypeEngine[Any], dialect: Dialect) -> Change | None:
    if isinstance(type_, ForSqlite):
        return type_.incoming()
    return type_.dialect_impl(dialect).bind_processor(dialect)


def _outgoing(type_: TypeEngine[Any], dialect: Dialect) -> Change | None:
    if isinstance(type_, ForSqlite):
        return type_.outgoing()
    return type_.dialect_impl(dialect).result_processor(dialect, None)
