"""The state of the embedded Discord and the one place from which changes are announced."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.playground import blueprint, wire
from bot.playground.errors import no_access, no_permission, unknown
from bot.playground.model import (
    Channel,
    ChannelType,
    Guild,
    Message,
    Overwrite,
    Role,
    Tag,
    Upload,
    User,
    Webhook,
    Wire,
)
from bot.playground.permissions import bits, channel_permissions, has
from bot.playground.snowflakes import Clock, Snowflakes

if TYPE_CHECKING:
    from bot.playground.interactions import Interaction

_KINDS = {kind.name.lower(): kind for kind in ChannelType}


@dataclass(frozen=True, slots=True)
class Change:
    """Something that happened, as the gateway names it, and who may see it."""

    name: str
    payload: Wire
    viewers: frozenset[int]
    channel_id: int | None = None
    message: Message | None = None


@dataclass(slots=True)
class World:
    """Everything there is; every change goes through `announce`."""

    clock: Clock = time.time
    cdn_url: str = ""
    users: dict[int, User] = field(default_factory=dict)
    guilds: dict[int, Guild] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)
    webhooks: dict[int, Webhook] = field(default_factory=dict)
    files: dict[int, Upload] = field(default_factory=dict)
    commands: dict[int | None, list[Wire]] = field(default_factory=dict)
    interactions: dict[str, "Interaction"] = field(default_factory=dict)
    listeners: list[Callable[[Change], None]] = field(default_factory=list)
    ids: Snowflakes = field(init=False)
    bot: User = field(init=False)
    reads_content: bool = True

    def __post_init__(self) -> None:
        self.ids = Snowflakes(self.clock)
        self.bot = self.add_user("Roundtable", bot=True)

    # -- building

    def add_user(self, name: str, *, bot: bool = False) -> User:
        """The account of that name, made when it does not exist."""
        for user in self.users.values():
            if user.name == name:
                return user
        user = User(self.ids.next(), name, bot)
        self.users[user.id] = user
        return user

    def add_guild(self, plan: blueprint.GuildPlan) -> Guild:
        """Build a server from its plan."""
        guild = Guild(self.ids.next(), plan.name)
        self.guilds[guild.id] = guild
        everyone = blueprint.RolePlan(blueprint.EVERYONE, plan.everyone)
        own = blueprint.RolePlan(blueprint.BOT_ROLE, plan.bot_permissions)
        for position, role in enumerate((everyone, own, *plan.roles)):
            self._add_role(guild, role, position)
        self.join(guild, blueprint.PersonPlan(self.bot.name, (blueprint.BOT_ROLE,)))
        for person in plan.people:
            self.join(guild, person)
        guild.owner_id = self.add_user(plan.owner).id
        for channel in plan.channels:
            self.add_channel(guild, channel)
        return guild

    def _add_role(self, guild: Guild, plan: blueprint.RolePlan, position: int) -> None:
        role_id = self.ids.next() if guild.roles else guild.id
        bot_id = self.bot.id if plan.name == blueprint.BOT_ROLE else None
        permissions = bits(*plan.permissions)
        guild.roles[role_id] = Role(
            role_id, plan.name, permissions, position, plan.mentionable, bot_id
        )

    def join(self, guild: Guild, plan: blueprint.PersonPlan) -> User:
        """Let somebody into a server."""
        user = self.add_user(plan.name, bot=plan.bot)
        guild.members[user.id] = {r.id for r in guild.roles.values() if r.name in plan.roles}
        payload = wire.member(guild, user) | {"guild_id": str(guild.id)}
        self.announce(Change("GUILD_MEMBER_ADD", payload, frozenset(guild.members)))
        return user

    def add_channel(self, guild: Guild, plan: blueprint.ChannelPlan) -> Channel:
        """Open a channel in a server."""
        siblings = [c for c in self.channels.values() if c.guild_id == guild.id and not c.thread]
        channel = Channel(
            self.ids.next(),
            _KINDS[plan.kind],
            plan.name,
            guild.id,
            next((c.id for c in siblings if c.name == plan.category), None),
            position=len(siblings),
            topic=plan.topic,
            overwrites=[self.overwrite(guild, entry) for entry in plan.overwrites],
            tags=[Tag(self.ids.next(), tag) for tag in plan.tags],
            require_tag=plan.require_tag,
        )
        self.channels[channel.id] = channel
        self.announce_channel("CHANNEL_CREATE", channel)
        return channel

    def overwrite(self, guild: Guild, plan: blueprint.OverwritePlan) -> Overwrite:
        """A plan's overwrite with its names looked up."""
        allow, deny = bits(*plan.allow), bits(*plan.deny)
        for role in guild.roles.values():
            if role.name == plan.target:
                return Overwrite(role.id, False, allow, deny)
        return Overwrite(self.add_user(plan.target).id, True, allow, deny)

    def direct(self, user_id: int) -> Channel:
        """The direct conversation between a person and the bot."""
        pair = (user_id, self.bot.id)
        for channel in self.channels.values():
            if channel.recipients == pair:
                return channel
        channel = Channel(self.ids.next(), ChannelType.DM, "", recipients=pair)
        self.channels[channel.id] = channel
        return channel

    def remove_channel(self, channel: Channel) -> None:
        """Delete a channel with its threads and webhooks."""
        for thread in self.threads_of(channel.id):
            self.remove_channel(thread)
        kind = "THREAD_DELETE" if channel.thread else "CHANNEL_DELETE"
        self.webhooks = {k: h for k, h in self.webhooks.items() if h.channel_id != channel.id}
        self.announce_channel(kind, channel)
        del self.channels[channel.id]

    # -- looking up

    def channel(self, channel_id: int) -> Channel:
        """A channel or thread by id."""
        if channel_id not in self.channels:
            raise unknown("channel")
        return self.channels[channel_id]

    def guild(self, guild_id: int) -> Guild:
        """A server the bot is in."""
        if guild_id not in self.guilds:
            raise unknown("guild")
        return self.guilds[guild_id]

    def guild_of(self, channel: Channel) -> Guild | None:
        """The server of a channel, if it is not a direct conversation."""
        return self.guilds.get(channel.guild_id or 0)

    def message(self, channel: Channel, message_id: int) -> Message:
        """A message of a channel."""
        if message_id not in channel.messages:
            raise unknown("message")
        return channel.messages[message_id]

    def find_message(self, message_id: int) -> tuple[Channel, Message]:
        """A message wherever it is."""
        for channel in self.channels.values():
            if message_id in channel.messages:
                return channel, channel.messages[message_id]
        raise unknown("message")

    def threads_of(self, parent_id: int | None = None) -> list[Channel]:
        """The threads of a channel, or all of them."""
        threads = [c for c in self.channels.values() if c.thread]
        return [c for c in threads if parent_id in (None, c.parent_id)]

    # -- permissions

    def permissions(self, user_id: int, channel: Channel) -> int:
        """What a user may do in a channel."""
        place = self.channels.get(channel.parent_id or 0, channel) if channel.thread else channel
        return channel_permissions(self.guild_of(channel), place, channel, user_id)

    def may(self, user_id: int, channel: Channel, permission: str) -> bool:
        """Whether a user has a permission in a channel."""
        return has(self.permissions(user_id, channel), permission)

    def speech(self, channel: Channel) -> str:
        """The permission that speaking in a channel needs."""
        return "send_messages_in_threads" if channel.thread else "send_messages"

    def viewers(self, channel: Channel) -> frozenset[int]:
        """Everybody who can see a channel."""
        guild = self.guild_of(channel)
        people = guild.members if guild else channel.recipients
        return frozenset(u for u in people if self.may(u, channel, "view_channel"))

    def require(self, channel: Channel, *names: str) -> None:
        """Refuse what the bot may not do, as Discord refuses it."""
        if not self.may(self.bot.id, channel, "view_channel"):
            raise no_access()
        if not all(self.may(self.bot.id, channel, name) for name in names):
            raise no_permission()

    # -- announcing

    def announce(self, change: Change) -> None:
        """Tell everybody who listens."""
        for listener in tuple(self.listeners):
            listener(change)

    def announce_channel(self, name: str, channel: Channel, **extra: object) -> None:
        """Announce a channel or thread; bots hear of channels they cannot see."""
        seen_by = self.viewers(channel)
        if not channel.thread:
            seen_by |= {self.bot.id}
        payload = wire.channel(self, channel) | extra
        self.announce(Change(name, payload, seen_by, channel.id))

    def announce_message(self, name: str, channel: Channel, message: Message) -> None:
        """Announce a message to those who may read it."""
        seen_by = self.viewers(channel)
        if message.only_for is not None:
            seen_by = frozenset((message.only_for,))
        payload = wire.message_event(self, channel, message)
        self.announce(Change(name, payload, seen_by, channel.id, message))
