"""What the embedded Discord remembers: mostly Discord's own JSON, with helpers.

Every change is announced by the World.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.playground._basics import (
    ALL_PERMISSIONS,
    Clock,
    Pings,
    Snowflakes,
    Wire,
    bits,
    iso,
    moment_of,
    walk,
)
from bot.playground.errors import ApiError, unknown
from bot.playground.world import (
    BOT_PERMISSIONS,
    BOT_ROLE,
    EVERYONE,
    MEMBER_PERMISSIONS,
    ChannelPlan,
    GuildPlan,
    OverwritePlan,
    PersonPlan,
    RolePlan,
)

TEXT, DIRECT, THREAD, FORUM = 0, 1, 11, 15
DEFAULT, THREAD_CREATED, REPLY, THREAD_STARTER = 0, 18, 19, 21
_NEEDS_SPEECH = ("mention_everyone", "embed_links", "attach_files", "send_tts_messages")
_TALK = ("view_channel", "send_messages", "embed_links", "attach_files", "read_message_history")
_IN_DIRECT = (*_TALK, "add_reactions", "use_application_commands")


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
        is_admin = user_id == self.owner_id or granted & bits("administrator")
        return ALL_PERMISSIONS if is_admin else granted

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


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened, as the gateway names it, and who may see it."""

    name: str
    payload: Wire
    viewers: frozenset[int]
    message: Message | None = None


class World:
    """Everything there is; every change goes through `announce`."""

    def __init__(self, clock: Clock, *, reads_content: bool) -> None:
        self.clock, self.reads_content, self.cdn_url = clock, reads_content, ""
        self.gateway: Callable[[], Wire] = dict
        """What a bot is told before it connects: address, shards, how often it may identify."""
        self.ids = Snowflakes(clock)
        self.users: dict[int, User] = {}
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.webhooks: dict[int, Wire] = {}
        self.files: dict[int, Upload] = {}
        self.commands: list[Wire] = []
        self.emojis: list[Wire] = []
        self.read: dict[tuple[int, int], int] = {}
        """Up to which id a person has read a channel."""
        self.about: Wire = {}
        self.interactions: dict[str, Any] = {}  # of _interactions, by token
        self.listeners: list[Callable[[Change], None]] = []
        self.bot = self.add_user(BOT_ROLE, bot=True)

    def add_user(self, name: str, *, bot: bool = False) -> User:
        """The account of that name, made when it does not exist."""
        for user in self.users.values():
            if user.name == name:
                return user
        user = User(self.ids.next(), name, bot)
        self.users[user.id] = user
        return user

    def add_guild(self, plan: GuildPlan) -> Guild:
        """Build a server from its plan; one of this name gets only the channels it lacks."""
        for guild in self.guilds.values():
            if guild.name == plan.name:
                known = {channel.name for channel in self.channels_of(guild)}
                for channel in plan.channels:
                    if channel.name not in known:
                        self.add_channel(guild, channel)
                return guild
        guild = Guild(self.ids.next(), plan.name)
        self.guilds[guild.id] = guild
        everyone = RolePlan(EVERYONE, MEMBER_PERMISSIONS)
        own = RolePlan(BOT_ROLE, BOT_PERMISSIONS)
        for place, role in enumerate((everyone, own, *plan.roles)):
            number = self.ids.next() if place else guild.id
            body = {"id": str(number), "name": role.name, "position": place}
            guild.roles[number] = body | {"permissions": str(bits(*role.permissions))}
        for person in (PersonPlan(self.bot.name, (BOT_ROLE,)), *plan.people):
            self.join(guild, person)
        guild.owner_id = self.add_user(plan.owner).id
        for channel in plan.channels:
            self.add_channel(guild, channel)
        return guild

    def join(self, guild: Guild, plan: PersonPlan) -> User:
        """Let somebody into a server."""
        user = self.add_user(plan.name, bot=plan.bot)
        guild.members[user.id] = {k for k, r in guild.roles.items() if r["name"] in plan.roles}
        payload = guild.member(user) | {"guild_id": str(guild.id)}
        self.announce("GUILD_MEMBER_ADD", payload, frozenset(guild.members))
        return user

    def add_channel(self, guild: Guild, plan: ChannelPlan) -> Channel:
        """Open a channel in a server."""
        channel = Channel(self, FORUM if plan.kind == "forum" else TEXT, plan.name)
        channel.guild = guild
        channel |= {"guild_id": str(guild.id), "position": len(self.channels)}
        overwrites = [self.overwrite(guild, entry) for entry in plan.overwrites]
        channel |= {"topic": plan.topic or None, "permission_overwrites": overwrites}
        channel["available_tags"] = [
            {"id": str(self.ids.next()), "name": tag, "emoji_name": None} for tag in plan.tags
        ]
        self.channels[channel.id] = channel
        self.announce_channel("CHANNEL_CREATE", channel)
        return channel

    def overwrite(self, guild: Guild, plan: OverwritePlan) -> Wire:
        """A plan's overwrite with its names looked up."""
        roles = [number for number, role in guild.roles.items() if role["name"] == plan.target]
        number, kind = (roles[0], 0) if roles else (self.add_user(plan.target).id, 1)
        powers = {"allow": str(bits(*plan.allow)), "deny": str(bits(*plan.deny))}
        return {"id": str(number), "type": kind} | powers

    def direct(self, user_id: int) -> Channel:
        """The direct conversation between a person and the bot."""
        person = self.users[user_id]
        for channel in self.channels.values():
            if channel.recipient == person:
                return channel
        channel = Channel(self, DIRECT, person.name)
        channel.recipient, channel["recipients"] = person, [person.wire()]
        self.channels[channel.id] = channel
        return channel

    def channel(self, channel_id: int) -> Channel:
        """A channel or thread by id."""
        if channel_id not in self.channels:
            raise unknown("Channel")
        return self.channels[channel_id]

    def message(self, message_id: int, channel: Channel | None = None) -> Message:
        """A message, of one channel or wherever it is."""
        for place in (channel,) if channel is not None else self.channels.values():
            if message_id in place.messages:
                return place.messages[message_id]
        raise unknown("Message")

    def threads_of(self, parent_id: int | None = None) -> list[Channel]:
        """The threads of a channel, or all of them."""
        threads = [c for c in self.channels.values() if c.thread]
        return [c for c in threads if parent_id in (None, c.parent_id)]

    def active_threads(self, guild: Guild) -> list[Channel]:
        """The threads of a server that the bot can see and that are not archived."""
        threads = [c for c in self.threads_of() if c.guild is guild]
        seen = [c for c in threads if c.may(self.bot.id, "view_channel")]
        return [c for c in seen if not c["thread_metadata"]["archived"]]

    def channels_of(self, guild: Guild) -> list[Channel]:
        """The channels of a server, without threads."""
        return [c for c in self.channels.values() if c.guild is guild and not c.thread]

    def censored(self, body: Wire) -> Wire:
        """A message as a bot without the message content intent receives it."""
        known = [body["author"]["id"], *(user["id"] for user in body["mentions"])]
        private = self.channels[int(body["channel_id"])].guild is None
        hidden = dict[str, object]()
        if str(self.bot.id) not in known and not private:
            hidden = {"content": "", "embeds": [], "components": [], "attachments": []}
        if body.get("referenced_message"):
            hidden["referenced_message"] = self.censored(body["referenced_message"])
        return body | hidden

    def announce(
        self, name: str, payload: Wire, viewers: frozenset[int], message: Message | None = None
    ) -> None:
        """Tell everybody who listens that something happened."""
        for listener in tuple(self.listeners):
            listener(Change(name, payload, viewers, message))

    def announce_channel(self, name: str, channel: Channel, **extra: object) -> None:
        """Announce a channel or thread; bots hear of channels they cannot see."""
        seen_by = channel.viewers() | (set() if channel.thread else {self.bot.id})
        self.announce(name, channel | extra, seen_by)
