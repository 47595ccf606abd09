"""Short random names for rows, such as `rt_1f0c9a3e`."""

import secrets
from functools import cache

from sqlalchemy import Connection, Select, Table, bindparam, select


def fresh_id(conn: Connection, table: Table, prefix: str) -> str:
    """A name that no row of the table has yet: the prefix, `_` and 8 hex characters."""
    while True:
        name = f"{prefix}_{secrets.token_hex(4)}"
        if conn.execute(_taken(table), {"name": name}).first() is None:
            return name


@cache
def _taken(table: Table) -> Select[tuple[str]]:
    return select(table.c.id).where(table.c.id == bindparam("name"))
