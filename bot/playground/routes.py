"""The REST routes: a table of patterns (`#` an id, `%` any segment) and short handlers."""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.playground import interactions, messages, threads, validate, wire
from bot.playground.errors import ApiError, no_permission, unknown
from bot.playground.interactions import Interaction
from bot.playground.mentions import USERS_ONLY
from bot.playground.messages import Sender
from bot.playground.model import Channel, ChannelType, Message, Upload, User, Webhook, Wire
from bot.playground.permissions import EVERYTHING, bits, guild_permissions, has
from bot.playground.world import Change, World

_WEBHOOKS_PER_CHANNEL = 15
Answer = Wire | list[Wire] | None


@dataclass(frozen=True, slots=True)
class Call:
    """One request of the bot."""

    world: World
    gateway_url: str = ""
    flags: int = 0
    deadline: float = 3.0
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None
    files: tuple[Upload, ...] = ()

    def place(self, channel_id: int, *permissions: str) -> Channel:
        """A channel in which the bot has these permissions."""
        channel = self.world.channel(channel_id)
        self.world.require(channel, *permissions)
        return channel

    def found(self, channel_id: int, message_id: int, *may: str) -> tuple[Channel, Message]:
        """A message everybody in a channel sees."""
        channel = self.place(channel_id, *may)
        message = self.world.message(channel, message_id)
        if message.only_for is not None:
            raise unknown("message")
        return channel, message

    def bot(self, channel: Channel) -> Sender:
        """The bot speaking in a channel."""
        bot = self.world.bot
        return Sender(bot, self.world.permissions(bot.id, channel))

    def shown(self, message: Message) -> Wire:
        """A message as this bot may read it."""
        body = wire.message(self.world, message)
        return body if self.world.reads_content else wire.censored(self.world, body)


# -- the bot and its servers


def _me(call: Call) -> Answer:
    return wire.user(call.world.bot)


def _user(call: Call, user_id: int) -> Answer:
    if user_id not in call.world.users:
        raise unknown("user")
    return wire.user(call.world.users[user_id])


def _open_direct(call: Call) -> Answer:
    person = int(call.body["recipient_id"])
    _user(call, person)
    return wire.channel(call.world, call.world.direct(person))


def _application(call: Call) -> Answer:
    owner = next(iter(call.world.guilds.values())).owner_id
    return wire.application(call.world, call.world.users[owner], flags=call.flags)


def _gateway(call: Call) -> Answer:
    start = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
    return {"url": call.gateway_url, "shards": 1, "session_start_limit": start}


def _guild(call: Call, guild_id: int) -> Answer:
    return wire.guild(call.world.guild(guild_id))


def _guild_channels(call: Call, guild_id: int) -> Answer:
    call.world.guild(guild_id)
    places = [c for c in call.world.channels.values() if c.guild_id == guild_id and not c.thread]
    return [wire.channel(call.world, c) for c in places]


def _roles(call: Call, guild_id: int) -> Answer:
    return [wire.role(role) for role in call.world.guild(guild_id).roles.values()]


def _members(call: Call, guild_id: int) -> Answer:
    guild, after = call.world.guild(guild_id), int(call.query.get("after", 0))
    ids = sorted(user for user in guild.members if user > after)
    found = ids[: int(call.query.get("limit", 1))]
    return [wire.member(guild, call.world.users[user]) for user in found]


def _member(call: Call, guild_id: int, user_id: int) -> Answer:
    guild = call.world.guild(guild_id)
    if user_id not in guild.members:
        raise unknown("member")
    return wire.member(guild, call.world.users[user_id])


def _commands(call: Call, _: int, guild_id: int | None = None) -> Answer:
    return call.world.commands.get(guild_id, [])


def _set_commands(call: Call, _: int, guild_id: int | None = None) -> Answer:
    world, marks = call.world, {"application_id": str(call.world.bot.id), "version": "1"}
    if guild_id:
        marks["guild_id"] = str(guild_id)
    known = {(c["name"], c["type"]): c["id"] for c in world.commands.get(guild_id, [])}
    world.commands[guild_id] = [
        {"type": 1, "description": ""}
        | command
        | marks
        | {"id": known.get((command["name"], command.get("type", 1))) or str(world.ids.next())}
        for command in call.body
    ]
    seen_by = frozenset(world.guilds[guild_id].members if guild_id else world.users)
    commands = {"guild_id": guild_id and str(guild_id)}
    world.announce(Change("COMMANDS_UPDATE", commands, seen_by - {world.bot.id}))
    return world.commands[guild_id]


# -- channels and messages


def _channel(call: Call, channel_id: int) -> Answer:
    return wire.channel(call.world, call.place(channel_id))


def _change_channel(call: Call, channel_id: int) -> Answer:
    channel = call.place(channel_id)
    if channel.thread:
        threads.check_change(call.world, channel, call.world.bot.id, call.body)
        threads.change(call.world, channel, call.body)
    else:
        call.place(channel_id, "manage_channels")
        channel.name = call.body.get("name", channel.name)
        channel.topic = call.body.get("topic", channel.topic) or ""
        call.world.announce_channel("CHANNEL_UPDATE", channel)
    return wire.channel(call.world, channel)


def _delete_channel(call: Call, channel_id: int) -> Answer:
    channel = call.world.channel(channel_id)
    call.world.require(channel, "manage_threads" if channel.thread else "manage_channels")
    body = wire.channel(call.world, channel)
    call.world.remove_channel(channel)
    return body


def _history(call: Call, channel_id: int) -> Answer:
    channel = call.place(channel_id)
    if not call.world.may(call.world.bot.id, channel, "read_message_history"):
        return []
    return [call.shown(m) for m in messages.history(channel, call.query)]


def _message(call: Call, channel_id: int, message_id: int) -> Answer:
    return call.shown(call.found(channel_id, message_id, "read_message_history")[1])


def _send(call: Call, channel_id: int) -> Answer:
    channel = call.world.channel(channel_id)
    call.world.require(channel, call.world.speech(channel))
    message = messages.post(call.world, channel, call.bot(channel), call.body, call.files)
    return wire.message(call.world, message)


def _edit(call: Call, channel_id: int, message_id: int) -> Answer:
    channel, message = call.found(channel_id, message_id)
    if message.author.id != call.world.bot.id:
        raise ApiError(403, 50005, "Cannot edit a message authored by another user")
    sender = call.bot(channel)
    changed = messages.edit(call.world, channel, message, sender, call.body, call.files)
    return wire.message(call.world, changed)


def _delete(call: Call, channel_id: int, message_id: int) -> Answer:
    channel, message = call.found(channel_id, message_id)
    if message.author.id != call.world.bot.id:
        call.place(channel_id, "manage_messages")
    messages.delete(call.world, channel, [message])
    return None


def _delete_many(call: Call, channel_id: int) -> Answer:
    channel = call.place(channel_id, "manage_messages")
    ids = [int(number) for number in call.body["messages"]]
    if not 2 <= len(ids) <= 100:
        raise ApiError(400, 50016, "Provided too few or too many messages to delete.")
    found = [channel.messages[number] for number in ids if number in channel.messages]
    messages.delete(call.world, channel, found)
    return None


def _typing(call: Call, channel_id: int) -> Answer:
    channel = call.world.channel(channel_id)
    call.world.require(channel, call.world.speech(channel))
    messages.typing(call.world, channel, call.world.bot.id)
    return None


def _react(call: Call, channel_id: int, message_id: int, emoji: str) -> Answer:
    channel, message = call.found(channel_id, message_id)
    messages.react(call.world, channel, message, call.world.bot.id, emoji)
    return None


def _unreact(call: Call, channel_id: int, message_id: int, emoji: str, who: int = 0) -> Answer:
    needed = ("manage_messages",) if who else ()
    channel, message = call.found(channel_id, message_id, *needed)
    messages.unreact(call.world, channel, message, who or call.world.bot.id, emoji)
    return None


def _reactors(call: Call, channel_id: int, message_id: int, emoji: str) -> Answer:
    _, message = call.found(channel_id, message_id)
    return [wire.user(call.world.users[user]) for user in message.reactions.get(emoji, ())]


# -- threads


def _thread_on(call: Call, channel_id: int, message_id: int) -> Answer:
    channel, message = call.found(channel_id, message_id, "create_public_threads")
    thread = threads.from_message(call.world, channel, message, call.world.bot, call.body)
    return wire.channel(call.world, thread)


def _thread(call: Call, channel_id: int) -> Answer:
    channel, world = call.place(channel_id), call.world
    if channel.type == ChannelType.FORUM:
        call.place(channel_id, "send_messages")
        post, first = messages.forum_post(
            world, channel, call.bot(channel), call.body, call.body["message"], call.files
        )
        return wire.channel(world, post) | {"message": wire.message(world, first)}
    private = int(call.body.get("type") or 12) == ChannelType.PRIVATE_THREAD
    call.place(channel_id, "create_private_threads" if private else "create_public_threads")
    return wire.channel(world, threads.standalone(world, channel, world.bot, call.body))


def _listed(call: Call, found: list[Channel], **extra: object) -> Answer:
    bot = call.world.bot.id
    seen = [c for c in found if call.world.may(bot, c, "view_channel")]
    mine = [wire.thread_member(c, bot) for c in seen if c.thread and bot in c.thread.members]
    return {"threads": [wire.channel(call.world, c) for c in seen], "members": mine} | extra


def _active(call: Call, guild_id: int) -> Answer:
    found = [c for c in call.world.threads_of() if c.guild_id == guild_id]
    return _listed(call, [c for c in found if c.thread and not c.thread.archived])


def _archived(call: Call, channel_id: int, kind: str) -> Answer:
    call.place(channel_id, "read_message_history")
    private = kind == "private"
    found = [
        c
        for c in call.world.threads_of(channel_id)
        if c.thread and c.thread.archived and (c.type == ChannelType.PRIVATE_THREAD) == private
    ]
    found.sort(key=lambda c: c.thread.archived_at if c.thread else 0, reverse=True)
    limit = int(call.query.get("limit", 50))
    return _listed(call, found[:limit], has_more=len(found) > limit)


def _thread_members(call: Call, channel_id: int) -> Answer:
    channel = call.place(channel_id)
    members = channel.thread.members if channel.thread else {}
    return [wire.thread_member(channel, user) for user in members]


def _thread_member(call: Call, channel_id: int, user_id: int) -> Answer:
    channel = call.place(channel_id)
    if not channel.thread or user_id not in channel.thread.members:
        raise unknown("member")
    return wire.thread_member(channel, user_id)


def _join(call: Call, channel_id: int, user_id: int = 0) -> Answer:
    channel = call.place(channel_id)
    threads.require_awake(channel)
    threads.add_member(call.world, channel, user_id or call.world.bot.id)
    return None


def _leave(call: Call, channel_id: int, user_id: int = 0) -> Answer:
    channel = call.place(channel_id, *(("manage_threads",) if user_id else ()))
    threads.require_awake(channel)
    threads.remove_member(call.world, channel, user_id or call.world.bot.id)
    return None


# -- webhooks, and interactions which behave like them


def _create_webhook(call: Call, channel_id: int) -> Answer:
    channel, world = call.place(channel_id, "manage_webhooks"), call.world
    validate.webhook_name(call.body.get("name"), "name")
    siblings = [h for h in world.webhooks.values() if h.channel_id == channel_id]
    if len(siblings) >= _WEBHOOKS_PER_CHANNEL:
        raise ApiError(400, 30007, "Maximum number of webhooks reached (15)")
    token, name = secrets.token_urlsafe(51), call.body["name"].strip()
    hook = Webhook(world.ids.next(), token, name, channel_id, channel.guild_id or 0)
    world.webhooks[hook.id] = hook
    _announce_webhooks(world, hook)
    return wire.webhook(world, hook)


def _announce_webhooks(world: World, hook: Webhook) -> None:
    channel = world.channel(hook.channel_id)
    place = {"guild_id": str(hook.guild_id), "channel_id": str(hook.channel_id)}
    world.announce(Change("WEBHOOKS_UPDATE", place, world.viewers(channel), channel.id))


def _channel_webhooks(call: Call, channel_id: int) -> Answer:
    call.place(channel_id, "manage_webhooks")
    found = [h for h in call.world.webhooks.values() if h.channel_id == channel_id]
    return [wire.webhook(call.world, hook) for hook in found]


def _guild_webhooks(call: Call, guild_id: int) -> Answer:
    guild = call.world.guild(guild_id)
    if not has(guild_permissions(guild, call.world.bot.id), "manage_webhooks"):
        raise no_permission()
    found = [h for h in call.world.webhooks.values() if h.guild_id == guild_id]
    return [wire.webhook(call.world, hook) for hook in found]


def _hook(call: Call, hook_id: int, token: str | None = None) -> Webhook:
    hook = call.world.webhooks.get(hook_id)
    if hook is None:
        raise unknown("webhook")
    if token is not None and token != hook.token:
        raise ApiError(401, 50027, "Invalid Webhook Token")
    return hook


def _webhook(call: Call, hook_id: int, token: str | None = None) -> Answer:
    return wire.webhook(call.world, _hook(call, hook_id, token))


def _delete_webhook(call: Call, hook_id: int, token: str | None = None) -> Answer:
    hook = call.world.webhooks.pop(_hook(call, hook_id, token).id)
    _announce_webhooks(call.world, hook)
    return None


def _hook_place(call: Call, hook: Webhook) -> Channel:
    if "thread_id" not in call.query:
        return call.world.channel(hook.channel_id)
    thread = call.world.channel(int(call.query["thread_id"]))
    if thread.parent_id != hook.channel_id:
        raise unknown("channel")
    return thread


def _hook_sender(call: Call, hook: Webhook) -> Sender:
    name = call.body.get("username")
    if name is not None:
        validate.webhook_name(name)
    return Sender(
        User(hook.id, (name or hook.name).strip(), bot=True),
        EVERYTHING & ~bits("manage_threads"),
        USERS_ONLY,
        webhook_id=hook.id,
        application_id=call.world.bot.id,
        avatar_url=call.body.get("avatar_url") or "",
    )


def _execute(call: Call, hook_id: int, token: str) -> Answer:
    if hook_id == call.world.bot.id:
        interaction = interactions.by_token(call.world, token)
        said = interactions.follow_up(interaction, call.body, call.files)
        return wire.message(call.world, said)
    hook = _hook(call, hook_id, token)
    place, sender = _hook_place(call, hook), _hook_sender(call, hook)
    if place.type == ChannelType.FORUM and call.body.get("thread_name"):
        opening = {"name": call.body["thread_name"]} | call.body
        _, said = messages.forum_post(call.world, place, sender, opening, call.body, call.files)
    else:
        said = messages.post(call.world, place, sender, call.body, call.files)
    waits = call.query.get("wait") in ("1", "true")
    return wire.message(call.world, said) if waits else None


def _spoken(call: Call, hook_id: int, token: str, which: str) -> tuple[Any, Channel, Message]:
    owner: Webhook | Interaction
    if hook_id == call.world.bot.id:
        owner = interactions.by_token(call.world, token)
        channel, number = owner.channel, owner.original_id or 0
    else:
        owner = _hook(call, hook_id, token)
        channel, number = _hook_place(call, owner), 0
    message = call.world.message(channel, number if which == "@original" else int(which))
    if isinstance(owner, Webhook) and message.webhook_id != owner.id:
        raise unknown("message")
    return owner, channel, message


def _spoken_message(call: Call, hook_id: int, token: str, which: str) -> Answer:
    return wire.message(call.world, _spoken(call, hook_id, token, which)[2])


def _edit_spoken(call: Call, hook_id: int, token: str, which: str) -> Answer:
    owner, channel, message = _spoken(call, hook_id, token, which)
    if isinstance(owner, Interaction):
        return wire.message(call.world, interactions.edit(owner, message, call.body, call.files))
    sender = _hook_sender(call, owner)
    changed = messages.edit(call.world, channel, message, sender, call.body, call.files)
    return wire.message(call.world, changed)


def _delete_spoken(call: Call, hook_id: int, token: str, which: str) -> Answer:
    _, channel, message = _spoken(call, hook_id, token, which)
    messages.delete(call.world, channel, [message])
    return None


def _respond(call: Call, _: int, token: str) -> Answer:
    found = call.world.interactions.get(token)
    if found is None:
        raise unknown("interaction")
    body = interactions.respond(found, call.body, call.files, call.deadline)
    return body if call.query.get("with_response") in ("1", "true") else None


_TABLE: tuple[tuple[str, str, Callable[..., Answer]], ...] = (
    ("GET", "users/@me", _me),
    ("GET", "users/#", _user),
    ("POST", "users/@me/channels", _open_direct),
    ("GET", "oauth2/applications/@me", _application),
    ("GET", "gateway", _gateway),
    ("GET", "gateway/bot", _gateway),
    ("GET", "applications/#/commands", _commands),
    ("PUT", "applications/#/commands", _set_commands),
    ("GET", "applications/#/guilds/#/commands", _commands),
    ("PUT", "applications/#/guilds/#/commands", _set_commands),
    ("GET", "guilds/#", _guild),
    ("GET", "guilds/#/channels", _guild_channels),
    ("GET", "guilds/#/roles", _roles),
    ("GET", "guilds/#/members", _members),
    ("GET", "guilds/#/members/#", _member),
    ("GET", "guilds/#/threads/active", _active),
    ("GET", "guilds/#/webhooks", _guild_webhooks),
    ("GET", "channels/#", _channel),
    ("PATCH", "channels/#", _change_channel),
    ("DELETE", "channels/#", _delete_channel),
    ("GET", "channels/#/messages", _history),
    ("POST", "channels/#/messages", _send),
    ("POST", "channels/#/messages/bulk-delete", _delete_many),
    ("GET", "channels/#/messages/#", _message),
    ("PATCH", "channels/#/messages/#", _edit),
    ("DELETE", "channels/#/messages/#", _delete),
    ("GET", "channels/#/messages/#/reactions/%", _reactors),
    ("PUT", "channels/#/messages/#/reactions/%/@me", _react),
    ("DELETE", "channels/#/messages/#/reactions/%/@me", _unreact),
    ("DELETE", "channels/#/messages/#/reactions/%/#", _unreact),
    ("POST", "channels/#/typing", _typing),
    ("POST", "channels/#/messages/#/threads", _thread_on),
    ("POST", "channels/#/threads", _thread),
    ("GET", "channels/#/threads/archived/%", _archived),
    ("GET", "channels/#/users/@me/threads/archived/%", _archived),
    ("GET", "channels/#/thread-members", _thread_members),
    ("GET", "channels/#/thread-members/#", _thread_member),
    ("PUT", "channels/#/thread-members/@me", _join),
    ("PUT", "channels/#/thread-members/#", _join),
    ("DELETE", "channels/#/thread-members/@me", _leave),
    ("DELETE", "channels/#/thread-members/#", _leave),
    ("GET", "channels/#/webhooks", _channel_webhooks),
    ("POST", "channels/#/webhooks", _create_webhook),
    ("GET", "webhooks/#", _webhook),
    ("DELETE", "webhooks/#", _delete_webhook),
    ("GET", "webhooks/#/%", _webhook),
    ("POST", "webhooks/#/%", _execute),
    ("DELETE", "webhooks/#/%", _delete_webhook),
    ("GET", "webhooks/#/%/messages/%", _spoken_message),
    ("PATCH", "webhooks/#/%/messages/%", _edit_spoken),
    ("DELETE", "webhooks/#/%/messages/%", _delete_spoken),
    ("POST", "interactions/#/%/callback", _respond),
)


@dataclass(frozen=True, slots=True)
class Route:
    """One line of the table."""

    method: str
    pattern: str
    handler: Callable[..., Answer]
    matcher: re.Pattern[str]

    @property
    def needs_token(self) -> bool:
        """Whether the bot's token must come with the request."""
        return not self.pattern.startswith(("webhooks/#/%", "interactions/"))

    def arguments(self, path: str) -> list[int | str] | None:
        """What the path says at `#` and `%`, or None when it is another path."""
        found = self.matcher.fullmatch(path)
        if found is None:
            return None
        marks = re.findall(r"[#%]", self.pattern)
        pairs = zip(marks, found.groups(), strict=True)
        return [int(text) if mark == "#" else text for mark, text in pairs]


def build_routes() -> tuple[Route, ...]:
    """The table, ready to match."""

    def matcher(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern.replace("#", r"(\d+)").replace("%", "([^/]+)"))

    return tuple(Route(method, path, handler, matcher(path)) for method, path, handler in _TABLE)
