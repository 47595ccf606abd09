"""What gateways hand to workers: events, what servers look like, and which shards there are.

Several machines write here, so every time is the database's; these tables are used on Postgres.
"""

import json
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, delete, func, insert, select, text, update

from bot.store.repositories.ballots import BallotRepository
from bot.store.repositories.followups import FollowUpRepository
from bot.store.repositories.servers import ServerRepository
from bot.store.tables import (
    decisions,
    inbox,
    processes,
    runs,
    server_states,
    shards,
)

if TYPE_CHECKING:
    import asyncpg

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

STOP: Final = "roundtable_stop"
"""The channel on which all processes hear that Discord refuses requests for a while."""
_TURNS: Final = """
    INSERT INTO request_turns AS known (id, next_at, stopped_until)
    VALUES ($1, extract(epoch FROM clock_timestamp()) + $2, 0)
    ON CONFLICT (id) DO UPDATE SET next_at = $2 +
    greatest(known.next_at, known.stopped_until, extract(epoch FROM clock_timestamp()) - $3)
    RETURNING next_at - $2 - extract(epoch FROM clock_timestamp())
"""
_STOP_TURNS: Final = """
    INSERT INTO request_turns AS known (id, next_at, stopped_until)
    VALUES ($1, 0, extract(epoch FROM clock_timestamp()) + $2)
    ON CONFLICT (id) DO UPDATE SET stopped_until =
    greatest(known.stopped_until, extract(epoch FROM clock_timestamp()) + $2)
"""
_SEEN: Final = """
    INSERT INTO processes (id, role, version, schema, panels, seen_at)
    VALUES ($1, $2, $3, $4, $5, extract(epoch FROM clock_timestamp()))
    ON CONFLICT (id) DO UPDATE SET panels = excluded.panels, seen_at = excluded.seen_at
"""
_UNSEEN: Final = """
    DELETE FROM processes
    WHERE id = $1 OR seen_at < extract(epoch FROM clock_timestamp()) - 3600
"""
_UP_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class ProcessState:
    """A gateway or worker that is up."""

    process: str
    role: str
    version: str
    schema: int
    panels: str


@dataclass(frozen=True, slots=True)
class Heard:
    """An event as it is stored.

    `key` is for what Discord may tell twice, `guild_id` for what changes how a server looks,
    `server` is whose worker hears it (0 is what belongs to no server), and `mark` is the shard, its
    session and the event's number in it.
    """

    event: str
    payload: str
    key: str | None = None
    author_id: int = 0
    guild_id: int | None = None
    server: int = 0
    mark: tuple[int, str, int] | None = None


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
        from bot.store.repositories.jobs import ServerJobs  # noqa: PLC0415 (an extra)

        told = Shards(self._conn)
        news = told.unheard(heard)
        events = [each for one in news for each in self._prepared(one)]
        told.reached(news)
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
        Shards(self._conn).identified(shard, ready.get("session", ""))

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
        """How many shards all gateways start: as wanted; not fewer while one is connected.

        All gateways leave the old ones then, and what is missed meanwhile is read since the moment
        when the first of them was certainly connected.
        """
        stored, since = self._conn.execute(
            select(func.max(shards.c.of), func.coalesce(func.min(shards.c.alive_at), _NOW))
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
        self._conn.execute(update(shards).where(where).values(alive_at=_NOW))
        number: int | None = self._conn.execute(select(func.max(shards.c.of))).scalar_one()
        return number == of

    def identified(self, shard: int, session: str = "") -> None:
        """A shard has a new session: what happened since it was connected last is missed."""
        values = {"away_since": shards.c.alive_at, "alive_at": _NOW, "known": 1}
        values |= {"session_id": session, "seq": 0, "resume_url": ""}
        self._conn.execute(update(shards).where(shards.c.shard == shard).values(values))

    def unheard(self, heard: Sequence[Heard]) -> Sequence[Heard]:
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

    def reached(self, heard: Iterable[Heard]) -> None:
        """How far the sessions are with these events.

        Kept in the transaction that stores them, so that whoever resumes goes on right behind.
        """
        newest = {each.mark[:2]: each.mark[2] for each in heard if each.mark is not None}
        for (shard, session), seq in newest.items():
            self._conn.execute(_of_session(shard, session).values(seq=seq))

    def missed(self, heard: Heard) -> Iterator[Heard]:
        """For each server in which the shard may have missed something, since when it did.

        Its servers are described, so from now on the session may be resumed by another gateway.
        """
        told = json.loads(heard.payload)
        session, seq, url = told.pop("resume", ("", 0, ""))
        self._conn.execute(_of_session(told["shard"], session).values(resume_url=url, seq=seq))
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

    def session(self, shard: int) -> tuple[str, int, str] | None:
        """The session of a shard to resume, how far it is and where; None if there is none."""
        found = select(shards.c.session_id, shards.c.seq, shards.c.resume_url)
        row = self._conn.execute(found.where(shards.c.shard == shard)).one_or_none()
        return (row[0], row[1], row[2]) if row and row[0] and row[2] else None

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


class Processes:
    """Who is up, as each process says of itself on a connection of its own."""

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection

    async def seen(self, state: ProcessState) -> None:
        """This process is up."""
        told = (state.process, state.role, state.version, state.schema, state.panels)
        await self._connection.execute(_SEEN, *told)

    async def gone(self, process: str) -> None:
        """This process ends."""
        await self._connection.execute(_UNSEEN, process)

    @staticmethod
    def all(conn: Connection) -> list[ProcessState]:
        """Every process that was seen lately."""
        recent = processes.c.seen_at > _NOW - _UP_SECONDS
        columns = (processes.c[name] for name in ("id", "role", "version", "schema", "panels"))
        rows = conn.execute(
            select(*columns).where(recent).order_by(processes.c.role, processes.c.id)
        )
        return [ProcessState(*row) for row in rows]


def _of_session(shard: int, session: str) -> Any:
    return update(shards).where(shards.c.shard == shard, shards.c.session_id == session)


class RequestTurns:
    """Hands out the turns of requests; on a connection of its own, because everybody waits."""

    def __init__(self, connection: "asyncpg.Connection[Any]") -> None:
        self._connection = connection

    async def reserve(self, lane: str, seconds: float, burst: float) -> float:
        """Reserve so many seconds of a lane, of which `burst` may be past; returns when it begins.

        That is counted from now and may be negative.
        """
        return float(await self._connection.fetchval(_TURNS, lane, seconds, burst))

    async def stop(self, lane: str, seconds: float) -> None:
        """Hand out no turns for so long, and tell everybody who has some."""
        await self._connection.execute(_STOP_TURNS, lane, seconds)
        told = f"{lane} {seconds}"
        await self._connection.execute("SELECT pg_notify($1, $2)", STOP, told)


def _now(conn: Connection) -> float:
    return float(conn.execute(select(_NOW)).scalar_one())
