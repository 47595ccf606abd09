"""The rows of a playground's file: made of the embedded Discord's objects, and read back."""

import json
import sqlite3
from collections.abc import Iterable
from typing import Any, Final

from bot.playground._basics import Flag, Pings
from bot.playground.model import Channel, Guild, Message, Upload, User, World

CDN: Final = "playground:/cdn"
"""Stands in the file for the address of uploads, whose port may be another at the next start."""


def channel_row(channel: Channel) -> tuple[int, Any]:
    """A channel or thread without its messages, under its id."""
    guild = channel.guild.id if channel.guild else None
    recipient = channel.recipient.id if channel.recipient else None
    own = {"guild": guild, "recipient": recipient, "members": channel.thread_members}
    return channel.id, {"wire": dict(channel)} | own


def guild_row(guild: Guild) -> tuple[int, Any]:
    """A server with its roles and members, under its id."""
    members = {user: sorted(roles) for user, roles in guild.members.items()}
    own = {"owner": guild.owner_id, "roles": guild.roles, "members": members}
    return guild.id, {"name": guild.name} | own


def message_row(message: Message) -> tuple[int, Any]:
    """A message under its id; its thread is a row of its own."""
    body = {key: value for key, value in message.items() if key != "thread"}
    pings = [sorted(message.pings.users), sorted(message.pings.roles), message.pings.everyone]
    own = {"reacted": message.reactions, "pings": pings, "avatar_url": message.avatar_url}
    return message.id, {"wire": body} | own


class FoundWorld:
    """What the file holds, read as a whole before the world is touched."""

    def __init__(self, world: World, conn: sqlite3.Connection) -> None:
        self._world, self._conn = world, conn
        self.users = {n: User(n, b["name"], b["bot"]) for n, b in self._rows("user")}
        self.guilds = {n: _guild(n, body) for n, body in self._rows("guild")}
        self.channels = {n: self._channel(n, body) for n, body in self._rows("channel")}
        self.webhooks = dict(self._rows("webhook"))
        self.emojis = [body for _, body in self._rows("emoji")]
        self.read = {(who, place): n for _, b in self._rows("read") for who, place, n in b["read"]}
        self.commands = [entry for _, b in self._rows("commands") for entry in b["commands"]]
        files = conn.execute("SELECT id, name, content, type FROM files").fetchall()
        self.files = {number: Upload(*rest) for number, *rest in files}
        for _, body in self._rows("message"):
            self._message(body)
        self._link()
        known = [user for user in self.users.values() if user.name == world.bot.name]
        self.bot = known[0] if self.guilds else world.bot

    def take_over(self) -> None:
        """Put all of it in the place of what the world holds."""
        world = self._world
        world.users, world.guilds, world.channels = self.users, self.guilds, self.channels
        world.webhooks, world.files, world.emojis = self.webhooks, self.files, self.emojis
        world.read, world.commands, world.bot = self.read, self.commands, self.bot
        messages = (number for c in self.channels.values() for number in c.messages)
        for numbers in (self.users, self.guilds, self.channels, self.webhooks, self.files):
            world.ids.go_beyond(max(numbers, default=0))
        world.ids.go_beyond(max((*messages, *self.read.values()), default=0))

    def _rows(self, kind: str) -> Iterable[tuple[int, Any]]:
        query = "SELECT id, body FROM things WHERE kind = ? ORDER BY id"
        for number, text in self._conn.execute(query, (kind,)).fetchall():
            yield number, json.loads(text.replace(CDN, self._world.cdn_url))

    def _channel(self, number: int, body: Any) -> Channel:
        channel = Channel(self._world, body["wire"]["type"], body["wire"]["name"], number)
        channel |= body["wire"]
        channel.guild = self.guilds[body["guild"]] if body["guild"] else None
        channel.recipient = self.users[body["recipient"]] if body["recipient"] else None
        channel.thread_members = {int(user): entry for user, entry in body["members"].items()}
        return channel

    def _message(self, body: Any) -> None:
        wire = body["wire"]
        channel, author = self.channels.get(int(wire["channel_id"])), wire["author"]
        if channel is None:
            return
        user = User(int(author["id"]), author["username"], author["bot"])
        message = Message(channel, user, wire["type"], number=int(wire["id"]))
        message |= wire
        users, roles, everyone = body["pings"]
        message.pings = Pings(frozenset(users), frozenset(roles), everyone)
        message.reactions, message.avatar_url = body["reacted"], body["avatar_url"]
        channel.messages[message.id] = message

    def _link(self) -> None:
        """Join messages to what they answer and to their threads; empty old threads go."""
        oldest = min((n for c in self.channels.values() for n in c.messages), default=0)
        for thread in [channel for channel in self.channels.values() if channel.thread]:
            if thread.parent_id not in self.channels:
                raise LookupError(thread.parent_id)
            if not thread.messages and thread.id < oldest:
                del self.channels[thread.id]
        for message in (m for c in self.channels.values() for m in c.messages.values()):
            asked = message.get("message_reference") or {}
            place = self.channels.get(int(asked.get("channel_id") or 0))
            if place is not None:
                message.replied = place.messages.get(int(asked.get("message_id") or 0))
            if message.flags & Flag.HAS_THREAD and message.id in self.channels:
                message["thread"] = self.channels[message.id]


def _guild(number: int, body: Any) -> Guild:
    roles = {int(role): wire for role, wire in body["roles"].items()}
    members = {int(user): set(held) for user, held in body["members"].items()}
    return Guild(number, body["name"], body["owner"], roles, members)
