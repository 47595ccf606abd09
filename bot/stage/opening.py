"""Opens a run's place: a short anchor in the channel, and the thread made from it."""

import logging
from dataclasses import dataclass, replace

import discord

from bot.messages.admin import PermissionText
from bot.messages.starting import StartText
from bot.stage.cleaning import short_line
from bot.stage.destination import find_channel, may_open_threads
from bot.stage.persistence import PASSING, persist
from bot.stage.port import Opening, Place

log = logging.getLogger(__name__)

ANCHOR_KEY = "anchor"
ANCHOR_TOPIC_LIMIT = 1500


@dataclass(frozen=True, slots=True)
class ThreadRules:
    """What panels.json says about threads."""

    use_threads: bool
    auto_archive_minutes: int


def anchor_text(opening: Opening) -> str:
    """What the channel sees: the topic and who asked, pinging nobody."""
    topic = short_line(opening.topic, ANCHOR_TOPIC_LIMIT)
    return StartText.anchor(topic, opening.mode, opening.starter_id)


async def open_thread(
    client: discord.Client, opening: Opening, place: Place, rules: ThreadRules
) -> Place:
    """Make the thread on the anchor; where that cannot be, the run stays in the channel."""
    channel = await find_channel(client, place.channel_id)
    if not rules.use_threads or not isinstance(channel, discord.TextChannel):
        return place
    if place.anchor_id is None or not may_open_threads(channel):
        return place
    thread_id = await _make_or_find(client, channel, opening.title, place.anchor_id, rules)
    if thread_id is None:
        return replace(place, notices=(*place.notices, PermissionText.NO_THREADS))
    return replace(place, thread_id=thread_id)


async def _make_or_find(
    client: discord.Client,
    channel: discord.TextChannel,
    title: str,
    anchor_id: int,
    rules: ThreadRules,
) -> int | None:
    message = channel.get_partial_message(anchor_id)

    async def make() -> int:
        thread = await message.create_thread(
            name=title,
            auto_archive_duration=rules.auto_archive_minutes,  # type: ignore[arg-type] # validated
        )
        return thread.id

    async def look() -> int | None:
        # A creation that raised may still have worked; the thread then has the anchor's id.
        found = await find_channel(client, anchor_id)
        return found.id if isinstance(found, discord.Thread) else None

    try:
        return await persist(make, look)
    except (discord.HTTPException, *PASSING) as error:
        log.warning("could not create a thread in channel %s: %s", channel.id, type(error).__name__)
        return await look()
