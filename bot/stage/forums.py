"""A roundtable in a forum is a post: a thread and its first message, made once."""

import logging
from collections.abc import Sequence
from typing import Literal

import discord
from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.messages.discord import PostText
from bot.stage.destination import missing_permissions
from bot.stage.persistence import persist, why_not
from bot.stage.port import Opening
from bot.store import Actor, PostKind, PostState, Store, posts
from bot.store.posts import NewPart, PostPart

log = logging.getLogger(__name__)

NOBODY = discord.AllowedMentions.none()


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
            applied_tags=tags_for(forum, opening.mode),
            auto_archive_duration=archive_minutes,
            allowed_mentions=NOBODY,
            suppress_embeds=True,
        )
        return made.thread.id

    found = await look() if part.state is PostState.SENDING else None
    if found is None:
        await store.write(lambda conn: posts.mark_sending(conn, part.ref, store.now()))
        try:
            found = await persist(make, look)
        except discord.HTTPException as error:
            reason = why_not(error, missing_permissions(forum))
            await store.write(lambda conn: posts.mark_failed(conn, part.ref, reason))
            raise UnavailableError(PostText.forum_post_failed(reason)) from error
    number, actor = found, Actor.ORCHESTRATOR
    await store.write(lambda conn: posts.mark_sent(conn, part.ref, number, actor, store.now()))
    await _put_away(await _orphans(forum, store, opening))
    return number


def tags_for(forum: discord.ForumChannel, mode: str) -> list[discord.ForumTag]:
    """The tag named like the mode; where a tag must be chosen, the first that anybody may use."""
    named = [tag for tag in forum.available_tags if tag.name.casefold() == mode.casefold()]
    if named or not forum.flags.require_tag:
        return named[:1]
    return [tag for tag in forum.available_tags if not tag.moderated][:1]


def _noted(
    conn: Connection, forum_id: int, opening: Opening, key: str, text: str, now: float
) -> PostPart:
    speaker = {"name": "Roundtable", "seat": ""}
    (part,) = posts.enqueue(
        conn, opening.run_id, key, forum_id, PostKind.BOT, speaker, [NewPart(text)], now
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
        lambda conn: {t.id for t in newest if posts.find_by_message_id(conn, t.id) is not None}
    )
    return [thread for thread in newest if thread.id not in known]


async def _put_away(orphans: Sequence[discord.Thread]) -> None:
    """discord.py repeats a request that ended in a server error, although it may have worked."""
    for thread in orphans:
        try:
            await thread.edit(archived=True, reason=PostText.HELD_ELSEWHERE)
        except discord.HTTPException as error:
            log.warning("unused post %s could not be archived: %s", thread.id, error.text)
