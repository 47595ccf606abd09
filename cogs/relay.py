"""A gateway's client: hears the events of its shards and hands them on, and caches nothing."""

import asyncio
import json
import logging
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, Final, Protocol

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket, ReconnectWebSocket
from discord.shard import Shard

from bot.messages.command_line import FleetText
from bot.types.gateway_events import (
    INTERACTION,
    READY,
    SERVER_EVENTS,
    SHARD_READY,
    GatewayEvent,
)
from cogs.client import intents_for, prompt_heartbeats
from cogs.shards import SECONDS_BETWEEN_IDENTIFIES

log = logging.getLogger(__name__)

_TALK: Final = {
    "MESSAGE_CREATE": "message",
    "MESSAGE_UPDATE": None,
    "MESSAGE_DELETE": "deleted",
    "MESSAGE_DELETE_BULK": None,
    INTERACTION: "interaction",
}
"""What people do, and how its key begins where Discord gives it an id."""
_AUTOCOMPLETE: Final = 4
_TO_BE_RESUMED: Final = 4000
"""Codes 1000 and 1001 would end the session."""
_RESUMED_WITHIN: Final = 30.0
_BROKEN: Final = (discord.DiscordException, aiohttp.ClientError, OSError, TimeoutError)
_OWN: Final = ("queue", "shards")
_ANSWER_AFTER: Final = 2.0
"""Of the three seconds that Discord gives; a worker that works takes an event in milliseconds."""
_LATE_SECONDS: Final = 1.0
"""A gateway on a busy machine may identify so long after its turn came."""
_DESCRIBED_AFTER: Final = 10.0
"""A server that Discord itself cannot reach is not waited for any longer."""


class Relay(Protocol):
    """Where events go."""

    def put(self, event: GatewayEvent) -> None:
        """Hand an event on."""

    async def withdraw(self, key: str) -> bool:
        """Take an event back that no worker has taken."""


class Pace(Protocol):
    """When the next shard may identify."""

    async def wait(self, key: int, seconds: float) -> None:
        """Wait for the turn of a rate limit key."""


class RelayClient(discord.AutoShardedClient):
    """Some of the bot's shards."""

    def __init__(self, relay: Relay, pace: Pace, http_trace: aiohttp.TraceConfig) -> None:
        super().__init__(
            intents=intents_for(reads_messages=True),
            shard_count=1,
            max_messages=None,
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            http_trace=http_trace,
        )
        self._relay, self._pace = relay, pace
        self._undescribed: dict[int, set[int]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self.max_concurrency = 1
        # In place of discord.py's own, which would build a cache that nobody reads here.
        self._connection.parsers = self._parsers()

    async def connect(self, *, reconnect: bool = True) -> None:
        """Hold the connections, and measure their latency from the heartbeat that went."""
        with prompt_heartbeats():
            await super().connect(reconnect=reconnect)

    async def launch_shards(self) -> None:
        """Begin without any: which ones is decided together with other gateways."""
        self._connection.shard_count = self.shard_count
        self._connection.shard_ids = range(self.shard_count or 1)

    async def launch(self, shard_id: int, session: tuple[str, int, str] | None) -> None:
        """Connect a shard; resume its session, if Discord lets it."""
        if session is None or not await self._resume(shard_id, *session):
            await self.launch_shard(DiscordWebSocket.DEFAULT_GATEWAY, shard_id)

    async def _resume(self, shard_id: int, session: str, seq: int, url: str) -> bool:
        """Go on with the session of another process; False where it cannot be asked for.

        discord.py resumes only what this client began, and keeps its shards to itself.
        """
        asked = DiscordWebSocket.from_client(
            self,
            gateway=yarl.URL(url),
            shard_id=shard_id,
            session=session,
            sequence=seq,
            resume=True,
        )
        try:
            socket = await asyncio.wait_for(asked, _RESUMED_WITHIN)
        except (*_BROKEN, ReconnectWebSocket) as error:
            log.info("the session of shard %d is not resumed: %s", shard_id, type(error).__name__)
            return False
        queue, shards = (getattr(self, f"_AutoShardedClient__{name}") for name in _OWN)
        shards[shard_id] = shard = Shard(socket, self, queue.put_nowait)
        shard.launch()
        return True

    async def drop(self, shard_id: int) -> None:
        """Disconnect a shard, with a code that leaves its session to whoever resumes it."""
        self._undescribed.pop(shard_id, None)
        shard = self.get_shard(shard_id)
        if shard is not None and not shard.is_closed():
            shard._parent._cancel_task()  # discord.py itself would close with 1000
            await shard._parent.ws.close(code=_TO_BE_RESUMED)

    def _mark(self, guild_id: int | None) -> tuple[int, str, int] | None:
        """Which event of which session is being heard, that of a server or a direct one."""
        shard = self.get_shard(((guild_id or 0) >> 22) % (self.shard_count or 1))
        if shard is None:
            return None
        socket = shard._parent.ws  # nothing public knows the number of an event
        return shard.id, socket.session_id or "", socket.sequence or 0

    def connected(self) -> Collection[int]:
        """The shards that hear events now."""
        return [number for number, shard in self.shards.items() if not shard.is_closed()]

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002
        """Keep to the limit of identifies together with all other gateways."""
        key = (shard_id or 0) % self.max_concurrency
        await self._pace.wait(key, SECONDS_BETWEEN_IDENTIFIES + _LATE_SECONDS)

    def _parsers(self) -> dict[str, Callable[[Any], None]]:
        parsers: dict[str, Callable[[Any], None]] = {
            READY: self._identified,
            "RESUMED": self._connection.parse_resumed,
        }
        parsers |= {event: partial(self._talk, event) for event in _TALK}
        return parsers | {event: partial(self._server, event) for event in SERVER_EVENTS}

    def _talk(self, event: str, data: Any) -> None:
        begin, author = _TALK[event], data.get("author") or (data.get("member") or data).get("user")
        key = f"{begin}:{data['id']}" if begin else None
        author_id, server = int((author or {}).get("id", 0)), int(data.get("guild_id") or 0)
        mark = self._mark(server)
        self._relay.put(GatewayEvent(event, json.dumps(data), key, author_id, server, mark))
        if event == INTERACTION:
            task = asyncio.create_task(self._answer_if_nobody_does(str(key), data))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

    def _server(self, event: str, data: Any) -> None:
        is_server = event in ("GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE")
        guild_id = int(data["id" if is_server else "guild_id"])
        document, mark = json.dumps(data), self._mark(guild_id)
        self._relay.put(GatewayEvent(event, document, server=guild_id, mark=mark))
        if event == "GUILD_CREATE":
            for shard_id, waiting in tuple(self._undescribed.items()):
                waiting.discard(guild_id)
                self._described(shard_id)

    def _identified(self, data: Any) -> None:
        shard_id = data["shard"][0]
        guilds = [int(guild["id"]) for guild in data["guilds"]]
        ready = {"shard": data["shard"], "guilds": guilds, "session": data["session_id"]}
        self._relay.put(GatewayEvent(READY, json.dumps(ready)))
        self._undescribed[shard_id] = set(guilds)
        self._connection.parse_ready(data | {"guilds": []})
        self._described(shard_id)
        self.loop.call_later(_DESCRIBED_AFTER, partial(self._described, shard_id, enough=True))

    def _described(self, shard_id: int, *, enough: bool = False) -> None:
        waiting = self._undescribed.get(shard_id)
        if waiting is not None and (enough or not waiting):
            del self._undescribed[shard_id]
            told: dict[str, Any] = {"shard": shard_id, "of": self.shard_count}
            shard = self.get_shard(shard_id)
            if shard is not None:
                socket = shard._parent.ws
                told["resume"] = socket.session_id or "", socket.sequence or 0, str(socket.gateway)
            self._relay.put(GatewayEvent(SHARD_READY, json.dumps(told)))

    async def _answer_if_nobody_does(self, key: str, data: Any) -> None:
        """Say that nothing was done when no worker took the interaction in time."""
        await asyncio.sleep(_ANSWER_AFTER)
        if not await self._relay.withdraw(key):
            return
        answer = discord.Interaction(data=data, state=self._connection).response
        try:
            if data["type"] == _AUTOCOMPLETE:
                await answer.autocomplete([])
            else:
                await answer.send_message(FleetText.NO_WORKER, ephemeral=True)
        except discord.HTTPException as error:
            log.warning("an interaction could not be answered: %s", error)
