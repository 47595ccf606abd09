"""What every server looks like, for a worker that takes one: Discord tells only gateways."""

import json
import math
from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select

from bot.store.fleet.shards import MILLISECOND, Shards, of_shard
from bot.store.repositories.servers import ServerRepository
from bot.store.tables import server_states
from bot.store.tables.fleet import DATABASE_NOW
from bot.types.gateway_events import GatewayEvent, TakenEvent

_DESCRIPTION: Final = "GUILD_CREATE"
_UNREAD_SECONDS: Final = 150.0
"""A command in a channel is carried out when it is no older than this."""
_DISCORD_EPOCH: Final = 1_420_070_400


class ServerStates:
    """The changes of every server since it was described, in order."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def change(self, heard: GatewayEvent) -> None:
        """Store a change; a server that is described anew, or left, needs no older ones."""
        left = heard.event == "GUILD_DELETE" and not json.loads(heard.payload).get("unavailable")
        if left or heard.event == _DESCRIPTION:
            self._drop(server_states.c.guild_id == heard.server)
        if left:
            ServerRepository(self._conn).leave(heard.server, self._now())
            return
        if heard.event == _DESCRIPTION:
            ServerRepository(self._conn).rejoin(heard.server)
        row = {"guild_id": heard.server, "event": heard.event, "payload": heard.payload}
        self._conn.execute(insert(server_states), row)

    def keep(self, shard: int, count: int, servers: Collection[int]) -> None:
        """Keep these servers of a shard that identified; it was removed from the others."""
        gone = of_shard(server_states.c.guild_id, shard, count) & server_states.c.guild_id.not_in(
            servers
        )
        left = select(server_states.c.guild_id).where(gone).distinct()
        for guild_id in self._conn.execute(left).scalars().all():
            ServerRepository(self._conn).leave(guild_id, self._now())
        self._drop(gone)

    def of(self, guild_id: int) -> list[TakenEvent] | None:
        """Every change of a server, in order; None while no gateway could describe it."""
        here = select(server_states.c.event, server_states.c.payload).where(
            server_states.c.guild_id == guild_id
        )
        found = [
            TakenEvent(event, json.loads(payload), 0, guild_id)
            for event, payload in self._conn.execute(here.order_by(server_states.c.id))
        ]
        return found if found or Shards(self._conn).knows(guild_id) else None

    def talked_since(self, shard: int, count: int, since: float | None) -> list[int]:
        """The servers of a shard in which something was written that nobody may have read."""
        described = select(server_states.c.guild_id, server_states.c.payload).where(
            of_shard(server_states.c.guild_id, shard, count),
            server_states.c.event == _DESCRIPTION,
        )
        moment = min(since or math.inf, self._now()) - _UNREAD_SECONDS
        after = max(0, int((moment - _DISCORD_EPOCH) * 1000)) * MILLISECOND
        return [
            guild_id
            for guild_id, payload in self._conn.execute(described)
            if _newest_message(json.loads(payload)) > after
        ]

    def _drop(self, where: Any) -> None:
        self._conn.execute(delete(server_states).where(where))

    def _now(self) -> float:
        return float(self._conn.execute(select(DATABASE_NOW)).scalar_one())


def _newest_message(guild: Any) -> int:
    """The newest message that a server's description names."""
    places = (*guild.get("channels", ()), *guild.get("threads", ()))
    return max((int(place.get("last_message_id") or 0) for place in places), default=0)
