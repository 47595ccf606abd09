"""Shows "is typing" while a panelist thinks; it always ends, and its failure stops nothing."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord

from bot.stage.port import Place

log = logging.getLogger(__name__)

SECONDS_BETWEEN = 8.0
"""Discord shows it for ten seconds."""


@asynccontextmanager
async def typing(client: discord.Client, place: Place) -> AsyncIterator[None]:
    """Keep the indicator alive for as long as the block lasts."""
    showing = asyncio.create_task(_keep_typing(client, place.target_id))
    try:
        yield
    finally:
        showing.cancel()


async def _keep_typing(client: discord.Client, channel_id: int) -> None:
    while True:
        try:
            await client.http.send_typing(channel_id)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            log.info("typing could not be shown in %s: %s", channel_id, type(error).__name__)
        await asyncio.sleep(SECONDS_BETWEEN)
