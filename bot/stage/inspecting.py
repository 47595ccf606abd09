"""Looks at a Discord server for the doctor: permissions by name, intents, webhooks."""

from collections.abc import Iterator
from typing import Final

import discord

from bot.admin.findings import Finding
from bot.admin.fitting import some

MOST_WEBHOOKS: Final = 15
# What each permission is for, in the order in which its lack hurts.
USES: Final = {
    "view_channel": "I cannot see the channel",
    "send_messages_in_threads": "nobody can speak in threads",
    "send_messages": "I cannot answer",
    "read_message_history": "I cannot make sure that nothing is posted twice",
    "create_public_threads": "roundtables run in the channel itself",
    "manage_webhooks": "panelists speak through my own messages",
    "embed_links": "the plain card is empty",
    "attach_files": "minutes cannot be attached",
    "add_reactions": "nobody sees that they were heard",
}

Inspected = discord.TextChannel | discord.VoiceChannel | discord.ForumChannel


def permission_name(flag: str) -> str:
    """The name a permission has in Discord's settings."""
    words = flag.replace("_", " ").title().split()
    return " ".join("in" if word == "In" else word for word in words)


def permission_findings(guild: discord.Guild) -> Iterator[Finding]:
    """Every permission we use, with the channels that do not give it."""
    channels: list[Inspected] = [*guild.text_channels, *guild.voice_channels, *guild.forums]
    seen = [c for c in channels if c.permissions_for(guild.me).view_channel]
    yield Finding(f"I see {len(seen)} of {len(channels)} channels")
    for flag, harm in USES.items():
        lacking = [c for c in seen if not getattr(c.permissions_for(guild.me), flag)]
        if lacking:
            places = some(c.mention for c in lacking)
            fix = f"{harm} there; allow it for my role in the channel's settings"
            yield Finding(f"{permission_name(flag)} is missing in {places}", fix)


def here_finding(channel: Inspected | discord.Thread) -> Finding:
    """What we may and may not do where the doctor was called."""
    may = channel.permissions_for(channel.guild.me)
    missing = [permission_name(flag) for flag in USES if not getattr(may, flag)]
    if missing:
        fix = "allow them for my role in the channel's settings"
        return Finding(f"Here I lack {', '.join(missing)}", fix)
    return Finding(f"Here I have {', '.join(permission_name(flag) for flag in USES)}")


async def webhook_finding(channel: Inspected) -> Finding:
    """Whether panelists can have a webhook in a channel."""
    if not channel.permissions_for(channel.guild.me).manage_webhooks:
        return Finding("Webhooks cannot be counted", "allow Manage Webhooks for my role")
    found = await channel.webhooks()
    own = any(hook.token and hook.user == channel.guild.me for hook in found)
    left = MOST_WEBHOOKS - len(found)
    what = f"{left} of {MOST_WEBHOOKS} webhooks are left in {channel.mention}"
    if own or left > 0:
        return Finding(what + (", and I have mine" if own else ""))
    return Finding(what, "delete one under Integrations, else panelists speak as me")


def intent_finding(client: discord.Client) -> Finding:
    """Whether we may read what people write."""
    if client.intents.message_content:
        return Finding("The Message Content intent is on")
    fix = "switch it on in the developer portal under Bot, else only commands and mentions work"
    return Finding("The Message Content intent is off", fix)


async def inspect_server(client: discord.Client, channel: object) -> list[Finding]:
    """Everything the doctor finds in the Discord server of a channel."""
    place = channel.parent if isinstance(channel, discord.Thread) else channel
    if not isinstance(place, Inspected) or not isinstance(channel, Inspected | discord.Thread):
        return [intent_finding(client)]
    return [
        here_finding(channel),
        *permission_findings(place.guild),
        await webhook_finding(place),
        intent_finding(client),
    ]
