"""From frozen dataclasses to rows, and rows that are written once whoever tries."""

from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, Table, bindparam

from bot.store.prepared import Command

Row = Mapping[str, Any]


def row_of(record: object, table: Table) -> dict[str, Any]:
    """The values of the record's fields that are columns of the table."""
    kind: Any = type(record)
    return {name: getattr(record, name) for name in _common_names(kind, table)}


def insert_new(conn: Connection, table: Table, row: Mapping[str, Any], *key: str) -> bool:
    """Insert a row unless another has its key; no key means any that must be unique."""
    return bool(_insert_once(table, conn.dialect.name, key, tuple(row)).run(conn, row))


def insert_all(conn: Connection, table: Table, rows: Sequence[Row], *key: str) -> int:
    """Insert rows of the same columns in one statement, but none whose key is taken.

    Returns how many were inserted.
    """
    if not rows:
        return 0
    values = {f"{name}_{n}": row[name] for n, row in enumerate(rows) for name in row}
    return _insert_many(table, conn.dialect.name, key, tuple(rows[0]), len(rows)).run(conn, values)


@cache
def _common_names(kind: Hashable, table: Table) -> tuple[str, ...]:
    """Fields and columns bear the same names."""
    return tuple(column.name for column in table.columns if hasattr(kind, column.name))


@cache
def _insert_once(
    table: Table, dialect: str, key: tuple[str, ...], names: tuple[str, ...]
) -> Command:
    return Command(_insert(table, dialect, key), names)


@cache
def _insert_many(
    table: Table, dialect: str, key: tuple[str, ...], names: tuple[str, ...], count: int
) -> Command:
    rows = [
        {name: bindparam(f"{name}_{n}", type_=table.c[name].type) for name in names}
        for n in range(count)
    ]
    return Command(_insert(table, dialect, key).values(rows))


@cache
def _insert(table: Table, dialect: str, key: tuple[str, ...]) -> Insert:
    """Both dialects know the clause, each through an insert of its own; nothing is read back."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 (slow, for Postgres alone)

        return postgresql.insert(table).on_conflict_do_nothing(index_elements=key or None).inline()
    from sqlalchemy.dialects import sqlite  # noqa: PLC0415 (as above)

    return sqlite.insert(table).on_conflict_do_nothing(index_elements=key or None).inline()
