"""The REST routes: a table of patterns (`#` an id, `%` any segment) and a handler for each.

An id is looked up by the word before it, so handlers receive channels (which the bot can see),
messages, servers, users and webhooks; what they return is written as JSON, None as 204.
"""

import base64
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.playground import _messages as messages
from bot.playground import _threads as threads
from bot.playground._basics import ALL_PERMISSIONS, Wire
from bot.playground._interactions import Interaction, alive
from bot.playground._rules import webhook_name
from bot.playground.errors import ApiError, invalid, unknown
from bot.playground.model import FORUM, Channel, Guild, Message, Upload, User, World

_Handler = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One request of the bot."""

    world: World
    method: str
    query: dict[str, str]
    body: Any
    files: tuple[Upload, ...]

    @property
    def me(self) -> int:
        return self.world.bot.id

    def bot(self, channel: Channel) -> messages.Sender:
        return messages.member(self.world.bot, channel)


def _application(call: Call) -> Wire:
    bot, guild = call.world.bot, next(iter(call.world.guilds.values()))
    body: Wire = {"id": str(bot.id), "name": bot.name, "icon": None, "description": ""}
    body |= {"bot_public": True, "bot_require_code_grant": False, "verify_key": ""}
    return body | {"owner": call.world.users[guild.owner_id].wire()}


def _member(_: Call, guild: Guild, user: User) -> Wire:
    if user.id not in guild.members:
        raise unknown("Member")
    return guild.member(user)


def _emoji(call: Call) -> Wire:
    world, (_, data) = call.world, call.body["image"].split(",")
    number, name = world.ids.next(), call.body["name"]
    if not re.fullmatch(r"\w{2,32}", name) or name in [emoji["name"] for emoji in world.emojis]:
        raise invalid("name", "Must be new, and 2 to 32 letters or digits")
    world.files[number] = Upload(f"{name}.png", base64.b64decode(data), "image/png")
    world.emojis.append({"id": str(number), "name": name})
    world.announce("EMOJI_CREATE", {}, frozenset())
    return world.emojis[-1]


def _commands(call: Call) -> list[Wire]:
    world, marks = call.world, {"application_id": str(call.me)}
    known = {(command["name"], command["type"]): command["id"] for command in world.commands}
    world.commands = [{"type": 1, "description": ""} | entry | marks for entry in call.body]
    for made in world.commands:
        made["id"] = known.get((made["name"], made["type"])) or str(world.ids.next())
    world.announce("COMMANDS_UPDATE", {}, frozenset(world.users) - {call.me})
    return world.commands


def _channel(call: Call, channel: Channel) -> Channel:
    if call.method == "PATCH":
        threads.change(channel, call.body, call.me)
    return channel


def _messages(call: Call, channel: Channel) -> Message | list[Message]:
    if call.method == "POST":
        return messages.post(channel, call.bot(channel), call.body, call.files)
    readable = channel.may(call.me, "read_message_history")
    return messages.history(channel, call.query) if readable else []


def _message(call: Call, channel: Channel, message: Message) -> Message | None:
    if call.method == "PATCH":
        return messages.edit(message, call.bot(channel), call.body, call.files)
    if call.method == "DELETE":
        messages.delete(call.me, message)
        return None
    channel.require(call.me, "read_message_history")
    return message


def _reaction(call: Call, _: Channel, message: Message, emoji: str) -> None:
    messages.react(message, call.world.bot, emoji, on=call.method == "PUT")


def _open_thread(call: Call, channel: Channel, start: Message | None = None) -> Wire:
    if start:
        return threads.from_message(start, call.world.bot, call.body)
    if channel["type"] != FORUM:
        return threads.standalone(channel, call.world.bot, call.body)
    first, sender = call.body["message"], call.bot(channel)
    said = messages.forum_post(channel, sender, call.body, first, call.files)
    return said.channel | {"message": said}


def _active_threads(call: Call, guild: Guild) -> Wire:
    found = call.world.active_threads(guild)
    return {
        "threads": found,
        "members": [c["member"] for c in found if call.me in c.thread_members],
    }


def _thread_member(call: Call, channel: Channel) -> None:
    threads.require_awake(channel)
    threads.set_member(channel, call.me, joined=call.method == "PUT")


def _webhooks(call: Call, place: Channel) -> Wire | list[Wire]:
    world, where = call.world, place.where()
    place.require(call.me, "manage_webhooks")
    found = [hook for hook in world.webhooks.values() if hook["channel_id"] == place["id"]]
    if call.method == "GET":
        return found
    if len(found) >= 15:
        raise ApiError(400, 30007, "Maximum number of webhooks reached (15)")
    number, bot = world.ids.next(), world.bot.wire()
    hook = {"id": str(number), "type": 1, "token": secrets.token_urlsafe(51), "avatar": None}
    hook |= {"name": webhook_name(call.body.get("name")), "user": bot} | where
    world.webhooks[number] = hook | {"application_id": bot["id"]}
    place.announce("WEBHOOKS_UPDATE", {})
    return world.webhooks[number]


def _speak(call: Call, hook: Wire | None, token: str) -> Message | None:
    if hook is None:
        return alive(call.world, token).follow_up(call.body, call.files)
    place = _place(call, hook, token)
    said = messages.post(place, _sender(call, hook), call.body, call.files)
    return said if call.query.get("wait") in ("1", "true") else None


def _place(call: Call, hook: Wire, token: str) -> Channel:
    if token != hook["token"]:
        raise ApiError(401, 50027, "Invalid Webhook Token")
    place = call.world.channel(int(call.query.get("thread_id") or hook["channel_id"]))
    if int(hook["channel_id"]) not in (place.id, place.parent_id):
        raise unknown("Channel")
    return place


def _sender(call: Call, hook: Wire) -> messages.Sender:
    given, face = call.body.get("username"), call.body.get("avatar_url") or ""
    user = User(int(hook["id"]), hook["name"] if given is None else webhook_name(given), bot=True)
    marks = {"webhook_id": hook["id"], "application_id": hook["application_id"]}
    return messages.Sender(user, ALL_PERMISSIONS, messages.PING_USERS, marks, face)


def _said(call: Call, hook: Wire | None, token: str, which: str) -> Message | None:
    """A message of a webhook or an interaction: read, edited or deleted through its token."""
    if hook:
        place, number = _place(call, hook, token), int(which)
    else:
        interaction = alive(call.world, token)
        place = interaction.channel
        number = interaction.original_id if which == "@original" else int(which)
    message = call.world.message(number, place)
    if hook and message.get("webhook_id") != hook["id"]:
        raise unknown("Message")
    if call.method == "PATCH" and hook:
        return messages.edit(message, _sender(call, hook), call.body, call.files)
    if call.method == "PATCH":
        return interaction.edit(message, call.body, call.files)
    if call.method == "GET":
        return message
    messages.delete(message.author.id, message)
    return None


def _respond(call: Call, token: str) -> Wire:
    if token not in call.world.interactions:
        raise unknown("Interaction")
    interaction: Interaction = call.world.interactions[token]
    return interaction.respond(call.body, call.files)


_TABLE: tuple[tuple[str, str, _Handler], ...] = (
    ("GET", "users/@me", lambda call: call.world.bot),
    ("GET", "gateway/bot", lambda call: call.world.gateway()),
    ("POST", "users/@me/channels", lambda c: c.world.direct(int(c.body["recipient_id"]))),
    ("GET", "oauth2/applications/@me", _application),
    ("PUT", "applications/#/commands", _commands),
    ("GET", "applications/#/emojis", lambda call: {"items": call.world.emojis}),
    ("POST", "applications/#/emojis", _emoji),
    ("GET", "guilds/#/members/#", _member),
    ("GET", "guilds/#/threads/active", _active_threads),
    ("GET PATCH", "channels/#", _channel),
    ("GET POST", "channels/#/messages", _messages),
    ("GET PATCH DELETE", "channels/#/messages/#", _message),
    ("PUT DELETE", "channels/#/messages/#/reactions/%/@me", _reaction),
    ("POST", "channels/#/messages/#/threads", _open_thread),
    ("POST", "channels/#/threads", _open_thread),
    ("POST", "channels/#/typing", lambda call, place: messages.typing(place, call.world.bot)),
    ("GET", "channels/#/thread-members", lambda _, place: list(place.thread_members.values())),
    ("PUT DELETE", "channels/#/thread-members/@me", _thread_member),
    ("GET POST", "channels/#/webhooks", _webhooks),
    ("POST", "webhooks/#/%", _speak),
    ("GET PATCH DELETE", "webhooks/#/%/messages/%", _said),
    ("POST", "interactions/#/%/callback", _respond),
)


@dataclass(frozen=True, slots=True)
class _Route:
    """One line of the table."""

    methods: str
    pattern: str
    handler: _Handler

    def fits(self, method: str, path: str) -> bool:
        pattern = self.pattern.replace("#", r"\d+").replace("%", "[^/]+")
        return method in self.methods.split() and re.fullmatch(pattern, path) is not None

    @property
    def needs_token(self) -> bool:
        return not self.pattern.startswith(("webhooks/#/%", "interactions/"))

    def run(self, call: Call, path: str) -> Any:
        """Look up what the path names, handle the call and write the result as JSON."""
        things: list[Any] = []
        before = ""
        for word, text in zip(self.pattern.split("/"), path.split("/"), strict=True):
            if word == "%":
                things.append(text)
            elif word == "#" and before not in ("applications", "interactions"):
                things.append(_found(call.world, before, int(text), things))
            before = word
        return _written(call.world, self.handler(call, *things), hides=self.needs_token)


def _found(world: World, kind: str, number: int, things: list[Any]) -> Any:
    if kind == "channels":
        world.channel(number).require(world.bot.id)
        return world.channels[number]
    if kind == "messages":
        message = world.message(number, things[-1])
        if message.only_for is not None:
            raise unknown("Message")
        return message
    if (kind, number) == ("webhooks", world.bot.id):
        return None
    pools: dict[str, tuple[dict[int, Any], str]] = {
        "guilds": (world.guilds, "Guild"),
        "members": (world.users, "User"),
        "webhooks": (world.webhooks, "Webhook"),
    }
    pool, name = pools[kind]
    if number not in pool:
        raise unknown(name)
    return pool[number]


def _written(world: World, thing: Any, *, hides: bool) -> Any:
    if isinstance(thing, list):
        return [_written(world, entry, hides=hides) for entry in thing]
    if isinstance(thing, Message) and hides and not world.reads_content:
        return world.censored(thing.wire())
    return thing.wire() if isinstance(thing, User | Message) else thing


_ROUTES = tuple(_Route(*line) for line in _TABLE)


def find_route(method: str, path: str) -> _Route | None:
    return next((route for route in _ROUTES if route.fits(method, path)), None)
