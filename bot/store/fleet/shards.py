"""Which shards the bot has, how far their sessions are, and when they may identify."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select, text, update

from bot.store.tables import server_states, shards
from bot.store.tables.fleet import DATABASE_NOW
from bot.types.gateway_events import GatewayEvent

MILLISECOND: Final = 1 << 22
"""Discord's ids count milliseconds from this bit on, and milliseconds choose the shard."""
_RESERVE_IDENTIFY: Final = text(
    "INSERT INTO identifies (key, next_at)"
    " VALUES (:key, extract(epoch FROM clock_timestamp()) + :pause)"
    " ON CONFLICT (key) DO UPDATE SET next_at ="
    " greatest(identifies.next_at, extract(epoch FROM clock_timestamp())) + :pause"
    " RETURNING next_at - :pause - extract(epoch FROM clock_timestamp())"
)


@dataclass(frozen=True, slots=True)
class ShardState:
    """One shard: how many there are, and how many seconds ago it was connected."""

    shard: int
    of: int
    known: bool
    seconds_ago: float


class Shards:
    """Which shards the bot has, and when they may identify."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def agree(self, wanted: int, in_use: bool) -> int:
        """How many shards all gateways start: as wanted; not fewer while one is connected.

        All gateways leave the old ones then, and what is missed meanwhile is read since the moment
        when the first of them was certainly connected.
        """
        stored, since = self._conn.execute(
            select(func.max(shards.c.of), func.coalesce(func.min(shards.c.alive_at), DATABASE_NOW))
        ).one()
        if stored is not None and (stored == wanted or (stored > wanted and in_use)):
            return int(stored)
        self._conn.execute(delete(shards))
        self._conn.execute(delete(server_states))
        moment = {"alive_at": since, "away_since": since}
        rows = [{"shard": shard, "of": wanted, "known": 0} | moment for shard in range(wanted)]
        self._conn.execute(insert(shards), rows)
        return wanted

    def alive(self, connected: Iterable[int], of: int) -> bool:
        """These shards hear events now; returns whether there are still so many in all."""
        where = shards.c.shard.in_(list(connected)) & (shards.c.of == of)
        self._conn.execute(update(shards).where(where).values(alive_at=DATABASE_NOW))
        number: int | None = self._conn.execute(select(func.max(shards.c.of))).scalar_one()
        return number == of

    def identified(self, shard: int, session: str = "") -> None:
        """A shard has a new session: what happened since it was connected last is missed."""
        values = {"away_since": shards.c.alive_at, "alive_at": DATABASE_NOW, "known": 1}
        values |= {"session_id": session, "seq": 0, "resume_url": ""}
        self._conn.execute(update(shards).where(shards.c.shard == shard).values(values))

    def unheard(self, heard: Sequence[GatewayEvent]) -> Sequence[GatewayEvent]:
        """Those of the events that no gateway has stored yet."""
        marks = [each.mark for each in heard if each.mark is not None]
        if not marks:
            return heard
        mine = shards.c.shard.in_({shard for shard, _, _ in marks})
        found = select(shards.c.shard, shards.c.session_id, shards.c.seq).where(mine)
        rows = self._conn.execute(found.order_by(shards.c.shard).with_for_update())
        stored = {(shard, session): seq for shard, session, seq in rows}
        return [
            each
            for each in heard
            if each.mark is None or each.mark[2] > stored.get(each.mark[:2], -1)
        ]

    def reached(self, heard: Iterable[GatewayEvent]) -> None:
        """How far the sessions are with these events.

        Kept in the transaction that stores them, so that whoever resumes goes on right behind.
        """
        newest = {each.mark[:2]: each.mark[2] for each in heard if each.mark is not None}
        for (shard, session), seq in newest.items():
            self._conn.execute(_of_session(shard, session).values(seq=seq))

    def described(self, shard: int, session: str, seq: int, url: str) -> None:
        """The servers of a session are described, so another gateway may resume it from here."""
        self._conn.execute(_of_session(shard, session).values(resume_url=url, seq=seq))

    def away_since(self, shard: int) -> float | None:
        """Since when a shard that identified has missed what happened."""
        away = select(shards.c.away_since).where(shards.c.shard == shard)
        since: float | None = self._conn.execute(away).scalar_one_or_none()
        return since

    def knows(self, guild_id: int) -> bool:
        """Whether the shard of a server has said which servers it has."""
        count: int | None = self._conn.execute(select(func.max(shards.c.of))).scalar_one()
        if not count:
            return False
        known = select(shards.c.known).where(of_shard(guild_id, shards.c.shard, count))
        return bool(self._conn.execute(known).scalar())

    def session(self, shard: int) -> tuple[str, int, str] | None:
        """The session of a shard to resume, how far it is and where; None if there is none."""
        found = select(shards.c.session_id, shards.c.seq, shards.c.resume_url)
        row = self._conn.execute(found.where(shards.c.shard == shard)).one_or_none()
        return (row[0], row[1], row[2]) if row and row[0] and row[2] else None

    def all(self) -> list[ShardState]:
        """Every shard."""
        found = select(
            shards.c.shard, shards.c.of, shards.c.known, DATABASE_NOW - shards.c.alive_at
        )
        rows = self._conn.execute(found.order_by(shards.c.shard))
        return [ShardState(shard, of, bool(known), float(ago)) for shard, of, known, ago in rows]

    def reserve_identify(self, key: int, pause: float) -> float:
        """Reserve the key's next turn to identify; returns the seconds until then."""
        wait = self._conn.execute(_RESERVE_IDENTIFY, {"key": key, "pause": pause}).scalar_one()
        return max(0.0, float(wait))


def of_shard(guild_id: Any, shard: Any, count: int) -> Any:
    """Whether a server belongs to a shard, by numbers or columns."""
    return guild_id // MILLISECOND % count == shard


def _of_session(shard: int, session: str) -> Any:
    return update(shards).where(shards.c.shard == shard, shards.c.session_id == session)
