"""The state of the embedded Discord and the one place from which changes are announced."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.playground._basics import Clock, Snowflakes, Wire, bits
from bot.playground.errors import unknown
from bot.playground.model import DIRECT, FORUM, TEXT, Channel, Guild, Message, Upload, User

if TYPE_CHECKING:
    from bot.playground._interactions import Interaction


_BOT_ROLE = "Roundtable"
_EVERYONE = "@everyone"
_TALK = "view_channel send_messages send_messages_in_threads create_public_threads embed_links"
_TALK += " attach_files read_message_history add_reactions"
# What the invite link of the bot asks for.
BOT_PERMISSIONS = (*_TALK.split(), "manage_webhooks")
_MEMBER_PERMISSIONS = (*_TALK.split(), "use_application_commands")


@dataclass(frozen=True, slots=True)
class RolePlan:
    """A role, with permissions by discord.py's names."""

    name: str
    permissions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonPlan:
    """A member; the same name in two servers is the same account."""

    name: str
    roles: tuple[str, ...] = ()
    bot: bool = False


@dataclass(frozen=True, slots=True)
class OverwritePlan:
    """What a channel allows or denies a role or a person, by name."""

    target: str
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelPlan:
    """A channel; `kind` is text or forum."""

    name: str
    kind: str = "text"
    topic: str = ""
    overwrites: tuple[OverwritePlan, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GuildPlan:
    """A server: who is in it, what they may do, and where they talk."""

    name: str
    owner: str
    people: tuple[PersonPlan, ...]
    channels: tuple[ChannelPlan, ...]
    roles: tuple[RolePlan, ...] = ()


def the_table() -> GuildPlan:
    """The server everybody starts with."""
    closed = OverwritePlan(_EVERYONE, deny=("view_channel",))
    ajar = OverwritePlan(_BOT_ROLE, allow=("view_channel",))
    names = (PersonPlan("Mara", ("Admin",)), PersonPlan("Jonas"), PersonPlan("Ines"))
    channels = (
        ChannelPlan("general", topic="Everything and nothing"),
        ChannelPlan("decisions", topic="What we settled"),
        ChannelPlan("ask-the-table", topic="Every message here is a question to the table"),
        ChannelPlan("off-limits", overwrites=(closed, ajar)),
        ChannelPlan("forum", "forum", tags=("open", "settled")),
    )
    people = (*names, PersonPlan("Echo", bot=True))
    admin = RolePlan("Admin", ("administrator",))
    return GuildPlan("The Table", "Mara", people, channels, (admin,))


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
        self.interactions: dict[str, Interaction] = {}
        self.listeners: list[Callable[[Change], None]] = []
        self.bot = self.add_user(_BOT_ROLE, bot=True)

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
        everyone = RolePlan(_EVERYONE, _MEMBER_PERMISSIONS)
        own = RolePlan(_BOT_ROLE, BOT_PERMISSIONS)
        for place, role in enumerate((everyone, own, *plan.roles)):
            number = self.ids.next() if place else guild.id
            body = {"id": str(number), "name": role.name, "position": place}
            guild.roles[number] = body | {"permissions": str(bits(*role.permissions))}
        for person in (PersonPlan(self.bot.name, (_BOT_ROLE,)), *plan.people):
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

    def guild_of(self, channel: Channel) -> Guild | None:
        """The server of a channel, if it is not a direct conversation."""
        return channel.guild

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
