"""Takes up what people typed to the bot in channels while it was away for a moment, once each.

A person who typed a question two minutes ago still waits for its answer; after an hour they do
not, and must not be charged for it.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Final

import discord

from bot.council.absence import moment_id
from bot.stage.persistence import persist

log = logging.getLogger(__name__)

RECENT_SECONDS: Final = 150.0
"""Two minutes, and the time it takes to be ready again."""
MOST_CHANNELS: Final = 50
MOST_MESSAGES: Final = 50

Place = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
Take = Callable[[discord.Message], Awaitable[None]]


async def take_recent(guilds: Sequence[discord.Guild], now: float, take: Take) -> None:
    """Hand over what was said lately, oldest first, in every channel where anything was."""
    after = moment_id(now - RECENT_SECONDS)
    lively = [place for guild in guilds for place in _readable(guild, after)]
    lively.sort(key=lambda place: place.last_message_id or 0, reverse=True)
    if len(lively) > MOST_CHANNELS:
        log.warning("only the %d most recently active channels are searched", MOST_CHANNELS)
    for place in lively[:MOST_CHANNELS]:
        try:
            for message in await persist(partial(history, place, after, MOST_MESSAGES)):
                await take(message)
        except Exception:
            # Whatever is wrong with one channel, people in the others wait, too.
            log.exception("channel %s: recent messages could not be read", place.id)


def _readable(guild: discord.Guild, after: int) -> Iterator[Place]:
    """Discord names every channel's newest message, so that quiet ones cost no request."""
    rooms: list[Place] = [*guild.text_channels, *guild.voice_channels, *guild.stage_channels]
    places: list[Place] = [*rooms, *guild.threads]
    for place in places:
        if (place.last_message_id or 0) > after:
            may = place.permissions_for(guild.me)
            if may.view_channel and may.read_message_history:
                yield place


async def history(place: Place, after: int, most: int) -> list[discord.Message]:
    """What was said after an id, oldest first; of too much, the newest."""
    found = place.history(limit=most, after=discord.Object(after), oldest_first=False)
    return [message async for message in found][::-1]
