"""The page's side of the embedded Discord: its files, and the JSON API the page is built on.

`GET /` leads to `/page/`, which serves index.html; /page/NAME.js and /page/NAME.css lie beside it.
Nothing inline runs, nothing foreign loads (Content-Security-Policy). Ids are strings. Objects are
Discord's own (user, role, channel, message, component, command) with these additions:
- message: `pings` {"users": [id], "roles": [id], "everyone": bool}; `ephemeral` bool
- channel: `may` {"speak", "react", "attach", "thread", "manage": bool} of the person; a thread is
  a channel with `parent_id` and `thread_metadata`; a forum has type 15 and `available_tags`
Everybody's face is /cdn/faces/NAME.svg (`author.username`); of attachment urls use the path.

GET /page/people -> {"people": [user]}: who can be played.
WS /page/live?as=USER_ID sends {"t": NAME, "d": DATA}: first SNAPSHOT with
  {"me": user, "guilds": [{"id", "name"}], "guild": the first of them, "channels": [channel],
   "people": [user], "roles": [role], "commands": {guild id: [command]},
   "messages": {channel id: [message, oldest first, at most 50]}, "unread": {channel id: number}}
  then what this person may see: MESSAGE_CREATE, MESSAGE_UPDATE (message), MESSAGE_DELETE {id,
  channel_id}, MESSAGE_DELETE_BULK {ids, channel_id}, CHANNEL_CREATE/UPDATE/DELETE and
  THREAD_CREATE/UPDATE/DELETE (channel; an update may show it for the first time),
  THREAD_MEMBERS_UPDATE, GUILD_MEMBER_ADD, TYPING_START {channel_id, user_id},
  MESSAGE_REACTION_ADD/REMOVE {user_id, channel_id, message_id, emoji}, COMMANDS_UPDATE
  {"commands": as above}, INTERACTION_ANSWER {interaction_id, channel_id, kind: message, deferred,
  acknowledged, update, autocomplete or modal, message_id; for a modal custom_id, title,
  components}. No INTERACTION_ANSWER within 3 s: the application did not respond.

POST with JSON {"as": user id, …} answers {"id": …} of the message, thread or interaction made:
  /page/send {channel_id, text, reply_to?, files?: [{"name", "base64"}]}
  /page/edit {message_id, text}  /page/delete {message_id}  /page/react {message_id, emoji, on?}
  /page/typing {channel_id}  /page/read {channel_id}: everything there has been read
  /page/thread {channel_id, name, message_id?}  /page/post {channel_id, title, text, tags?: [name]}
  /page/press {message_id, custom_id, values?: [text or id]}: buttons and selects
  /page/slash {channel_id, command: "roundtable start", options?: {name: value}}
  /page/menu {message_id, command}: message menu commands (type 3)
  /page/modal {interaction_id, values: {custom_id: text, [values] or bool}}
  /page/autocomplete {channel_id, command, options, focused} -> {"choices": [{"name", "value"}]}
  /page/history {channel_id, before?: message id} -> {"messages": [message, oldest first]}
Errors are {"error": "one sentence"} with a 4xx.

GET /page/faults -> {"http": [fault], "events": [fault], "struck": [text]}; POST /page/faults takes
{"add": {"kind", "route" or "event", …}} (fields of faults.Fault and faults.EventFault),
{"clear": true} or {"gateway": "resume" | "reidentify" | "silence"}.
"""

import asyncio
import base64
from dataclasses import asdict
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.playground import forms, messages, wire
from bot.playground.errors import NotPermitted
from bot.playground.faults import EventFault, Fault, Faults
from bot.playground.gateway import Gateway
from bot.playground.model import Channel, Message, Upload, Wire
from bot.playground.people import Changes, People
from bot.playground.world import Change

_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"}
_HEADERS |= {"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
_RECENT = 50
_NUMBERS = ("as", "channel_id", "message_id", "interaction_id", "reply_to", "before")
_METHODS = {"send": "say", "typing": "type", "thread": "open_thread"} | {
    name: name for name in ("edit", "delete", "react", "post", "press", "slash", "menu")
}
_POWERS = {
    "react": "add_reactions",
    "attach": "attach_files",
    "thread": "create_public_threads",
    "manage": "manage_messages",
}


class Page:
    """Serves `/page` for people in a browser."""

    def __init__(self, people: People, faults: Faults, gateway: Gateway) -> None:
        self._people, self._world = people, people.world
        self._faults, self._gateway = faults, gateway
        self._folder = Path(__file__).with_name("page")
        self._read: dict[tuple[int, int], int] = {}

    def routes(self) -> list[web.RouteDef]:
        """What the page needs of the server."""
        return [
            web.get("/", self._index),
            web.get("/page/", self._file),
            web.get("/page/people", self._list_people),
            web.get("/page/live", self._live),
            web.get("/page/faults", self._list_faults),
            web.post("/page/faults", self._order_fault),
            web.get("/page/{name}", self._file),
            web.post("/page/{action}", self._act),
        ]

    async def _index(self, _: web.Request) -> web.Response:
        raise web.HTTPFound("/page/")

    async def _file(self, request: web.Request) -> web.Response:
        name = request.match_info.get("name", "index.html")
        path = self._folder / Path(name).name
        if path.suffix not in _KINDS or not path.is_file():
            raise web.HTTPNotFound
        text = await asyncio.to_thread(path.read_text, "utf-8")
        return web.Response(text=text, content_type=_KINDS[path.suffix], headers=_HEADERS)

    async def _list_people(self, _: web.Request) -> web.Response:
        people = [u for u in self._world.users.values() if not u.bot]
        return web.json_response({"people": [wire.user(person) for person in people]})

    # -- acting

    async def _act(self, request: web.Request) -> web.Response:
        try:
            body = {key: _value(key, value) for key, value in (await request.json()).items()}
            action, who = request.match_info["action"], body.pop("as")
            own = getattr(self, f"_do_{action}", None)
            if own is not None:
                return web.json_response(await own(who, **body))
            made = await getattr(self._people, _METHODS[action])(who, **body)
            return web.json_response({"id": str(made.id)} if made else {})
        except NotPermitted as refusal:
            return _error(403, str(refusal))
        except (AttributeError, KeyError, ValueError, TypeError) as mistake:
            return _error(400, f"The request does not fit: {mistake!r}.")
        except TimeoutError:
            return _error(408, "The application did not respond.")

    async def _do_read(self, who: int, channel_id: int) -> Wire:
        self._read[who, channel_id] = self._world.ids.next()
        return {}

    async def _do_modal(self, who: int, interaction_id: int, values: Wire) -> Wire:
        for opened in tuple(self._world.interactions.values()):
            if (opened.id, opened.user_id) == (interaction_id, who):
                return {"id": str((await self._people.submit(opened, values)).id)}
        raise NotPermitted("There is no such form for this person.")

    async def _do_autocomplete(self, who: int, channel_id: int, **asked: Any) -> Wire:
        interaction = await self._people.slash(who, channel_id, **asked)
        return {"choices": (await interaction.answer(3.0)).choices}

    async def _do_history(self, who: int, channel_id: int, before: int | None = None) -> Wire:
        channel = self._visible(who, channel_id)
        page = messages.history(channel, {"before": str(before)} if before else {})
        return {"messages": [self._message(m) for m in reversed(page)]}

    def _visible(self, who: int, channel_id: int) -> Channel:
        channel = self._world.channels.get(channel_id)
        if channel is None or not self._world.may(who, channel, "read_message_history"):
            raise NotPermitted("This person cannot read that channel.")
        return channel

    # -- watching

    async def _live(self, request: web.Request) -> web.WebSocketResponse:
        who = int(request.query.get("as", "0"))
        if who not in self._world.users:
            raise web.HTTPNotFound
        socket = web.WebSocketResponse(heartbeat=30)
        await socket.prepare(request)
        changes = self._people.subscribe()
        sender = asyncio.create_task(self._stream(socket, who, changes))
        try:
            async for _ in socket:
                pass
        finally:
            sender.cancel()
            changes.close()
        return socket

    async def _stream(self, socket: web.WebSocketResponse, who: int, changes: Changes) -> None:
        await socket.send_json({"t": "SNAPSHOT", "d": self._snapshot(who)})
        async for change in changes:
            if who in change.viewers:
                await socket.send_json({"t": change.name, "d": self._seen(who, change)})

    def _seen(self, who: int, change: Change) -> Wire:
        if change.name == "COMMANDS_UPDATE":
            channels = self._world.channels.values()
            return {"commands": self._commands(who, [c for c in channels if not c.thread])}
        if change.message:
            return change.payload | _marks(change.message)
        channel = self._world.channels.get(change.channel_id or 0)
        if channel and change.name.startswith(("CHANNEL_", "THREAD_")):
            return change.payload | {"may": self._powers(who, channel)}
        return change.payload

    def _snapshot(self, who: int) -> Wire:
        world = self._world
        guilds = [g for g in world.guilds.values() if who in g.members]
        seen = [c for c in world.channels.values() if world.may(who, c, "view_channel")]
        names = [{"id": str(g.id), "name": g.name} for g in guilds]
        return {
            "me": wire.user(world.users[who]),
            "guilds": names,
            "guild": names[0] if names else None,
            "channels": [wire.channel(world, c) | {"may": self._powers(who, c)} for c in seen],
            "people": [wire.user(user) for user in world.users.values()],
            "roles": [wire.role(role) for g in guilds for role in g.roles.values()],
            "commands": self._commands(who, seen),
            "messages": {str(c.id): self._recent(who, c) for c in seen},
            "unread": {str(c.id): self._unread(who, c) for c in seen},
        }

    def _commands(self, who: int, seen: list[Channel]) -> Wire:
        first = {str(c.guild_id): c for c in reversed(seen)}
        return {guild: forms.commands_for(self._world, c, who) for guild, c in first.items()}

    def _recent(self, who: int, channel: Channel) -> list[Wire]:
        shown = [m for m in channel.messages.values() if m.only_for in (None, who)]
        return [self._message(m) for m in shown[-_RECENT:]]

    def _unread(self, who: int, channel: Channel) -> int:
        since = self._read.get((who, channel.id), 0)
        return sum(m.counts and m.id > since for m in channel.messages.values())

    def _powers(self, who: int, channel: Channel) -> dict[str, bool]:
        names = _POWERS | {"speak": self._world.speech(channel)}
        return {key: self._world.may(who, channel, name) for key, name in names.items()}

    def _message(self, message: Message) -> Wire:
        return wire.message(self._world, message) | _marks(message)

    # -- faults

    async def _list_faults(self, _: web.Request) -> web.Response:
        faults = self._faults
        http, events = [asdict(f) for f in faults.http], [asdict(f) for f in faults.events]
        return web.json_response({"http": http, "events": events, "struck": faults.struck})

    async def _order_fault(self, request: web.Request) -> web.Response:
        body = await request.json()
        try:
            if body.get("clear"):
                self._faults.clear()
            if ordered := body.get("add"):
                self._faults.add((EventFault if "event" in ordered else Fault)(**ordered))
        except TypeError as mistake:
            return _error(400, f"There is no such fault: {mistake}.")
        match body.get("gateway"):
            case "resume":
                await self._gateway.drop_connections()
            case "reidentify":
                await self._gateway.invalidate_sessions()
            case "silence":
                self._gateway.silence()
        return await self._list_faults(request)


def _value(key: str, value: Any) -> Any:
    if key == "files":
        return [Upload(file["name"], base64.b64decode(file["base64"])) for file in value]
    return int(value) if key in _NUMBERS and value is not None else value


def _marks(message: Message) -> Wire:
    pings = message.pings
    users, roles = [str(u) for u in pings.users], [str(r) for r in pings.roles]
    listed = {"users": users, "roles": roles, "everyone": pings.everyone}
    return {"pings": listed, "ephemeral": message.only_for is not None}


def _error(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)
