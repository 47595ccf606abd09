"""Starts: when each person last began a roundtable in a server, and the lock that orders them."""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select, update

from bot.store.rows import insert_new, row_of
from bot.store.tables import servers, starts


@dataclass(frozen=True, slots=True)
class StartRow:
    """A person's newest start or retry in a server."""

    guild_id: int
    person_id: int
    run_id: str
    at: float


_LAST = select(starts).where(
    starts.c.guild_id == bindparam("guild"), starts.c.person_id == bindparam("person")
)


class StartRepository:
    """The rows of one transaction: starts."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def lock_server(self, guild_id: int) -> None:
        """Let the starts of a server be decided one after the other, whichever process asks.

        SQLite has one writer anyway; on Postgres the row is held until the transaction ends.
        """
        insert_new(self._conn, servers, {"guild_id": guild_id}, "guild_id")
        self._conn.execute(
            select(servers.c.guild_id).where(servers.c.guild_id == guild_id).with_for_update()
        )

    def last(self, guild_id: int, person_id: int) -> StartRow | None:
        """The person's newest start in the server, or None."""
        row = self._conn.execute(_LAST, {"guild": guild_id, "person": person_id}).mappings().first()
        return None if row is None else StartRow(**row)

    def note(self, start: StartRow) -> None:
        """Remember a start, in the transaction that admits it."""
        if insert_new(self._conn, starts, row_of(start, starts), "guild_id", "person_id"):
            return
        mine = (starts.c.guild_id == start.guild_id, starts.c.person_id == start.person_id)
        self._conn.execute(update(starts).where(*mine).values(run_id=start.run_id, at=start.at))

    def forget_server(self, guild_id: int) -> None:
        """Remember nobody's starts in a server any more."""
        self._conn.execute(starts.delete().where(starts.c.guild_id == guild_id))
