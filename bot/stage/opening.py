"""Opens a run's place: a short anchor in the channel, and the thread made from it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import discord
from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.messages.admin import PermissionText
from bot.messages.discord import PostText
from bot.messages.starting import StartText
from bot.stage.cleaning import short_line
from bot.stage.destination import find_channel, may_open_threads, missing_permissions
from bot.stage.persistence import PASSING, persist, why_not
from bot.stage.port import Opening, Place
from bot.store import Actor, PostKind, PostState, Store
from bot.store.repositories.posts import NewPart, PostPart, PostRepository

_log = logging.getLogger(__name__)

_NOBODY = discord.AllowedMentions.none()


async def open_post(
    forum: discord.ForumChannel,
    store: Store,
    opening: Opening,
    key: str,
    text: str,
    archive_minutes: Literal[60, 1440, 4320, 10080],
) -> int:
    """Open the post once, also when a kill came between Discord and the store; returns its id."""
    part = await store.write(lambda conn: _noted(conn, forum.id, opening, key, text, store.now()))
    if part.state is PostState.SENT and part.message_id is not None:
        return part.message_id

    async def look() -> int | None:
        known_to_nobody = await _orphans(forum, store, opening)
        return known_to_nobody[0].id if known_to_nobody else None

    async def make() -> int:
        made = await forum.create_thread(
            name=opening.title,
            content=text,
            applied_tags=_tags_for(forum, opening.mode),
            auto_archive_duration=archive_minutes,
            allowed_mentions=_NOBODY,
            suppress_embeds=True,
        )
        return made.thread.id

    found = await look() if part.state is PostState.SENDING else None
    if found is None:
        await store.write(lambda conn: PostRepository(conn).mark_sending(part.ref, store.now()))
        try:
            found = await persist(make, look)
        except discord.HTTPException as error:
            reason = why_not(error, missing_permissions(forum))
            await store.write(lambda conn: PostRepository(conn).mark_failed(part.ref, reason))
            raise UnavailableError(PostText.forum_post_failed(reason)) from error
    number, actor = found, Actor.ORCHESTRATOR
    await store.write(
        lambda conn: PostRepository(conn).mark_sent(part.ref, number, actor, store.now())
    )
    await _put_away(await _orphans(forum, store, opening))
    return number


def _tags_for(forum: discord.ForumChannel, mode: str) -> list[discord.ForumTag]:
    """The tag named like the mode; where a tag must be chosen, the first that anybody may use."""
    named = [tag for tag in forum.available_tags if tag.name.casefold() == mode.casefold()]
    if named or not forum.flags.require_tag:
        return named[:1]
    return [tag for tag in forum.available_tags if not tag.moderated][:1]


def _noted(
    conn: Connection, forum_id: int, opening: Opening, key: str, text: str, now: float
) -> PostPart:
    speaker = {"name": "Roundtable", "seat": ""}
    (part,) = PostRepository(conn).enqueue(
        opening.run_id, key, forum_id, PostKind.BOT, speaker, [NewPart(text)], now
    )
    return part


async def _orphans(
    forum: discord.ForumChannel, store: Store, opening: Opening
) -> list[discord.Thread]:
    """Posts of ours with this title that no run knows, newest first: earlier tries made them."""
    ours = [
        thread
        for thread in await forum.guild.active_threads()
        if thread.parent_id == forum.id
        and thread.owner_id == forum.guild.me.id
        and thread.name == opening.title
    ]
    newest = sorted(ours, key=lambda thread: thread.id, reverse=True)
    known = await store.read(
        lambda conn: {
            t.id for t in newest if PostRepository(conn).find_by_message_id(t.id) is not None
        }
    )
    return [thread for thread in newest if thread.id not in known]


async def _put_away(orphans: Sequence[discord.Thread]) -> None:
    """discord.py repeats a request that ended in a server error, although it may have worked."""
    for thread in orphans:
        try:
            await thread.edit(archived=True, reason=PostText.HELD_ELSEWHERE)
        except discord.HTTPException as error:
            _log.warning("unused post %s could not be archived: %s", thread.id, error.text)


ANCHOR_KEY = "anchor"
_ANCHOR_TOPIC_LIMIT = 1500


@dataclass(frozen=True, slots=True)
class ThreadRules:
    """What panels.json says about threads."""

    use_threads: bool
    auto_archive_minutes: int


def anchor_text(opening: Opening) -> str:
    """What the channel sees: the topic and who asked, pinging nobody."""
    topic = short_line(opening.topic, _ANCHOR_TOPIC_LIMIT)
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
        _log.warning(
            "could not create a thread in channel %s: %s", channel.id, type(error).__name__
        )
        return await look()
