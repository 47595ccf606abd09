"""What waits for workers: the events that gateways heard, and what an earlier process left."""

import json
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from sqlalchemy import Connection, delete, func, select, text

from bot.store.fleet.server_states import ServerStates
from bot.store.fleet.shards import Shards, of_shard
from bot.store.repositories.ballots import BallotRepository
from bot.store.repositories.followups import FollowUpRepository
from bot.store.tables import decisions, inbox, runs
from bot.store.tables.fleet import DATABASE_NOW
from bot.types.gateway_events import (
    READY,
    SERVER_EVENTS,
    SHARD_READY,
    GatewayEvent,
    TakenEvent,
)

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
_LOOKS: Final = SERVER_EVENTS - {"THREAD_DELETE"}
"""What a worker that does not hold the server learns when it takes it.

A deleted thread wakes one: what people said there is erased.
"""


class InboxRepository:
    """The events between gateways and workers."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def add(self, heard: Sequence[GatewayEvent]) -> None:
        """Store events in order, each once, and wake the workers that they are for."""
        from bot.store.fleet.jobs import ServerJobs  # noqa: PLC0415 (an extra)

        shards = Shards(self._conn)
        news = shards.unheard(heard)
        events = [each for one in news for each in self._prepared(one)]
        shards.reached(news)
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

    def take(self, most: int, servers: Collection[int]) -> list[TakenEvent]:
        """Take the oldest events of these servers out, in order."""
        asked = {"most": most, "servers": list(servers), "kept": _KEPT_SECONDS}
        return [
            TakenEvent(row.event, json.loads(row.payload), float(row.age), row.guild_id)
            for row in sorted(self._conn.execute(_TAKE, asked))
        ]

    def withdraw(self, key: str) -> bool:
        """Take one event back; False when a worker has it."""
        mine = delete(inbox).where(inbox.c.key == key, inbox.c.taken_at.is_(None))
        return bool(self._conn.execute(mine).rowcount)

    def depth(self) -> tuple[int, float]:
        """How many events wait, and how many seconds the oldest has waited."""
        waited = func.coalesce(DATABASE_NOW - func.min(inbox.c.received_at), 0)
        waiting = select(func.count(), waited).where(inbox.c.taken_at.is_(None))
        number, oldest = self._conn.execute(waiting).one()
        return number, float(oldest)

    def _prepared(self, heard: GatewayEvent) -> Iterator[GatewayEvent]:
        """What workers are told of an event, once its server's state is stored."""
        if heard.event == READY:
            self._identified(heard)
        elif heard.event == SHARD_READY:
            yield from self._missed(heard)
        else:
            if heard.event in SERVER_EVENTS:
                ServerStates(self._conn).change(heard)
            yield heard

    def _identified(self, heard: GatewayEvent) -> None:
        """A shard has a new session, and names its servers."""
        ready = json.loads(heard.payload)
        shard, count = ready["shard"]
        ServerStates(self._conn).keep(shard, count, ready["guilds"])
        Shards(self._conn).identified(shard, ready.get("session", ""))

    def _missed(self, heard: GatewayEvent) -> Iterator[GatewayEvent]:
        """For each server in which the shard may have missed something, since when it did."""
        told = json.loads(heard.payload)
        shard, count = told["shard"], told["of"]
        shards = Shards(self._conn)
        shards.described(shard, *told.pop("resume", ("", 0, "")))
        told["since"] = since = shards.away_since(shard)
        under_way = select(runs.c.guild_id).where(
            runs.c.finished_at.is_(None), of_shard(runs.c.guild_id, shard, count)
        )
        talked = ServerStates(self._conn).talked_since(shard, count, since)
        for server in sorted({*talked, *self._conn.execute(under_way.distinct()).scalars()}):
            yield GatewayEvent(heard.event, json.dumps(told), server=server)


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
