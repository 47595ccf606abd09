"""Servers: what the bot has to remember about a Discord server beside its runs."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from bot.store.rows import insert_new
from bot.store.tables import servers


@dataclass(frozen=True, slots=True)
class _Server:
    """A server as stored; what was never said is None."""

    guild_id: int
    admin_channel_id: int | None = None
    paused_by: int | None = None
    paused_at: float | None = None
    left_at: float | None = None


def get(conn: Connection, guild_id: int) -> _Server:
    """What is remembered about a server, if only its id."""
    row = conn.execute(_BY_ID, {"guild_id": guild_id}).mappings().first()
    return _Server(guild_id) if row is None else _Server(**row)


def set_admin_channel(conn: Connection, guild_id: int, channel_id: int) -> None:
    """Remember where the admins of a server want to read about problems."""
    _put(conn, guild_id, admin_channel_id=channel_id)


def admin_channels(conn: Connection) -> tuple[int, ...]:
    """Where admins read about problems, in servers that were not left."""
    known = servers.c.admin_channel_id.is_not(None) & servers.c.left_at.is_(None)
    query = select(servers.c.admin_channel_id).where(known).order_by(servers.c.guild_id)
    return tuple(conn.execute(query).scalars())


def pause(conn: Connection, guild_id: int, person_id: int, now: float) -> None:
    """Take nothing new in a server until it is resumed."""
    _put(conn, guild_id, paused_by=person_id, paused_at=now)


def resume(conn: Connection, guild_id: int) -> bool:
    """Take new work again; False when nothing was paused."""
    paused = get(conn, guild_id).paused_at is not None
    _put(conn, guild_id, paused_by=None, paused_at=None)
    return paused


def leave(conn: Connection, guild_id: int, now: float) -> None:
    """Remember since when the bot is not in a server any more; the first time counts."""
    if get(conn, guild_id).left_at is None:
        _put(conn, guild_id, left_at=now)


def rejoin(conn: Connection, guild_id: int) -> None:
    """The bot is in the server again, so nothing of it is to be purged."""
    change = update(servers).where(servers.c.guild_id == guild_id).values(left_at=None)
    conn.execute(change)


def left_before(conn: Connection, moment: float) -> tuple[int, ...]:
    """Servers that were left before a moment and are still known."""
    query = select(servers.c.guild_id).where(servers.c.left_at < moment)
    return tuple(conn.execute(query.order_by(servers.c.guild_id)).scalars())


def forget(conn: Connection, guild_id: int) -> None:
    """Remember nothing about a server any more."""
    conn.execute(servers.delete().where(servers.c.guild_id == guild_id))


_BY_ID = select(servers).where(servers.c.guild_id == bindparam("guild_id"))


def _put(conn: Connection, guild_id: int, **values: Any) -> None:
    insert_new(conn, servers, {"guild_id": guild_id}, "guild_id")
    conn.execute(update(servers).where(servers.c.guild_id == guild_id).values(values))
