"""Tells the admins of every server that was set up what concerns the whole bot."""

import logging

import discord

from bot.stage.destination import find_channel
from bot.stage.persistence import PASSING
from bot.store import Store, servers

log = logging.getLogger(__name__)


async def tell_admins(client: discord.Client, store: Store, text: str) -> None:
    """Say it in every channel where `/roundtable setup` was used last; raises nothing."""
    for channel_id in await store.read(servers.admin_channels):
        try:
            channel = await find_channel(client, channel_id)
            if not isinstance(channel, discord.abc.Messageable):
                continue
            await channel.send(text[:2000], allowed_mentions=discord.AllowedMentions.none())
        except (discord.DiscordException, *PASSING) as error:
            log.warning("could not notify admins in channel %s: %s", channel_id, error)
