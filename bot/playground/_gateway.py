"""The gateway: sessions over websockets, shards, intents, resuming, and what each may hear."""

import asyncio
import json
import math
import secrets
from typing import Any

from aiohttp import web

from bot.playground._basics import Wire
from bot.playground.faults import Faults, SessionStarts
from bot.playground.model import Change, Guild, World

_MEMBERS, MESSAGE_CONTENT = 1 << 1, 1 << 15
PRIVILEGED = _MEMBERS | 1 << 8 | MESSAGE_CONTENT
# What Discord knows and asks for, which tests may change.
KNOWN, HEARTBEAT = 0x331FFFF, 41_250
# An event is heard with the first number in a server, with the second in a direct conversation.
_INTENTS = (
    ("INTERACTION_CREATE", -1, -1),
    ("GUILD_MEMBER", _MEMBERS, 0),
    ("WEBHOOKS", 1 << 5, 0),
    ("MESSAGE_REACTION", 1 << 10, 1 << 13),
    ("MESSAGE_", 1 << 9, 1 << 12),
    ("TYPING", 1 << 11, 1 << 14),
    ("", 1, 1),
)
# A bot that closes with these says that it does not come back.
_FINAL = (1000, 1001)
_Outbox = asyncio.Queue[str]


class _Session:
    """One identified shard, which survives its sockets."""

    def __init__(self, data: Wire, outbox: _Outbox) -> None:
        self.intents, self.id, self.silent = data["intents"], secrets.token_hex(16), False
        shard, shards = data.get("shard") or (0, 1)
        self.shard, self.shards = int(shard), int(shards)
        self.outbox: _Outbox | None = outbox
        self.until = math.inf
        self.sent: list[str] = []

    def serves(self, guild_id: int) -> bool:
        """Whether the events of a server, or of direct conversations (0), are sent here."""
        return (guild_id >> 22) % self.shards == self.shard

    def resume(self, outbox: _Outbox, seq: int) -> None:
        self.outbox, self.silent, self.until = outbox, False, math.inf
        for text in self.sent[seq:]:
            outbox.put_nowait(text)
        self.push("RESUMED", {})

    def push(self, name: str, payload: Wire) -> None:
        number = len(self.sent) + 1
        self.sent.append(json.dumps({"op": 0, "t": name, "s": number, "d": payload}))
        if self.outbox and not self.silent:
            self.outbox.put_nowait(self.sent[-1])


class Gateway:
    """Serves `/gateway` and carries every change to the sessions that may hear it."""

    def __init__(
        self, world: World, token: str, approved: int, faults: Faults, starts: SessionStarts
    ) -> None:
        self._world, self.token, self._approved, self._faults = world, token, approved, faults
        self._starts = starts
        self._sockets: dict[web.WebSocketResponse, _Outbox] = {}
        self.sessions: dict[str, _Session] = {}
        self.url = ""
        world.listeners.append(self._hear)

    async def drop_connections(self, code: int = 4000) -> None:
        """Close every socket; with the default code the bot resumes."""
        for socket in tuple(self._sockets):
            del self._sockets[socket]
            await socket.close(code=code)

    async def invalidate_sessions(self, shard: int | None = None) -> None:
        """Drop sessions, of one shard or all: it identifies again and misses what is between."""
        for session in tuple(self.sessions.values()):
            if shard in (None, session.shard):
                del self.sessions[session.id]
                if session.outbox:
                    _send(session.outbox, 9, data=False)

    def silence(self) -> None:
        """Stop sending and acknowledging anything on the present connections."""
        for session in self.sessions.values():
            session.silent = True

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        socket, outbox = web.WebSocketResponse(max_msg_size=0), _Outbox()
        await socket.prepare(request)
        self._sockets[socket] = outbox
        _send(outbox, 10, {"heartbeat_interval": HEARTBEAT})
        writer = asyncio.create_task(_write(socket, outbox))
        session: _Session | None = None
        try:
            async for frame in socket:
                session = await self._receive(socket, outbox, session, json.loads(frame.data))
        finally:
            writer.cancel()
            ours = self._sockets.pop(socket, None) is None
            if session and session.outbox is outbox:
                left = self._starts.resumable * (ours or socket.close_code not in _FINAL)
                session.outbox, session.until = None, self._starts.clock() + left
        return socket

    async def _receive(
        self, socket: web.WebSocketResponse, outbox: _Outbox, session: _Session | None, frame: Wire
    ) -> _Session | None:
        op, data = frame["op"], frame.get("d") or {}
        if op == 1 and not (session and session.silent):
            _send(outbox, 11)
        elif op in (2, 6) and (code := self._refuse(data)):
            await socket.close(code=code)
        elif op == 2:
            session = _Session(data, outbox)
            await self._start(socket, session)
        elif op == 6:
            session = self.sessions.get(data["session_id"])
            if not session or session.until <= self._starts.clock():
                _send(outbox, 9, data=False)
            elif data["seq"] > len(session.sent):
                del self.sessions[session.id]
                await socket.close(code=4007)
            else:
                session.resume(outbox, data["seq"])
        return session

    def _refuse(self, asked: Wire) -> int:
        """The code with which Discord ends a connection for good, or 0."""
        intents = asked.get("intents", 0)
        faults = {
            4004: asked["token"] != self.token,
            4013: intents & ~KNOWN,
            4014: intents & PRIVILEGED & ~self._approved,
        }
        return next((code for code, fault in faults.items() if fault), 0)

    async def _start(self, socket: web.WebSocketResponse, session: _Session) -> None:
        starts, outbox = self._starts, self._sockets[socket]
        served = [guild for guild in self._world.guilds.values() if session.serves(guild.id)]
        if not 0 <= session.shard < session.shards:
            await socket.close(code=4010, message=b"Invalid shard.")
        elif len(served) > starts.most_guilds:
            await socket.close(code=4011, message=b"Sharding required.")
        elif starts.used >= starts.total:
            # Discord resets the token of a bot that starts more sessions in a day.
            await self.drop_connections(4004)
        elif starts.too_soon(session.shard):
            _send(outbox, 9, data=False)
        else:
            self._identify(session, served)

    def _identify(self, session: _Session, served: list[Guild]) -> None:
        self.sessions[session.id], world = session, self._world
        bot, stubs = world.bot, [{"id": str(guild.id), "unavailable": True} for guild in served]
        ready: Wire = {"v": 10, "user": bot.wire(), "guilds": stubs, "session_id": session.id}
        ready["shard"] = [session.shard, session.shards]
        session.push("READY", ready | {"resume_gateway_url": self.url})
        for guild in served:
            known = guild.members if session.intents & _MEMBERS else (bot.id,)
            body: Wire = {"members": [guild.member(world.users[user]) for user in known]}
            body |= {"channels": world.channels_of(guild), "threads": world.active_threads(guild)}
            session.push("GUILD_CREATE", guild.wire() | body | {"large": False})

    def _hear(self, change: Change) -> None:
        if self._world.bot.id not in change.viewers:
            return
        for delay, event in self._faults.deliveries(change):
            if delay:
                asyncio.get_running_loop().call_later(delay, self._deliver, event)
            else:
                self._deliver(event)

    def _deliver(self, change: Change) -> None:
        payload, direct = change.payload, "guild_id" not in change.payload
        heard = next(pair[direct] for name, *pair in _INTENTS if change.name.startswith(name))
        guild_id = int(payload.get("guild_id", 0))
        for session in self.sessions.values():
            if session.intents & heard and session.serves(guild_id):
                hides = change.message is not None and not session.intents & MESSAGE_CONTENT
                session.push(change.name, self._world.censored(payload) if hides else payload)


def _send(outbox: _Outbox, op: int, data: Any = None) -> None:
    outbox.put_nowait(json.dumps({"op": op, "d": data}))


async def _write(socket: web.WebSocketResponse, outbox: _Outbox) -> None:
    while True:
        text = await outbox.get()
        if not socket.closed:
            await socket.send_str(text)
