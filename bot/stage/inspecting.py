"""Looks at a Discord server for the doctor: permissions by name, intents, webhooks."""

from collections.abc import Iterator
from typing import Final

import discord

from bot.messages.discord import PermissionText
from bot.stage.findings import Finding

_MOST_WEBHOOKS: Final = 15
# In the order in which their lack hurts.
_NAMES: Final = {
    "view_channel": PermissionText.VIEW_CHANNEL,
    "send_messages_in_threads": PermissionText.SEND_IN_THREADS,
    "send_messages": PermissionText.SEND_MESSAGES,
    "read_message_history": PermissionText.READ_HISTORY,
    "create_public_threads": PermissionText.CREATE_THREADS,
    "manage_webhooks": PermissionText.MANAGE_WEBHOOKS,
    "embed_links": PermissionText.EMBED_LINKS,
    "attach_files": PermissionText.ATTACH_FILES,
    "add_reactions": PermissionText.ADD_REACTIONS,
}

_Inspected = discord.TextChannel | discord.VoiceChannel | discord.ForumChannel


def _permission_findings(guild: discord.Guild) -> Iterator[Finding]:
    """Every permission we use, with the channels that do not give it."""
    channels: list[_Inspected] = [*guild.text_channels, *guild.voice_channels, *guild.forums]
    seen = [c for c in channels if c.permissions_for(guild.me).view_channel]
    yield Finding(PermissionText.sees(len(seen), len(channels)))
    for flag, name in _NAMES.items():
        lacking = [c for c in seen if not getattr(c.permissions_for(guild.me), flag)]
        if lacking:
            what = PermissionText.missing_in(name, (c.mention for c in lacking))
            yield Finding(what, PermissionText.allow_it(PermissionText.WITHOUT[name]))


def _here_finding(channel: _Inspected | discord.Thread) -> Finding:
    """What we may and may not do where the doctor was called."""
    may = channel.permissions_for(channel.guild.me)
    missing = [name for flag, name in _NAMES.items() if not getattr(may, flag)]
    if missing:
        return Finding(PermissionText.lacking_here(missing), PermissionText.ALLOW_THEM)
    return Finding(PermissionText.given_here(_NAMES.values()))


async def _webhook_finding(channel: _Inspected) -> Finding:
    """Whether panelists can have a webhook in a channel."""
    if not channel.permissions_for(channel.guild.me).manage_webhooks:
        return Finding(PermissionText.WEBHOOKS_NOT_COUNTED, PermissionText.ALLOW_WEBHOOKS)
    found = await channel.webhooks()
    own = any(hook.token and hook.user == channel.guild.me for hook in found)
    left = _MOST_WEBHOOKS - len(found)
    what = PermissionText.webhooks_left(left, _MOST_WEBHOOKS, channel.mention, own=own)
    return Finding(what, "" if own or left > 0 else PermissionText.DELETE_A_WEBHOOK)


def _intent_finding(client: discord.Client) -> Finding:
    """Whether we may read what people write."""
    if client.intents.message_content:
        return Finding(PermissionText.INTENT_ON)
    return Finding(PermissionText.INTENT_OFF, PermissionText.SWITCH_INTENT_ON)


async def inspect_server(client: discord.Client, channel: object) -> list[Finding]:
    """Everything the doctor finds in the Discord server of a channel."""
    place = channel.parent if isinstance(channel, discord.Thread) else channel
    if not isinstance(place, _Inspected) or not isinstance(channel, _Inspected | discord.Thread):
        return [_intent_finding(client)]
    return [
        _here_finding(channel),
        *_permission_findings(place.guild),
        await _webhook_finding(place),
        _intent_finding(client),
    ]
