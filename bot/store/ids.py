"""Short random names for rows, such as `rt_1f0c9a3e`."""

import secrets

from sqlalchemy import Connection, Table, select


def fresh_id(conn: Connection, table: Table, prefix: str) -> str:
    """A name that no row of the table has yet: the prefix, `_` and 8 hex characters."""
    while True:
        name = f"{prefix}_{secrets.token_hex(4)}"
        if conn.execute(select(table.c.id).where(table.c.id == name)).first() is None:
            return name
