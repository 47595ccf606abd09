"""Who may do what where, by Discord's rules."""

from collections.abc import Iterable

import discord

from bot.playground.model import Channel, ChannelType, Guild, Overwrite

EVERYTHING = discord.Permissions.all().value
_WITHOUT_SPEECH = ("mention_everyone", "embed_links", "attach_files", "send_tts_messages")
_IN_DIRECT = (
    "view_channel",
    "send_messages",
    "embed_links",
    "attach_files",
    "read_message_history",
    "add_reactions",
    "use_application_commands",
)


def bits(*names: str) -> int:
    """The number of a set of permissions, named as discord.py names them."""
    return discord.Permissions(**dict.fromkeys(names, True)).value


def has(permissions: int, name: str) -> bool:
    """Whether a permission is in the set."""
    return permissions & bits(name) != 0


def guild_permissions(guild: Guild, user_id: int) -> int:
    """What a member may do in a server before channels have their say."""
    if user_id not in guild.members:
        return 0
    if user_id == guild.owner_id:
        return EVERYTHING
    granted = guild.roles[guild.id].permissions
    for role_id in guild.members[user_id]:
        granted |= guild.roles[role_id].permissions
    return EVERYTHING if has(granted, "administrator") else granted


def channel_permissions(guild: Guild | None, place: Channel, channel: Channel, user_id: int) -> int:
    """What a user may do in `channel`, whose overwrites stand on `place` (a thread's parent)."""
    if guild is None:
        return bits(*_IN_DIRECT) if user_id in channel.recipients else 0
    granted = guild_permissions(guild, user_id)
    if granted != EVERYTHING and user_id in guild.members:
        granted = _overwritten(granted, guild, place.overwrites, user_id)
    if not has(granted, "view_channel") or _is_closed_to(channel, granted, user_id):
        return 0
    speaking = "send_messages_in_threads" if channel.thread else "send_messages"
    return granted if has(granted, speaking) else granted & ~bits(*_WITHOUT_SPEECH)


def _overwritten(granted: int, guild: Guild, overwrites: list[Overwrite], user_id: int) -> int:
    roles = guild.members[user_id]
    for layer in (
        [o for o in overwrites if o.target_id == guild.id],
        [o for o in overwrites if not o.is_member and o.target_id in roles],
        [o for o in overwrites if o.is_member and o.target_id == user_id],
    ):
        granted = granted & ~_union(o.deny for o in layer) | _union(o.allow for o in layer)
    return granted


def _union(values: Iterable[int]) -> int:
    total = 0
    for value in values:
        total |= value
    return total


def _is_closed_to(channel: Channel, granted: int, user_id: int) -> bool:
    if channel.type != ChannelType.PRIVATE_THREAD or channel.thread is None:
        return False
    return user_id not in channel.thread.members and not has(granted, "manage_threads")
