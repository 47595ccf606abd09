"""Looks at Discord without changing it: which places are there, and which threads are alive."""

import discord

from bot.request import normalise_topic
from bot.stage.destination import find_channel
from bot.stage.port import Destination, Place

MOST_THREADS = 25


async def is_alive(client: discord.Client, place: Place) -> bool:
    """Whether people still talk there: the channel or thread exists and is not archived."""
    channel = await find_channel(client, place.target_id)
    if isinstance(channel, discord.Thread):
        return not channel.archived
    return channel is not None


async def is_gone(client: discord.Client, place: Place) -> bool:
    """Whether the channel or thread was deleted; one the bot may not see is still there.

    Discord is asked, for the event of a deletion may have been lost.
    """
    try:
        await client.fetch_channel(place.target_id)
    except discord.NotFound:
        return True
    except discord.Forbidden:
        return False
    return False


async def owner_of(client: discord.Client, channel_id: int) -> int | None:
    """Who opened a thread or forum post; a channel belongs to nobody."""
    channel = await find_channel(client, channel_id)
    return channel.owner_id if isinstance(channel, discord.Thread) else None


async def find_thread(
    client: discord.Client, destination: Destination, title: str, since: float
) -> Place | None:
    """A recent active thread with that title in the channel, by any author (E24, E25)."""
    guild = client.get_guild(destination.guild_id)
    if guild is None:
        return None
    here = [t for t in await guild.active_threads() if t.parent_id == destination.channel_id]
    newest = sorted(here, key=lambda thread: thread.id, reverse=True)[:MOST_THREADS]
    for thread in newest:
        created = discord.utils.snowflake_time(thread.id).timestamp()
        if same_title(thread.name, title) and created >= since and not thread.archived:
            return Place(destination.guild_id, destination.channel_id, thread.id, thread.id)
    return None


def same_title(one: str, other: str) -> bool:
    """Whether two titles name the same topic in the same mode, whatever case and punctuation."""
    return _parts(one) == _parts(other)


def _parts(title: str) -> tuple[str, str]:
    topic, bracket, tag = title.rpartition("[[")
    return normalise_topic(topic.removeprefix("🎯")), (bracket + tag).strip()
