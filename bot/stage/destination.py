"""Chooses the channel a roundtable is shown in, and says what the bot may not do there."""

from dataclasses import dataclass

import discord

from bot.errors import UnavailableError
from bot.messages.admin import PermissionText
from bot.panels import Output
from bot.stage.persistence import why_not
from bot.stage.port import Destination

GuildChannel = discord.abc.GuildChannel | discord.Thread
_SpeakingChannel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel


@dataclass(frozen=True, slots=True)
class ThreadNeeds:
    """Where the configuration wants roundtables: the file's word first, then the environment's."""

    output: Output
    environment_channel: int | None

    @property
    def target(self) -> int | None:
        """The configured channel, if any."""
        return self.output.target or self.environment_channel


async def find_channel(client: discord.Client, channel_id: int) -> GuildChannel | None:
    """A channel or thread of a server by id, from the cache or from Discord."""
    found = client.get_channel(channel_id)
    if found is None:
        try:
            found = await client.fetch_channel(channel_id)
        except (discord.NotFound, discord.Forbidden, discord.InvalidData):
            return None
    return found if isinstance(found, (discord.abc.GuildChannel, discord.Thread)) else None


async def choose_destination(
    client: discord.Client, guild_id: int, trigger_channel_id: int, wishes: ThreadNeeds
) -> Destination:
    """Pick the configured channel if it works, else the one where the command was given."""
    notices: list[str] = []
    if wishes.target is not None and wishes.target != trigger_channel_id:
        target = await find_channel(client, wishes.target)
        fault = fault_of(target, guild_id)
        if target is not None and not fault:
            return _destination(target, wishes.output, notices)
        notices.append(PermissionText.output_unusable(fault))
    trigger = await find_channel(client, trigger_channel_id)
    fault = fault_of(trigger, guild_id)
    if trigger is None or fault:
        raise UnavailableError(PermissionText.cannot_meet(fault))
    return _destination(trigger, wishes.output, notices)


def may_open_threads(channel: GuildChannel) -> bool:
    """Whether the bot can make a thread in this channel and speak in it."""
    may = channel.permissions_for(channel.guild.me)
    return (
        isinstance(channel, discord.TextChannel)
        and may.create_public_threads
        and may.send_messages_in_threads
    )


def fault_of(channel: GuildChannel | None, guild_id: int) -> str:
    """Why a roundtable cannot be held in the channel, as the end of a sentence."""
    if channel is None or channel.guild.id != guild_id:
        return PermissionText.NOT_FOUND
    if not isinstance(channel, (*_SpeakingChannel.__args__, discord.ForumChannel, discord.Thread)):
        return PermissionText.NO_ORDINARY_MESSAGES
    missing = missing_permissions(channel)
    return PermissionText.lacks(missing) if missing else ""


def missing_permissions(channel: GuildChannel, *, files: bool = False) -> tuple[str, ...]:
    """What the bot lacks to hold a roundtable in the channel, by Discord's names."""
    may = channel.permissions_for(channel.guild.me)
    in_thread = isinstance(channel, (discord.Thread, discord.ForumChannel))
    wanted = {PermissionText.VIEW_CHANNEL: may.view_channel}
    if isinstance(channel, discord.ForumChannel):
        wanted[PermissionText.CREATE_POSTS] = may.send_messages
    speak = may.send_messages_in_threads if in_thread else may.send_messages
    wanted |= {
        PermissionText.SEND_IN_THREADS if in_thread else PermissionText.SEND_MESSAGES: speak,
        PermissionText.READ_HISTORY: may.read_message_history,
        # Who may not speak may not attach anything either, and is told the one that matters.
        PermissionText.ATTACH_FILES: may.attach_files or not files or not speak,
    }
    return tuple(name for name, granted in wanted.items() if not granted)


async def why_refused(
    client: discord.Client, channel_id: int, error: discord.HTTPException, *, files: bool = False
) -> str:
    """What a refusal to post means for people, with the permissions that the bot lacks there."""
    channel = None
    if isinstance(error, discord.Forbidden):
        channel = await find_channel(client, channel_id)
    return why_not(error, missing_permissions(channel, files=files) if channel else ())


def _destination(channel: GuildChannel, output: Output, notices: list[str]) -> Destination:
    if isinstance(channel, discord.Thread):
        parent_id, thread_id = channel.parent_id, channel.id
    else:
        parent_id, thread_id = channel.id, None
        notices += _thread_notices(channel, output)
    if not channel.permissions_for(channel.guild.me).manage_webhooks:
        notices.append(PermissionText.NO_WEBHOOKS)
    return Destination(channel.guild.id, parent_id, thread_id, tuple(notices))


def _thread_notices(channel: GuildChannel, output: Output) -> list[str]:
    """Why there is no thread although one is wanted."""
    if not output.use_threads or isinstance(channel, discord.ForumChannel):
        return []
    if isinstance(channel, (discord.VoiceChannel, discord.StageChannel)):
        return [PermissionText.NO_THREADS_IN_VOICE]
    return [] if may_open_threads(channel) else [PermissionText.NO_THREADS]
