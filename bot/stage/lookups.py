"""Looks at Discord without changing it: which places are there, and which threads are alive."""

import asyncio
import time
from collections.abc import Callable, Collection

import discord

from bot.errors import UnavailableError
from bot.messages.admin import PermissionText
from bot.request import normalise_topic
from bot.stage.destination import GuildChannel, find_channel
from bot.stage.port import Destination, Place

_MOST_THREADS = 25


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
    newest = sorted(here, key=lambda thread: thread.id, reverse=True)[:_MOST_THREADS]
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


_THREAD_REMEMBERED = 60.0
_MOST_REMEMBERED = 500


class Rights:
    """Looks people and channels up; what kind of thread one is never changes, so it is kept."""

    def __init__(self, client: discord.Client, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._archived: dict[int, tuple[float, discord.Thread]] = {}

    async def readable(
        self, person_id: int, guild_id: int, channel_ids: Collection[int]
    ) -> frozenset[int]:
        """Those of the channels and threads that a person can read now."""
        guild = self._client.get_guild(guild_id)
        if guild is None:
            return frozenset()
        asked = tuple(set(channel_ids))
        try:
            member = await _member(guild, person_id)
            allowed = await asyncio.gather(*(self._may_read(guild, member, one) for one in asked))
        except discord.HTTPException as error:
            raise UnavailableError(PermissionText.UNSURE) from error
        return frozenset(one for one, may in zip(asked, allowed, strict=True) if may)

    async def open_to(self, channel_id: int, audience_id: int) -> bool:
        """Whether everybody who reads the audience's channel can read the other one, too."""
        if channel_id == audience_id:
            return True
        channel, audience = await self._find(channel_id), await self._find(audience_id)
        if channel is None or audience is None or _is_private(channel):
            return False
        return _parent_id(channel) == _parent_id(audience)

    async def _may_read(
        self, guild: discord.Guild, member: discord.Member | None, channel_id: int
    ) -> bool:
        channel = await self._find(channel_id)
        if member is None or channel is None or channel.guild.id != guild.id:
            return False
        if isinstance(channel, discord.Thread) and channel.parent is None:
            return False
        may = channel.permissions_for(member)
        if not (may.view_channel and may.read_message_history):
            return False
        if isinstance(channel, discord.Thread) and channel.is_private():
            return may.manage_threads or await _is_inside(channel, member.id)
        return True

    async def _find(self, channel_id: int) -> GuildChannel | None:
        """The channel; an archived thread, which no cache has, is fetched once a minute."""
        known = self._archived.get(channel_id)
        if known is not None and self._clock() - known[0] < _THREAD_REMEMBERED:
            return known[1]
        found = await find_channel(self._client, channel_id)
        if isinstance(found, discord.Thread) and self._client.get_channel(channel_id) is None:
            if len(self._archived) >= _MOST_REMEMBERED:
                self._archived.clear()
            self._archived[channel_id] = (self._clock(), found)
        return found


async def _member(guild: discord.Guild, person_id: int) -> discord.Member | None:
    try:
        return await guild.fetch_member(person_id)
    except discord.NotFound:
        return None


async def _is_inside(thread: discord.Thread, person_id: int) -> bool:
    try:
        return person_id in {entry.id for entry in await thread.fetch_members()}
    except (discord.Forbidden, discord.NotFound):
        return False


def _is_private(channel: GuildChannel) -> bool:
    return isinstance(channel, discord.Thread) and channel.is_private()


def _parent_id(channel: GuildChannel) -> int:
    return channel.parent_id if isinstance(channel, discord.Thread) else channel.id
