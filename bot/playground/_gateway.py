"""The gateway: sessions over websockets, intents, resuming, and what each bot may hear."""

import asyncio
import json
import secrets
from typing import Any

from aiohttp import web

from bot.playground._basics import Wire
from bot.playground.faults import Faults
from bot.playground.model import Change, World

_MEMBERS, MESSAGE_CONTENT = 1 << 1, 1 << 15
PRIVILEGED = _MEMBERS | 1 << 8 | MESSAGE_CONTENT
# What Discord knows, takes without shards, and asks for, all of which tests may change.
KNOWN, MOST_GUILDS, HEARTBEAT = 0x331FFFF, 2500, 41_250
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
_Outbox = asyncio.Queue[str]


class _Session:
    """One identified bot, which survives its sockets."""

    def __init__(self, intents: int, outbox: _Outbox) -> None:
        self.intents, self.id, self.silent = intents, secrets.token_hex(16), False
        self.outbox: _Outbox | None = outbox
        self.sent: list[str] = []

    def push(self, name: str, payload: Wire) -> None:
        number = len(self.sent) + 1
        self.sent.append(json.dumps({"op": 0, "t": name, "s": number, "d": payload}))
        if self.outbox and not self.silent:
            self.outbox.put_nowait(self.sent[-1])


class Gateway:
    """Serves `/gateway` and carries every change to the sessions that may hear it."""

    def __init__(self, world: World, token: str, approved: int, faults: Faults) -> None:
        self._world, self.token, self._approved, self._faults = world, token, approved, faults
        self._sockets: dict[web.WebSocketResponse, _Outbox] = {}
        self.sessions: dict[str, _Session] = {}
        self.url = ""
        world.listeners.append(self._hear)

    async def drop_connections(self, code: int = 4000) -> None:
        """Close every socket; with the default code the bot resumes."""
        for socket in tuple(self._sockets):
            await socket.close(code=code)

    async def invalidate_sessions(self) -> None:
        """Drop every session: the bot must identify again and misses the events in between."""
        self.sessions.clear()
        for outbox in self._sockets.values():
            _send(outbox, 9, data=False)

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
            del self._sockets[socket]
            if session and session.outbox is outbox:
                session.outbox = None
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
            session = _Session(data["intents"], outbox)
            self._identify(session)
        elif op == 6 and (known := self.sessions.get(data["session_id"])):
            session = known
            session.outbox, session.silent = outbox, False
            for text in session.sent[data["seq"] or 0 :]:
                outbox.put_nowait(text)
            session.push("RESUMED", {})
        elif op == 6:
            _send(outbox, 9, data=False)
        return session

    def _refuse(self, asked: Wire) -> int:
        """The code with which Discord ends a connection for good, or 0."""
        intents = asked.get("intents", 0)
        faults = {
            4004: asked["token"] != self.token,
            4011: len(self._world.guilds) > MOST_GUILDS,
            4013: intents & ~KNOWN,
            4014: intents & PRIVILEGED & ~self._approved,
        }
        return next((code for code, fault in faults.items() if fault), 0)

    def _identify(self, session: _Session) -> None:
        self.sessions[session.id], world = session, self._world
        bot, stubs = world.bot, [{"id": str(guild), "unavailable": True} for guild in world.guilds]
        ready: Wire = {"v": 10, "user": bot.wire(), "guilds": stubs, "session_id": session.id}
        session.push("READY", ready | {"resume_gateway_url": self.url})
        for guild in world.guilds.values():
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
        for session in self.sessions.values():
            if session.intents & heard:
                hides = change.message is not None and not session.intents & MESSAGE_CONTENT
                session.push(change.name, self._world.censored(payload) if hides else payload)


def _send(outbox: _Outbox, op: int, data: Any = None) -> None:
    outbox.put_nowait(json.dumps({"op": op, "d": data}))


async def _write(socket: web.WebSocketResponse, outbox: _Outbox) -> None:
    while True:
        text = await outbox.get()
        if not socket.closed:
            await socket.send_str(text)
