"""Short random names for rows, such as `rt_1f0c9a3e`."""

import secrets
from functools import cache

from sqlalchemy import Connection, Table, bindparam, select

from bot.store.prepared import Query


def fresh_id(conn: Connection, table: Table, prefix: str) -> str:
    """A name that no row of the table has yet: the prefix, `_` and 8 hex characters."""
    while True:
        name = f"{prefix}_{secrets.token_hex(4)}"
        if _taken(table).row(conn, {"name": name}) is None:
            return name


@cache
def _taken(table: Table) -> Query:
    return Query(select(table.c.id).where(table.c.id == bindparam("name")))
