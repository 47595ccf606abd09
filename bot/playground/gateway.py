"""The gateway: sessions over websockets, intents, resuming, and what each bot may hear."""

import asyncio
import json
import secrets
from collections import deque
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from bot.playground import wire
from bot.playground.faults import Faults
from bot.playground.model import Wire
from bot.playground.world import Change, World

MESSAGE_CONTENT = 1 << 15
PRESENCES = 1 << 8
PRIVILEGED = (1 << 1) | PRESENCES | MESSAGE_CONTENT
_HEARTBEAT_MS = 41_250
# An event is heard with the first number in a server, with the second in a direct conversation.
_INTENTS = (
    ("INTERACTION_CREATE", 0, 0),
    ("GUILD_MEMBER", 1 << 1, 0),
    ("WEBHOOKS", 1 << 5, 0),
    ("MESSAGE_REACTION", 1 << 10, 1 << 13),
    ("MESSAGE_", 1 << 9, 1 << 12),
    ("TYPING", 1 << 11, 1 << 14),
    ("", 1, 1),
)


@dataclass(slots=True)
class Session:
    """One identified bot connection, which survives its sockets."""

    intents: int
    id: str = field(default_factory=lambda: secrets.token_hex(16))
    sent: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=5000))
    sequence: int = 0
    outbox: asyncio.Queue[str] | None = None
    silent: bool = False

    def push(self, name: str, payload: Wire) -> None:
        """Send an event and keep it for a resume."""
        self.sequence += 1
        text = json.dumps({"op": 0, "t": name, "s": self.sequence, "d": payload})
        self.sent.append((self.sequence, text))
        self.write(text)

    def write(self, text: str) -> None:
        """Hand a frame to the socket, if there is one and it is not silenced."""
        if self.outbox is not None and not self.silent:
            self.outbox.put_nowait(text)


class Gateway:
    """Serves `/gateway` and carries every change to the sessions that may hear it."""

    def __init__(self, world: World, token: str, approved: int, faults: Faults) -> None:
        self.sessions: dict[str, Session] = {}
        self.url = ""
        self._world, self._token, self._approved, self._faults = world, token, approved, faults
        self._sockets: dict[web.WebSocketResponse, Session | None] = {}
        world.listeners.append(self._hear)

    # -- what tests and faults do to connections

    async def drop_connections(self, code: int = 4000) -> None:
        """Close every socket; with the default code the bot resumes."""
        for socket in tuple(self._sockets):
            await socket.close(code=code)

    async def invalidate_sessions(self) -> None:
        """Forget every session, so that the bot must identify anew and loses what happened."""
        self.sessions.clear()
        for socket in tuple(self._sockets):
            await socket.send_str(json.dumps({"op": 9, "d": False}))

    def silence(self, *, silent: bool = True) -> None:
        """Stop sending and acknowledging anything on the present connections."""
        for session in self.sessions.values():
            session.silent = silent

    # -- connections

    async def serve(self, request: web.Request) -> web.WebSocketResponse:
        """Talk to one socket until it closes."""
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        self._sockets[socket] = None
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": _HEARTBEAT_MS}}))
        outbox: asyncio.Queue[str] = asyncio.Queue()
        writer = asyncio.create_task(_write(socket, outbox))
        try:
            async for frame in socket:
                if frame.type == WSMsgType.TEXT:
                    await self._receive(socket, outbox, json.loads(frame.data))
        finally:
            writer.cancel()
            self._leave(socket, outbox)
        return socket

    def _leave(self, socket: web.WebSocketResponse, outbox: asyncio.Queue[str]) -> None:
        session = self._sockets.pop(socket, None)
        if session is not None and session.outbox is outbox:
            session.outbox = None

    async def _receive(
        self, socket: web.WebSocketResponse, outbox: asyncio.Queue[str], frame: Wire
    ) -> None:
        op, data = frame["op"], frame.get("d") or {}
        session = self._sockets.get(socket)
        if op == 1 and not (session and session.silent):
            outbox.put_nowait(json.dumps({"op": 11}))
        elif op in (2, 6) and data["token"].removeprefix("Bot ") != self._token:
            await socket.close(code=4004, message=b"Authentication failed.")
        elif op == 2 and data["intents"] & PRIVILEGED & ~self._approved:
            await socket.close(code=4014, message=b"Disallowed intent(s).")
        elif op == 2:
            self._identify(socket, outbox, data)
        elif op == 6:
            self._resume(socket, outbox, data)
        elif op == 8 and session:
            self._send_members(session, data)

    def _identify(
        self, socket: web.WebSocketResponse, outbox: asyncio.Queue[str], data: Wire
    ) -> None:
        session = Session(data["intents"], outbox=outbox)
        self.sessions[session.id] = self._sockets[socket] = session
        world = self._world
        stubs = [{"id": str(guild), "unavailable": True} for guild in world.guilds]
        ready: Wire = {
            "v": 10,
            "user": wire.user(world.bot),
            "guilds": stubs,
            "session_id": session.id,
            "resume_gateway_url": self.url,
            "application": {"id": str(world.bot.id), "flags": 0},
        }
        session.push("READY", ready)
        for guild in world.guilds.values():
            everybody = bool(session.intents & PRESENCES)
            session.push("GUILD_CREATE", wire.guild_create(world, guild, everybody=everybody))

    def _resume(
        self, socket: web.WebSocketResponse, outbox: asyncio.Queue[str], data: Wire
    ) -> None:
        session = self.sessions.get(data["session_id"])
        if session is None:
            outbox.put_nowait(json.dumps({"op": 9, "d": False}))
            return
        self._sockets[socket] = session
        session.outbox, session.silent = outbox, False
        for sequence, text in session.sent:
            if sequence > (data["seq"] or 0):
                session.write(text)
        session.push("RESUMED", {})

    def _send_members(self, session: Session, data: Wire) -> None:
        guild = self._world.guilds.get(int(data["guild_id"]))
        if guild is None:
            return
        users = [self._world.users[user] for user in guild.members]
        wanted = {int(user) for user in data.get("user_ids") or ()}
        query = str(data.get("query") or "").lower()
        users = [u for u in users if not wanted or u.id in wanted]
        users = [u for u in users if u.name.lower().startswith(query)]
        limit = int(data.get("limit") or 0) or len(users)
        body: Wire = {
            "guild_id": str(guild.id),
            "members": [wire.member(guild, user) for user in users[:limit]],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [str(user) for user in wanted - guild.members.keys()],
        }
        nonce = {"nonce": data["nonce"]} if data.get("nonce") else {}
        session.push("GUILD_MEMBERS_CHUNK", body | nonce)

    # -- events

    def _hear(self, change: Change) -> None:
        if self._world.bot.id not in change.viewers:
            return
        for delay in self._faults.deliveries(change):
            if delay:
                asyncio.get_running_loop().call_later(delay, self._deliver, change)
            else:
                self._deliver(change)
        for held in self._faults.released(change):
            self._deliver(held)

    def _deliver(self, change: Change) -> None:
        direct = "guild_id" not in change.payload
        for session in self.sessions.values():
            if _hears(session.intents, change.name, direct=direct):
                payload = change.payload
                if change.message and not session.intents & MESSAGE_CONTENT:
                    payload = wire.censored(self._world, payload)
                session.push(change.name, payload)


def _hears(intents: int, name: str, *, direct: bool) -> bool:
    for prefix, in_guild, in_direct in _INTENTS:
        if name.startswith(prefix):
            needed = in_direct if direct else in_guild
            return prefix == "INTERACTION_CREATE" or intents & needed != 0
    return False


async def _write(socket: web.WebSocketResponse, outbox: asyncio.Queue[str]) -> None:
    while True:
        text = await outbox.get()
        if not socket.closed:
            await socket.send_str(text)
