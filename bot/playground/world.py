"""Plans of servers: who is in one, what they may do and where they talk."""

from dataclasses import dataclass

BOT_ROLE = "Roundtable"
EVERYONE = "@everyone"
_TALK = "view_channel send_messages send_messages_in_threads create_public_threads embed_links"
_TALK += " attach_files read_message_history add_reactions"
# What the invite link of the bot asks for.
BOT_PERMISSIONS = (*_TALK.split(), "manage_webhooks")
MEMBER_PERMISSIONS = (*_TALK.split(), "use_application_commands")


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
    closed = OverwritePlan(EVERYONE, deny=("view_channel",))
    ajar = OverwritePlan(BOT_ROLE, allow=("view_channel",))
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
