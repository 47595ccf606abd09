"""What gateways hand to workers: events, what servers look like, and which shards there are.

Several machines write here, so every time is the database's; these tables are used on Postgres.
"""

import json
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select, text, update

from bot.store.repositories.ballots import BallotRepository
from bot.store.repositories.followups import FollowUpRepository
from bot.store.repositories.jobs import ServerJobs
from bot.store.repositories.servers import ServerRepository
from bot.store.tables import decisions, inbox, runs, server_states, shards

READY: Final = "READY"
"""A shard identified; its payload names the shard and its servers."""
SHARD_READY: Final = "SHARD_READY"
"""All servers of a shard that identified were described; its payload says what was missed."""
_MILLISECOND: Final = 1 << 22
"""Discord's ids count milliseconds from this bit on, and milliseconds choose the shard."""
_NOW: Final = func.extract("epoch", func.clock_timestamp())
_ADD: Final = text(
    "INSERT INTO inbox (key, event, author_id, payload, guild_id, received_at) VALUES"
    " (:key, :event, :author_id, :payload, :guild_id, extract(epoch FROM clock_timestamp()))"
    " ON CONFLICT (key) DO NOTHING"
)
_TAKE: Final = text(
    "WITH moment AS (SELECT extract(epoch FROM clock_timestamp()) AS now),"
    " dealt_with AS (DELETE FROM inbox USING moment"
    " WHERE guild_id = ANY(:servers) AND taken_at < now - :kept)"
    " UPDATE inbox SET taken_at = now FROM moment WHERE id IN (SELECT id FROM inbox"
    " WHERE guild_id = ANY(:servers) AND taken_at IS NULL ORDER BY id LIMIT :most)"
    " RETURNING id, event, payload, guild_id, now - received_at AS age"
)
_KEPT_SECONDS: Final = 30.0
"""So long after an event was taken another worker would hear it again, if this one is killed."""
_LOOKS: Final = frozenset(
    "GUILD_CREATE GUILD_UPDATE GUILD_DELETE GUILD_ROLE_CREATE GUILD_ROLE_UPDATE GUILD_ROLE_DELETE"
    " GUILD_MEMBER_UPDATE CHANNEL_CREATE CHANNEL_UPDATE CHANNEL_DELETE THREAD_CREATE THREAD_UPDATE"
    " THREAD_LIST_SYNC".split()
)
"""What a worker that does not hold the server learns when it takes it."""
_UNREAD_SECONDS: Final = 150.0
"""A command in a channel is carried out when it is no older than this."""
_DISCORD_EPOCH: Final = 1_420_070_400
_RESERVE: Final = text(
    "INSERT INTO identifies (key, next_at)"
    " VALUES (:key, extract(epoch FROM clock_timestamp()) + :pause)"
    " ON CONFLICT (key) DO UPDATE SET next_at ="
    " greatest(identifies.next_at, extract(epoch FROM clock_timestamp())) + :pause"
    " RETURNING next_at - :pause - extract(epoch FROM clock_timestamp())"
)


@dataclass(frozen=True, slots=True)
class Heard:
    """An event as it is stored.

    `key` is for what Discord may tell twice, `guild_id` for what changes how a server looks, and
    `server` is whose worker hears it; 0 is what belongs to no server.
    """

    event: str
    payload: str
    key: str | None = None
    author_id: int = 0
    guild_id: int | None = None
    server: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """An event that this worker handles, how many seconds it waited, and where it happened."""

    event: str
    payload: Any
    age: float
    server: int = 0


@dataclass(frozen=True, slots=True)
class ShardState:
    """One shard: how many there are, and how many seconds ago it was connected."""

    shard: int
    of: int
    known: bool
    seconds_ago: float


class InboxRepository:
    """The events between gateways and workers."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def add(self, heard: Sequence[Heard]) -> None:
        """Store events in order, each once, and wake the workers that they are for."""
        events = [each for one in heard for each in self._prepared(one)]
        jobs = ServerJobs(self._conn)
        held = jobs.held({each.server for each in events})
        needed = [each for each in events if each.server in held or each.event not in _LOOKS]
        if not needed:
            return
        rows = [
            {"key": each.key, "event": each.event, "author_id": each.author_id}
            | {"payload": each.payload, "guild_id": each.server}
            for each in needed
        ]
        self._conn.execute(_ADD, rows)
        servers = {each.server for each in needed}
        jobs.wake(servers - held)
        if servers & held:
            jobs.tell(*map(str, servers & held))

    def _prepared(self, heard: Heard) -> Iterator[Heard]:
        """What workers are told of an event, once its server's state is stored."""
        if heard.event == READY:
            ServerStates(self._conn).identified(json.loads(heard.payload))
        elif heard.event == SHARD_READY:
            yield from Shards(self._conn).missed(heard)
        elif heard.guild_id is None:
            yield heard
        else:
            ServerStates(self._conn).change(heard)
            yield replace(heard, server=heard.guild_id)

    def take(self, most: int, servers: Collection[int]) -> list[Taken]:
        """Take the oldest events of these servers out, in order."""
        asked = {"most": most, "servers": list(servers), "kept": _KEPT_SECONDS}
        rows = sorted(self._conn.execute(_TAKE, asked))
        return [
            Taken(row.event, json.loads(row.payload), float(row.age), row.guild_id) for row in rows
        ]

    def withdraw(self, key: str) -> bool:
        """Take one event back; False when a worker has it."""
        mine = delete(inbox).where(inbox.c.key == key, inbox.c.taken_at.is_(None))
        return bool(self._conn.execute(mine).rowcount)

    def depth(self) -> tuple[int, float]:
        """How many events wait, and how many seconds the oldest has waited."""
        number, oldest = self._conn.execute(
            select(func.count(), func.coalesce(_NOW - func.min(inbox.c.received_at), 0)).where(
                inbox.c.taken_at.is_(None)
            )
        ).one()
        return number, float(oldest)


class ServerStates:
    """What every server looks like, for a worker that takes one: Discord tells only gateways."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def change(self, heard: Heard) -> None:
        """Store a change; a server that is described anew, or left, needs no older ones."""
        guild_id = heard.guild_id or 0
        left = heard.event == "GUILD_DELETE" and not json.loads(heard.payload).get("unavailable")
        if left or heard.event == "GUILD_CREATE":
            self._drop(server_states.c.guild_id == guild_id)
        if left:
            ServerRepository(self._conn).leave(guild_id, _now(self._conn))
            return
        if heard.event == "GUILD_CREATE":
            ServerRepository(self._conn).rejoin(guild_id)
        row = {"guild_id": guild_id, "event": heard.event, "payload": heard.payload}
        self._conn.execute(insert(server_states), row)

    def identified(self, ready: Any) -> None:
        """A shard identified: servers that it does not name any more were left."""
        shard, count = ready["shard"]
        gone = _of_shard(server_states.c.guild_id, shard, count) & server_states.c.guild_id.not_in(
            ready["guilds"]
        )
        left = select(server_states.c.guild_id).where(gone).distinct()
        for guild_id in self._conn.execute(left).scalars().all():
            ServerRepository(self._conn).leave(guild_id, _now(self._conn))
        self._drop(gone)
        Shards(self._conn).identified(shard)

    def of(self, guild_id: int) -> list[Taken] | None:
        """Every change of a server, in order; None while no gateway could describe it."""
        here = select(server_states.c.event, server_states.c.payload).where(
            server_states.c.guild_id == guild_id
        )
        found = [
            Taken(event, json.loads(payload), 0, guild_id)
            for event, payload in self._conn.execute(here.order_by(server_states.c.id))
        ]
        return found if found or Shards(self._conn).knows(guild_id) else None

    def talked_since(self, shard: int, count: int, moment: float) -> list[int]:
        """The servers of a shard in which something was written after a moment."""
        described = select(server_states.c.guild_id, server_states.c.payload).where(
            _of_shard(server_states.c.guild_id, shard, count),
            server_states.c.event == "GUILD_CREATE",
        )
        after = max(0, int((moment - _DISCORD_EPOCH) * 1000)) * _MILLISECOND
        return [
            guild_id
            for guild_id, payload in self._conn.execute(described)
            if _newest_message(json.loads(payload)) > after
        ]

    def _drop(self, where: Any) -> None:
        self._conn.execute(delete(server_states).where(where))


class Shards:
    """Which shards the bot has, and when they may identify."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def agree(self, wanted: int, in_use: bool) -> int:
        """How many shards all gateways start: as stored while one is connected, else as wanted."""
        stored: int | None = self._conn.execute(select(func.max(shards.c.of))).scalar_one()
        if stored == wanted or (stored and in_use):
            return stored
        self._conn.execute(delete(shards))
        self._conn.execute(delete(server_states))
        moment = {"alive_at": _now(self._conn), "away_since": _now(self._conn)}
        rows = [{"shard": shard, "of": wanted, "known": 0} | moment for shard in range(wanted)]
        self._conn.execute(insert(shards), rows)
        return wanted

    def alive(self, connected: Iterable[int]) -> None:
        """These shards hear events now."""
        where = shards.c.shard.in_(list(connected))
        self._conn.execute(update(shards).where(where).values(alive_at=_NOW))

    def identified(self, shard: int) -> None:
        """A shard has a new session: what happened since it was connected last is missed."""
        values = {"away_since": shards.c.alive_at, "alive_at": _NOW, "known": 1}
        self._conn.execute(update(shards).where(shards.c.shard == shard).values(values))

    def missed(self, heard: Heard) -> Iterator[Heard]:
        """For each server in which the shard may have missed something, since when it did."""
        told = json.loads(heard.payload)
        shard, count = told["shard"], told["of"]
        away = select(shards.c.away_since).where(shards.c.shard == shard)
        since: float | None = self._conn.execute(away).scalar_one_or_none()
        told["since"] = since
        under_way = select(runs.c.guild_id).where(
            runs.c.finished_at.is_(None), _of_shard(runs.c.guild_id, shard, count)
        )
        moment = min(since or math.inf, _now(self._conn)) - _UNREAD_SECONDS
        talked = ServerStates(self._conn).talked_since(shard, count, moment)
        for server in sorted({*talked, *self._conn.execute(under_way.distinct()).scalars()}):
            yield Heard(heard.event, json.dumps(told), server=server)

    def knows(self, guild_id: int) -> bool:
        """Whether the shard of a server has said which servers it has."""
        count: int | None = self._conn.execute(select(func.max(shards.c.of))).scalar_one()
        if not count:
            return False
        known = select(shards.c.known).where(shards.c.shard == guild_id // _MILLISECOND % count)
        return bool(self._conn.execute(known).scalar())

    def all(self) -> list[ShardState]:
        """Every shard."""
        found = select(shards.c.shard, shards.c.of, shards.c.known, _NOW - shards.c.alive_at)
        rows = self._conn.execute(found.order_by(shards.c.shard))
        return [ShardState(shard, of, bool(known), float(ago)) for shard, of, known, ago in rows]

    def reserve_identify(self, key: int, pause: float) -> float:
        """Reserve the key's next turn to identify; returns the seconds until then."""
        wait = self._conn.execute(_RESERVE, {"key": key, "pause": pause}).scalar_one()
        return max(0.0, float(wait))


def left_over(conn: Connection, since: float) -> set[int]:
    """The servers in which an earlier process left something to be done, now or later."""
    open_runs = select(runs.c.guild_id).where(runs.c.finished_at.is_(None))
    later = select(decisions.c.guild_id).where(
        decisions.c.look_at.is_not(None) | (decisions.c.told < decisions.c.answers)
    )
    voting = select(runs.c.guild_id).where(runs.c.id.in_(BallotRepository(conn).untold()))
    unheard = select(inbox.c.guild_id).where(inbox.c.taken_at.is_(None))
    queries = (open_runs, later, voting, unheard)
    found = {guild for query in queries for guild in conn.execute(query.distinct()).scalars()}
    asked = FollowUpRepository(conn).still_open(since)
    return found | {each.message.guild_id for each in asked}


def _of_shard(guild_id: Any, shard: int, count: int) -> Any:
    return guild_id // _MILLISECOND % count == shard


def _newest_message(guild: Any) -> int:
    """The newest message that a server's description names."""
    places = (*guild.get("channels", ()), *guild.get("threads", ()))
    return max((int(place.get("last_message_id") or 0) for place in places), default=0)


def _now(conn: Connection) -> float:
    return float(conn.execute(select(_NOW)).scalar_one())
