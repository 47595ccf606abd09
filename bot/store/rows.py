"""Conversions between dataclasses and rows, and inserts that happen only once."""

import secrets
from collections.abc import Hashable, Iterable, Mapping
from functools import cache
from typing import Any

from sqlalchemy import Connection, Insert, Table, select

_Row = Mapping[str, Any]


def fresh_id(conn: Connection, table: Table, prefix: str) -> str:
    """An id that no row of the table has: the prefix, `_` and 8 hex characters."""
    while True:
        name = f"{prefix}_{secrets.token_hex(4)}"
        if conn.execute(select(table.c.id).where(table.c.id == name)).first() is None:
            return name


def row_of(record: object, table: Table) -> dict[str, Any]:
    """The values of the record's fields that are columns of the table."""
    kind: Any = type(record)
    return {name: getattr(record, name) for name in _common_names(kind, table)}


def insert_new(conn: Connection, table: Table, row: _Row, *key: str) -> bool:
    """Insert a row unless its key exists; an empty `key` means any unique constraint."""
    return bool(conn.execute(_insert(table, conn.dialect.name, key), row).rowcount)


def insert_all(conn: Connection, table: Table, rows: Iterable[_Row], *key: str) -> int:
    """Insert rows except those whose key exists; returns how many were inserted."""
    return sum(insert_new(conn, table, row, *key) for row in rows)


@cache
def _common_names(kind: Hashable, table: Table) -> tuple[str, ...]:
    """The names that the dataclass and the table share."""
    return tuple(column.name for column in table.columns if hasattr(kind, column.name))


@cache
def _insert(table: Table, dialect: str, key: tuple[str, ...]) -> Insert:
    """The INSERT of the dialect; each has its own class for ON CONFLICT."""
    if dialect == "postgresql":
        from sqlalchemy.dialects import postgresql  # noqa: PLC0415 (slow, for Postgres alone)

        return postgresql.insert(table).on_conflict_do_nothing(index_elements=key or None).inline()
    from sqlalchemy.dialects import sqlite  # noqa: PLC0415 (as above)

    return sqlite.insert(table).on_conflict_do_nothing(index_elements=key or None).inline()
