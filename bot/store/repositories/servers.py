"""Servers the bot is in, what is configured for them, and when people last started a run there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, bindparam, func, insert, select, update

from bot.store.rows import insert_new, row_of
from bot.store.tables import published_panels, server_settings, servers, starts
from bot.store.tables.fleet import DATABASE_NOW

_BY_ID = select(servers).where(servers.c.guild_id == bindparam("guild_id"))
_LAST = select(starts).where(
    starts.c.guild_id == bindparam("guild"), starts.c.person_id == bindparam("person")
)

_CONFIGURED: Final = (published_panels, server_settings)


@dataclass(frozen=True, slots=True)
class _Server:
    """A server as stored; what was never set is None."""

    guild_id: int
    admin_channel_id: int | None = None
    paused_by: int | None = None
    paused_at: float | None = None
    left_at: float | None = None


@dataclass(frozen=True, slots=True)
class StoredChange:
    """What admins stored for a server, and the last change of it."""

    settings: Mapping[str, Any] = field(default_factory=dict)
    changed_by: int = 0
    changed_at: float = 0.0


class SettingsRepository:
    """What admins stored for their servers."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def get(self, guild_id: int) -> StoredChange:
        """What holds in a server; empty where nothing was ever stored."""
        return self.all().get(guild_id, StoredChange())

    def all(self) -> dict[int, StoredChange]:
        """What holds in every server, by its id."""
        newest = select(func.max(server_settings.c.id)).group_by(server_settings.c.guild_id)
        query = select(server_settings).where(server_settings.c.id.in_(newest))
        rows = self._conn.execute(query.order_by(server_settings.c.guild_id)).mappings()
        return {
            row["guild_id"]: StoredChange(row["settings"], row["changed_by"], row["changed_at"])
            for row in rows
        }

    def put(self, guild_id: int, person_id: int, settings: Mapping[str, Any], now: float) -> None:
        """Store a change; the rows before it stay as the record of who changed what."""
        row = {"guild_id": guild_id, "changed_by": person_id, "changed_at": now}
        self._conn.execute(server_settings.insert().values(row | {"settings": dict(settings)}))


class ServerRepository:
    """The servers the bot is or was in."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def get(self, guild_id: int) -> _Server:
        """The server's row; without one only its id is set."""
        row = self._conn.execute(_BY_ID, {"guild_id": guild_id}).mappings().first()
        return _Server(guild_id) if row is None else _Server(**row)

    def set_admin_channel(self, guild_id: int, channel_id: int) -> None:
        """Set the channel in which admins read about problems."""
        _put(self._conn, guild_id, admin_channel_id=channel_id)

    def admin_channels(self, guild_id: int | None = None) -> tuple[int, ...]:
        """Where admins read about problems, in one server or in all that were not left."""
        known = servers.c.admin_channel_id.is_not(None) & servers.c.left_at.is_(None)
        if guild_id is not None:
            known &= servers.c.guild_id == guild_id
        query = select(servers.c.admin_channel_id).where(known).order_by(servers.c.guild_id)
        return tuple(self._conn.execute(query).scalars())

    def pause(self, guild_id: int, person_id: int, now: float) -> None:
        """Stop accepting new work in a server until it is resumed."""
        _put(self._conn, guild_id, paused_by=person_id, paused_at=now)

    def resume(self, guild_id: int) -> bool:
        """Accept new work again; False when it was not paused."""
        paused = self.get(guild_id).paused_at is not None
        _put(self._conn, guild_id, paused_by=None, paused_at=None)
        return paused

    def leave(self, guild_id: int, now: float) -> None:
        """Record when the bot left a server; only the first time counts."""
        if self.get(guild_id).left_at is None:
            _put(self._conn, guild_id, left_at=now)

    def rejoin(self, guild_id: int) -> None:
        """Clear the time at which the bot left, so that nothing is purged."""
        change = update(servers).where(servers.c.guild_id == guild_id).values(left_at=None)
        self._conn.execute(change)

    def left_before(self, moment: float) -> tuple[int, ...]:
        """Servers the bot left before a time that are still stored."""
        query = select(servers.c.guild_id).where(servers.c.left_at < moment)
        return tuple(self._conn.execute(query.order_by(servers.c.guild_id)).scalars())

    def forget(self, guild_id: int) -> None:
        """Delete a server's row."""
        self._conn.execute(servers.delete().where(servers.c.guild_id == guild_id))
        self._conn.execute(server_settings.delete().where(server_settings.c.guild_id == guild_id))


def _put(conn: Connection, guild_id: int, **values: Any) -> None:
    insert_new(conn, servers, {"guild_id": guild_id}, "guild_id")
    conn.execute(update(servers).where(servers.c.guild_id == guild_id).values(values))


@dataclass(frozen=True, slots=True)
class StartRow:
    """A person's newest start or retry in a server."""

    guild_id: int
    person_id: int
    run_id: str
    at: float


class StartRepository:
    """The newest start of each person in each server, for cooldowns."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def lock_server(self, guild_id: int) -> None:
        """Serialise the starts of a server across processes.

        SQLite has one writer anyway; on Postgres the row is locked until the transaction ends.
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
        """Record a start, in the transaction that admits it."""
        if insert_new(self._conn, starts, row_of(start, starts), "guild_id", "person_id"):
            return
        mine = (starts.c.guild_id == start.guild_id, starts.c.person_id == start.person_id)
        self._conn.execute(update(starts).where(*mine).values(run_id=start.run_id, at=start.at))

    def forget_server(self, guild_id: int) -> None:
        """Delete the starts in a server."""
        self._conn.execute(starts.delete().where(starts.c.guild_id == guild_id))


class PublishedPanels:
    """What every worker's panels.json says: the newest that one of them found."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def newest(self) -> tuple[int, str, str] | None:
        """The number, the digest and the text of the file that all use."""
        columns = (published_panels.c[name] for name in ("id", "digest", "document"))
        found = select(*columns).order_by(published_panels.c.id.desc()).limit(1)
        row = self._conn.execute(found).one_or_none()
        return None if row is None else (row[0], row[1], row[2])

    def versions(self) -> tuple[int, int]:
        """Numbers that change with the file that all use and with what admins stored in chat."""
        newest = (func.coalesce(func.max(table.c.id), 0) for table in _CONFIGURED)
        file, settings = (self._conn.execute(select(number)).scalar_one() for number in newest)
        return file, settings

    def knows(self, digest: str) -> bool:
        """Whether a file was ever used."""
        found = select(published_panels.c.id).where(published_panels.c.digest == digest).limit(1)
        return self._conn.execute(found).first() is not None

    def publish(self, digest: str, document: str, process: str) -> None:
        """Let all workers use a file, unless they do."""
        newest = self.newest()
        if newest is None or newest[1] != digest:
            row = {"digest": digest, "document": document, "process": process}
            moment = {"published_at": DATABASE_NOW}
            self._conn.execute(insert(published_panels).values(row | moment))
