"""What the embedded Discord remembers: mostly Discord's own JSON, with helpers."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.playground._basics import ALL_PERMISSIONS, Wire, bits, iso, moment_of
from bot.playground.errors import ApiError

if TYPE_CHECKING:
    from bot.playground.world import World

TEXT, DIRECT, THREAD, FORUM = 0, 1, 11, 15
DEFAULT, THREAD_CREATED, REPLY, THREAD_STARTER = 0, 18, 19, 21
_NEEDS_SPEECH = ("mention_everyone", "embed_links", "attach_files", "send_tts_messages")
_TALK = ("view_channel", "send_messages", "embed_links", "attach_files", "read_message_history")
_IN_DIRECT = (*_TALK, "add_reactions", "use_application_commands")


class Flag(enum.IntFlag):
    """Message flags."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SILENT = 1 << 12
    COMPONENTS_V2 = 1 << 15


@dataclass(frozen=True, slots=True)
class User:
    """An account: a person, a bot, or the borrowed name of a webhook."""

    id: int
    name: str
    bot: bool = False

    def wire(self) -> Wire:
        """The user object."""
        shown = None if self.bot else self.name
        body = {"id": str(self.id), "username": self.name, "global_name": shown, "bot": self.bot}
        return body | {"avatar": "face", "discriminator": "0000" if self.bot else "0"}


@dataclass(slots=True)
class Guild:
    """A server: its roles as JSON, and its members with the roles each has."""

    id: int
    name: str
    owner_id: int = 0
    roles: dict[int, Wire] = field(default_factory=dict)
    members: dict[int, set[int]] = field(default_factory=dict)

    def permissions(self, user_id: int) -> int:
        """What a member may do before channels have their say."""
        granted = 0
        for role in (self.id, *self.members[user_id]) if user_id in self.members else ():
            granted |= int(self.roles[role]["permissions"])
        boss = user_id == self.owner_id or granted & bits("administrator")
        return ALL_PERMISSIONS if boss else granted

    def member(self, user: User) -> Wire:
        """The member object."""
        roles = [str(role) for role in self.members.get(user.id, ())]
        body = {"roles": roles, "joined_at": iso(moment_of(self.id)), "flags": 0}
        return body | {"user": user.wire()}

    def wire(self) -> Wire:
        """The server object."""
        own = {"id": str(self.id), "name": self.name, "owner_id": str(self.owner_id)}
        return own | {"roles": [*self.roles.values()], "member_count": len(self.members)}


def _field(name: str) -> Any:
    """An attribute that is one field of the JSON."""
    return property(lambda self: self.get(name), lambda self, value: self.update({name: value}))


class Channel(dict[str, Any]):
    """The JSON of a channel, thread or direct conversation, with its messages in order."""

    name: str = _field("name")
    thread: Wire | None = _field("thread_metadata")
    overwrites: list[Wire] = _field("permission_overwrites")

    def __init__(self, world: "World", kind: int, name: str, number: int | None = None) -> None:
        self.id, self.world = number or world.ids.next(), world
        super().__init__(id=str(self.id), type=kind, name=name, last_message_id=None)
        self.guild: Guild | None = None
        self.recipient: User | None = None
        self.messages: dict[int, Message] = {}
        self.thread_members: dict[int, Wire] = {}

    @property
    def parent_id(self) -> int:
        """The channel of a thread, or 0."""
        return int(self.get("parent_id") or 0)

    @property
    def guild_id(self) -> int | None:
        """The server's id."""
        return self.guild.id if self.guild else None

    @property
    def speech(self) -> str:
        """The permission that speaking here needs."""
        return "send_messages_in_threads" if self.thread else "send_messages"

    def permissions(self, user_id: int) -> int:
        """What a user may do here, by Discord's rules."""
        if self.guild is None:
            return bits(*_IN_DIRECT) if user_id in self.viewers() else 0
        granted = self.guild.permissions(user_id)
        if granted not in (0, ALL_PERMISSIONS):
            place = self.world.channels[self.parent_id] if self.thread else self
            for targets in ({self.guild.id}, self.guild.members[user_id], {user_id}):
                layer = [entry for entry in place.overwrites if int(entry["id"]) in targets]
                for entry in layer:
                    granted &= ~int(entry["deny"])
                for entry in layer:
                    granted |= int(entry["allow"])
        if not granted & bits("view_channel"):
            return 0
        return granted if granted & bits(self.speech) else granted & ~bits(*_NEEDS_SPEECH)

    def may(self, user_id: int, permission: str) -> bool:
        """Whether a user has a permission here."""
        return self.permissions(user_id) & bits(permission) != 0

    def require(self, user_id: int, *permissions: str) -> None:
        """Refuse what a user may not do here."""
        if not self.may(user_id, "view_channel"):
            raise ApiError(403, 50001, "Missing Access: there is no such channel here.")
        for name in permissions:
            if not self.may(user_id, name):
                title = name.replace("_", " ").title()
                raise ApiError(403, 50013, f"Missing Permissions: {title} in #{self.name}.")

    def viewers(self) -> frozenset[int]:
        """Everybody who can see this channel."""
        if self.recipient:
            return frozenset((self.recipient.id, self.world.bot.id))
        members = self.guild.members if self.guild else ()
        return frozenset(user for user in members if self.may(user, "view_channel"))

    def where(self) -> Wire:
        """The ids with which events name this place."""
        guild = {"guild_id": str(self.guild.id)} if self.guild else {}
        return {"channel_id": str(self.id)} | guild

    def announce(
        self, name: str, payload: Wire, reader: int | None = None, message: "Message | None" = None
    ) -> None:
        """Announce an event to everybody who sees this channel, or to one of them."""
        seen_by = self.viewers() if reader is None else frozenset((reader,))
        self.world.announce(name, self.where() | payload, seen_by, message)


@dataclass(frozen=True, slots=True)
class Pings:
    """Who a message notified."""

    users: frozenset[int] = frozenset()
    roles: frozenset[int] = frozenset()
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.users or self.roles or self.everyone)

    def __or__(self, other: "Pings") -> "Pings":
        everyone = self.everyone or other.everyone
        return Pings(self.users | other.users, self.roles | other.roles, everyone)


class Message(dict[str, Any]):
    """The JSON of a message; `pings` gathers everybody it ever notified, edits included."""

    type: int = _field("type")
    content: str = _field("content")
    flags: int = _field("flags")
    embeds: list[Wire] = _field("embeds")
    components: list[Wire] = _field("components")
    attachments: list[Wire] = _field("attachments")

    def __init__(
        self, channel: Channel, author: User, kind: int, content: str = "", number: int = 0
    ) -> None:
        self.id = number or channel.world.ids.next()
        self.channel, self.author, self.channel_id = channel, author, channel.id
        super().__init__(id=str(self.id), channel_id=str(channel.id), author=author.wire())
        self |= {"type": kind, "content": content, "timestamp": iso(moment_of(self.id))}
        self |= {"flags": 0, "edited_timestamp": None}
        self |= {"mention_everyone": False, "mentions": [], "mention_roles": []}
        self |= {"embeds": [], "components": [], "attachments": [], "reactions": []}
        self.reactions: dict[str, list[int]] = {}
        self.pings = Pings()
        self.replied: Message | None = None
        self.only_for: int | None = None
        self.avatar_url = ""

    @property
    def webhook_id(self) -> int | None:
        """The webhook that spoke."""
        return int(self.get("webhook_id", 0)) or None

    @property
    def is_system(self) -> bool:
        """Whether Discord itself wrote it."""
        return self.type in (THREAD_CREATED, THREAD_STARTER)

    @property
    def counts(self) -> bool:
        """Whether it is something somebody said to all."""
        return self.only_for is None and not self.is_system

    @property
    def reply_to(self) -> int | None:
        """The id of the message this one answers."""
        return int(self.get("message_reference", {}).get("message_id", 0)) or None

    @property
    def text(self) -> str:
        """Everything a reader sees as text: content, embeds and text displays."""
        parts = [self.content]
        for embed in self.embeds:
            parts += [embed.get("title", ""), embed.get("description", "")]
            parts += [f"{entry['name']}\n{entry['value']}" for entry in embed.get("fields", ())]
        parts += [part["content"] for part in walk(self.components) if part["type"] == 10]
        return "\n".join(part for part in parts if part)

    @property
    def custom_ids(self) -> list[str]:
        """The ids of everything that can be pressed."""
        return [part["custom_id"] for part in walk(self.components) if "custom_id" in part]

    def wire(self) -> Wire:
        """The message object, with what it answers."""
        if self.reply_to is None:
            return dict(self)
        replied = self.replied
        kept = replied and replied.channel.messages.get(replied.id)
        return self | {"referenced_message": kept and dict(kept)}

    def announce(self, name: str) -> None:
        """Announce this message to those who may read it, with the author's membership."""
        body, guild = self.wire(), self.channel.guild
        if guild and self.author.id in guild.members:
            body["member"] = guild.member(self.author)
        self.channel.announce(name, body, self.only_for, self)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file on its way in."""

    name: str
    content: bytes
    type: str = "application/octet-stream"


def walk(components: list[Wire]) -> Iterator[Wire]:
    """Every component, containers before what they hold."""
    for part in components:
        yield part
        inner = [part[key] for key in ("component", "accessory") if part.get(key)]
        yield from walk([*part.get("components", ()), *inner])
