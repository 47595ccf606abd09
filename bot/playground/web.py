"""The page's side of the embedded Discord: its files, and the JSON API the page is built on.

`GET /` leads to `/page/`, which serves index.html; /page/NAME.js and /page/NAME.css lie beside it.
Nothing inline runs, nothing foreign loads (Content-Security-Policy). Ids are strings. Objects are
Discord's own (user, role, channel, message, component, command) with these additions:
- message: `pings` {"users": [id], "roles": [id], "everyone": bool}; `ephemeral` bool
- channel: `may` {"speak", "react", "attach", "thread", "manage": bool} of the person; a thread is
  a channel with `parent_id` and `thread_metadata`; a forum has type 15 and `available_tags`
Everybody's face is /cdn/faces/NAME (`author.username`); of attachment urls use the path.

GET /page/people -> {"people": [user]}: who can be played.
GET /page/about -> what the program says of itself, such as {"note": str, "version": str}.
WS /page/live?as=USER_ID sends {"t": NAME, "d": DATA}: first SNAPSHOT with
  {"me": user, "guild": the first server, "channels": [channel],
   "people": [user], "roles": [role], "commands": {guild id: [command]},
   "messages": {channel id: [message, oldest first, at most 50]}, "unread": {channel id: number}}
  then what this person may see: MESSAGE_CREATE, MESSAGE_UPDATE (message), MESSAGE_DELETE {id,
  channel_id}, CHANNEL_CREATE/UPDATE and THREAD_CREATE/UPDATE/DELETE (channel; an update may show
  it for the first time), THREAD_MEMBERS_UPDATE, GUILD_MEMBER_ADD, TYPING_START {channel_id,
  user_id}, MESSAGE_REACTION_ADD/REMOVE {user_id, channel_id, message_id, emoji}, COMMANDS_UPDATE
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

from bot.playground._basics import Wire
from bot.playground._gateway import Gateway
from bot.playground._messages import history
from bot.playground._people import Changes, People, commands_for
from bot.playground.errors import NotPermitted
from bot.playground.faults import EventFault, Fault, Faults
from bot.playground.model import Change, Channel, Message, Upload

_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_OWN = "script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"
_POLICY = f"default-src 'none'; {_OWN}; base-uri 'none'; frame-ancestors 'none'"
_HEADERS = {"Content-Security-Policy": _POLICY, "X-Content-Type-Options": "nosniff"}
_HEADERS |= {"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"}
_RECENT = 50
_NUMBERS = ("as", "channel_id", "message_id", "interaction_id", "reply_to", "before")
_METHODS = {"send": "say", "typing": "type", "thread": "open_thread"} | {
    name: name for name in ("edit", "delete", "react", "post", "press", "slash", "menu")
}
_POWERS = {"react": "add_reactions", "attach": "attach_files", "manage": "manage_messages"}
_POWERS |= {"thread": "create_public_threads"}


class Page:
    """Serves `/page` for people in a browser."""

    def __init__(self, people: People, faults: Faults, gateway: Gateway) -> None:
        self._people, self._world = people, people.world
        self._faults, self._gateway = faults, gateway

    def routes(self) -> list[web.RouteDef]:
        """What the page needs of the server."""
        return [
            web.get("/", self._index),
            web.get("/page/", self._file),
            web.get("/page/people", self._list_people),
            web.get("/page/about", self._about),
            web.get("/page/live", self._live),
            web.get("/page/faults", self._list_faults),
            web.post("/page/faults", self._order_fault),
            web.get("/page/{name}", self._file),
            web.post("/page/{action}", self._act),
        ]

    async def _index(self, _: web.Request) -> web.Response:
        raise web.HTTPFound("/page/")

    async def _file(self, request: web.Request) -> web.Response:
        name = Path(request.match_info.get("name", "index.html")).name
        path = Path(__file__).with_name("page") / name
        if path.suffix not in _KINDS or not path.is_file():
            raise web.HTTPNotFound
        text = await asyncio.to_thread(path.read_text, "utf-8")
        return web.Response(text=text, content_type=_KINDS[path.suffix], headers=_HEADERS)

    async def _list_people(self, _: web.Request) -> web.Response:
        people = [user.wire() for user in self._world.users.values() if not user.bot]
        return web.json_response({"people": people})

    async def _about(self, _: web.Request) -> web.Response:
        return web.json_response(self._world.about)

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
        except (AttributeError, KeyError, ValueError, TypeError):
            return _error(400, "That does not fit: check what you entered and try again.")
        except TimeoutError:
            return _error(408, "The application did not respond.")

    async def _do_read(self, who: int, channel_id: int) -> Wire:
        self._world.read[who, channel_id] = self._world.ids.next()
        self._world.announce("READ", {}, frozenset())
        return {}

    async def _do_modal(self, who: int, interaction_id: int, values: Wire) -> Wire:
        for opened in tuple(self._world.interactions.values()):
            if (opened.id, opened.user_id) == (interaction_id, who):
                return {"id": str((await self._people.submit(opened, values)).id)}
        raise NotPermitted("There is no such form for this person.")

    async def _do_autocomplete(self, who: int, channel_id: int, **asked: Any) -> Wire:
        interaction = await self._people.slash(who, channel_id, **asked)
        return {"choices": (await interaction.answer(3.0)).data["choices"]}

    async def _do_history(self, who: int, channel_id: int, before: int | None = None) -> Wire:
        channel = self._world.channel(channel_id)
        channel.require(who, "read_message_history")
        page = history(channel, {"before": str(before)} if before else {})
        return {"messages": [_marked(who, m, m.wire()) for m in reversed(page)]}

    async def _live(self, request: web.Request) -> web.WebSocketResponse:
        asked = request.query.get("as", "")
        who = int(asked) if asked.isdigit() else 0
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
        if change.message is not None:
            return _marked(who, change.message, change.payload)
        if change.name == "COMMANDS_UPDATE":
            return {"commands": self._commands(who)}
        if change.name.startswith(("CHANNEL_", "THREAD_")):
            channel = self._world.channels.get(int(change.payload["id"]))
            return change.payload | ({"may": _powers(who, channel)} if channel else {})
        return change.payload

    def _snapshot(self, who: int) -> Wire:
        world = self._world
        guilds = [guild for guild in world.guilds.values() if who in guild.members]
        first = guilds[0].wire() if guilds else None
        seen = [c for c in world.channels.values() if c.may(who, "view_channel")]
        body: Wire = {"me": world.users[who].wire(), "guild": first}
        body["channels"] = [c | {"may": _powers(who, c)} for c in seen]
        body["people"] = [user.wire() for user in world.users.values()]
        body["roles"] = [role for guild in guilds for role in guild.roles.values()]
        body["messages"], body["unread"] = {}, {}
        for c in seen:
            since = world.read.get((who, c.id), 0)
            body["unread"][c["id"]] = sum(m.counts and m.id > since for m in c.messages.values())
            shown = [m for m in c.messages.values() if m.only_for in (None, who)]
            body["messages"][c["id"]] = [_marked(who, m, m.wire()) for m in shown[-_RECENT:]]
        return body | {"commands": self._commands(who)}

    def _commands(self, who: int) -> Wire:
        found = {}
        for guild in self._world.guilds.values():
            seen = [c for c in self._world.channels_of(guild) if c.may(who, "view_channel")]
            found[str(guild.id)] = commands_for(seen[0], who) if seen else []
        return found

    async def _list_faults(self, _: web.Request) -> web.Response:
        faults = self._faults
        http, events = [asdict(f) for f in faults.http], [asdict(f) for f in faults.events]
        return web.json_response({"http": http, "events": events, "struck": faults.struck})

    async def _order_fault(self, request: web.Request) -> web.Response:
        body = await request.json()
        if body.get("clear"):
            self._faults.clear()
        if ordered := body.get("add"):
            try:
                self._faults.add((EventFault if "event" in ordered else Fault)(**ordered))
            except TypeError as mistake:
                return _error(400, f"There is no such fault: {mistake}.")
        if body.get("gateway") == "resume":
            await self._gateway.drop_connections()
        elif body.get("gateway") == "reidentify":
            await self._gateway.invalidate_sessions()
        elif body.get("gateway") == "silence":
            self._gateway.silence()
        return await self._list_faults(request)


def _value(key: str, value: Any) -> Any:
    if key == "files":
        return [Upload(file["name"], base64.b64decode(file["base64"])) for file in value]
    return int(value) if key in _NUMBERS and value is not None else value


def _powers(who: int, channel: Channel) -> dict[str, bool]:
    names = _POWERS | {"speak": channel.speech}
    return {key: channel.may(who, name) for key, name in names.items()}


def _marked(who: int, message: Message, body: Wire) -> Wire:
    users, roles = [str(u) for u in message.pings.users], [str(r) for r in message.pings.roles]
    pings = {"users": users, "roles": roles, "everyone": message.pings.everyone}
    reactions = [
        entry | {"me": who in message.reactions.get(entry["emoji"]["name"], ())}
        for entry in body.get("reactions", ())
    ]
    own = {"pings": pings, "ephemeral": message.only_for is not None, "reactions": reactions}
    return body | own


def _error(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)
