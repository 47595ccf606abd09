"""What the embedded Discord remembers: people, servers, channels, messages, webhooks."""

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Wire = dict[str, Any]


class ChannelType(enum.IntEnum):
    """The kinds of channel the embedded Discord has, by Discord's numbers."""

    TEXT = 0
    DM = 1
    CATEGORY = 4
    ANNOUNCEMENT = 5
    ANNOUNCEMENT_THREAD = 10
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    FORUM = 15


class MessageType(enum.IntEnum):
    """The kinds of message the embedded Discord makes, by Discord's numbers."""

    DEFAULT = 0
    THREAD_CREATED = 18
    REPLY = 19
    COMMAND = 20
    THREAD_STARTER = 21
    MENU_COMMAND = 23


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


@dataclass(slots=True)
class Role:
    """A role of a server."""

    id: int
    name: str
    permissions: int
    position: int
    mentionable: bool = False
    bot_id: int | None = None


@dataclass(slots=True)
class Overwrite:
    """What a channel allows or denies one role or member."""

    target_id: int
    is_member: bool
    allow: int = 0
    deny: int = 0


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag that posts of a forum can carry."""

    id: int
    name: str


@dataclass(slots=True)
class Thread:
    """What a channel has when it is a thread."""

    owner_id: int
    auto_archive_minutes: int
    archived_at: float
    archived: bool = False
    locked: bool = False
    messages_sent: int = 0
    members: dict[int, float] = field(default_factory=dict)
    tags: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pings:
    """Who a message notified."""

    users: frozenset[int] = frozenset()
    roles: frozenset[int] = frozenset()
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.users or self.roles or self.everyone)

    def __or__(self, other: "Pings") -> "Pings":
        return Pings(
            self.users | other.users, self.roles | other.roles, self.everyone or other.everyone
        )


@dataclass(slots=True)
class Message:
    """A stored message; `pings` gathers everybody it ever notified, edits included."""

    id: int
    channel_id: int
    author: User
    type: int = MessageType.DEFAULT
    content: str = ""
    flags: int = 0
    edited_at: float | None = None
    embeds: list[Wire] = field(default_factory=list)
    components: list[Wire] = field(default_factory=list)
    attachments: list[Wire] = field(default_factory=list)
    mentions: Pings = Pings()
    pings: Pings = Pings()
    reactions: dict[str, list[int]] = field(default_factory=dict)
    reference: Wire | None = None
    webhook_id: int | None = None
    application_id: int | None = None
    avatar_url: str = ""
    interaction: Wire | None = None
    nonce: str | None = None
    only_for: int | None = None

    @property
    def is_system(self) -> bool:
        """Whether Discord itself wrote it."""
        return self.type in (MessageType.THREAD_CREATED, MessageType.THREAD_STARTER)

    @property
    def counts(self) -> bool:
        """Whether everybody in the channel sees it as something somebody said."""
        return self.only_for is None and not self.is_system

    @property
    def reply_to(self) -> int | None:
        """The id of the message this one answers."""
        return int((self.reference or {}).get("message_id", 0)) or None

    @property
    def text(self) -> str:
        """Everything a reader sees as text: content, embeds and text displays."""
        parts = [self.content]
        for embed in self.embeds:
            fields = embed.get("fields") or []
            parts += [str(embed.get("title") or ""), str(embed.get("description") or "")]
            parts += [f"{entry['name']}\n{entry['value']}" for entry in fields]
        parts += [str(part["content"]) for part in walk(self.components) if part["type"] == 10]
        return "\n".join(part for part in parts if part)

    @property
    def custom_ids(self) -> list[str]:
        """The ids of everything that can be pressed."""
        return [str(part["custom_id"]) for part in walk(self.components) if "custom_id" in part]


@dataclass(slots=True)
class Channel:
    """A channel, a direct conversation or a thread, with its messages in order."""

    id: int
    type: int
    name: str
    guild_id: int | None = None
    parent_id: int | None = None
    position: int = 0
    topic: str = ""
    slowmode: int = 0
    overwrites: list[Overwrite] = field(default_factory=list)
    recipients: tuple[int, ...] = ()
    tags: list[Tag] = field(default_factory=list)
    require_tag: bool = False
    thread: Thread | None = None
    messages: dict[int, Message] = field(default_factory=dict)


@dataclass(slots=True)
class Guild:
    """A server: its roles, and its members with the roles each has."""

    id: int
    name: str
    owner_id: int = 0
    roles: dict[int, Role] = field(default_factory=dict)
    members: dict[int, set[int]] = field(default_factory=dict)


@dataclass(slots=True)
class Webhook:
    """A webhook of a channel."""

    id: int
    token: str
    name: str
    channel_id: int
    guild_id: int


@dataclass(frozen=True, slots=True)
class Upload:
    """A file on its way in."""

    name: str
    content: bytes
    type: str = "application/octet-stream"


def walk(components: list[Wire]) -> Iterator[Wire]:
    """Every component, containers before what they hold."""
    for component in components:
        yield component
        inner = [*component.get("components", ())]
        inner += [component[key] for key in ("component", "accessory") if component.get(key)]
        yield from walk(inner)
