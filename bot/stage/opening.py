"""Opens a run's place: chooses the channel, posts the anchor, makes the thread or forum post."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import discord
from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.messages.discord import PermissionText, PostText
from bot.messages.starting import ModeText, StartText
from bot.panels import Output
from bot.stage.cleaning import short_line
from bot.stage.persistence import PASSING, persist, why_not
from bot.stage.port import Destination, Opening, Place
from bot.store import PostKind, PostState, Store
from bot.store.repositories.posts import NewPart, PostPart, PostRepository
from bot.store.vocabulary import Actor

_log = logging.getLogger(__name__)

GuildChannel = discord.abc.GuildChannel | discord.Thread
_SpeakingChannel = discord.TextChannel | discord.VoiceChannel | discord.StageChannel
_NOBODY = discord.AllowedMentions.none()
ANCHOR_KEY = "anchor"
_ANCHOR_TOPIC_LIMIT = 1500


@dataclass(frozen=True, slots=True)
class ThreadNeeds:
    """Where the configuration wants roundtables: the file's word first, then the environment's."""

    output: Output
    environment_channel: int | None

    @property
    def target(self) -> int | None:
        """The configured channel, if any."""
        return self.output.target or self.environment_channel


async def find_channel(client: discord.Client, channel_id: int) -> GuildChannel | None:
    """A channel or thread of a server by id, from the cache or from Discord."""
    found = client.get_channel(channel_id)
    if found is None:
        try:
            found = await client.fetch_channel(channel_id)
        except (discord.NotFound, discord.Forbidden, discord.InvalidData):
            return None
    return found if isinstance(found, (discord.abc.GuildChannel, discord.Thread)) else None


async def choose_destination(
    client: discord.Client,
    guild_id: int,
    trigger_channel_id: int,
    wishes: ThreadNeeds,
    report: Callable[[str], Awaitable[None]],
) -> Destination:
    """Pick the configured channel if it works, else the one where the command was given.

    What is wrong with the configuration is reported to admins; people can do nothing about it.
    """
    notices: list[str] = []
    if wishes.target is not None and wishes.target != trigger_channel_id:
        target = await find_channel(client, wishes.target)
        fault = fault_of(target, guild_id)
        if target is not None and not fault:
            return _destination(target, wishes.output, notices)
        await report(PermissionText.output_unusable(fault))
    trigger = await find_channel(client, trigger_channel_id)
    fault = fault_of(trigger, guild_id)
    if trigger is None or fault:
        raise UnavailableError(PermissionText.cannot_meet(fault))
    return _destination(trigger, wishes.output, notices)


def _may_open_threads(channel: GuildChannel) -> bool:
    """Whether the bot can make a thread in this channel and speak in it."""
    may = channel.permissions_for(channel.guild.me)
    return (
        isinstance(channel, discord.TextChannel)
        and may.create_public_threads
        and may.send_messages_in_threads
    )


def fault_of(channel: GuildChannel | None, guild_id: int) -> str:
    """Why a roundtable cannot be held in the channel, as the end of a sentence."""
    if channel is None or channel.guild.id != guild_id:
        return PermissionText.NOT_FOUND
    if not isinstance(channel, (*_SpeakingChannel.__args__, discord.ForumChannel, discord.Thread)):
        return PermissionText.NO_ORDINARY_MESSAGES
    missing = _missing_permissions(channel)
    return PermissionText.lacks(missing) if missing else ""


def _missing_permissions(channel: GuildChannel, *, files: bool = False) -> tuple[str, ...]:
    """What the bot lacks to hold a roundtable in the channel, by Discord's names."""
    may = channel.permissions_for(channel.guild.me)
    in_thread = isinstance(channel, (discord.Thread, discord.ForumChannel))
    wanted = {PermissionText.VIEW_CHANNEL: may.view_channel}
    if isinstance(channel, discord.ForumChannel):
        wanted[PermissionText.CREATE_POSTS] = may.send_messages
    speak = may.send_messages_in_threads if in_thread else may.send_messages
    wanted |= {
        PermissionText.SEND_IN_THREADS if in_thread else PermissionText.SEND_MESSAGES: speak,
        PermissionText.READ_HISTORY: may.read_message_history,
        # Who may not speak may not attach anything either, and is told the one that matters.
        PermissionText.ATTACH_FILES: may.attach_files or not files or not speak,
    }
    return tuple(name for name, granted in wanted.items() if not granted)


async def why_refused(
    client: discord.Client, channel_id: int, error: discord.HTTPException, *, files: bool = False
) -> str:
    """What a refusal to post means for people, with the permissions that the bot lacks there."""
    channel = None
    if isinstance(error, discord.Forbidden):
        channel = await find_channel(client, channel_id)
    return why_not(error, _missing_permissions(channel, files=files) if channel else ())


def _destination(channel: GuildChannel, output: Output, notices: list[str]) -> Destination:
    if isinstance(channel, discord.Thread):
        parent_id, thread_id = channel.parent_id, channel.id
    else:
        parent_id, thread_id = channel.id, None
        notices += _thread_notices(channel, output)
    if not channel.permissions_for(channel.guild.me).manage_webhooks:
        notices.append(PermissionText.NO_WEBHOOKS)
    return Destination(channel.guild.id, parent_id, thread_id, tuple(notices))


def _thread_notices(channel: GuildChannel, output: Output) -> list[str]:
    """Why there is no thread although one is wanted."""
    if not output.use_threads or isinstance(channel, discord.ForumChannel):
        return []
    if isinstance(channel, (discord.VoiceChannel, discord.StageChannel)):
        return [PermissionText.NO_THREADS_IN_VOICE]
    return [] if _may_open_threads(channel) else [PermissionText.NO_THREADS]


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
            reason = why_not(error, _missing_permissions(forum))
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


@dataclass(frozen=True, slots=True)
class ThreadRules:
    """What panels.json says about threads."""

    use_threads: bool
    auto_archive_minutes: int


def anchor_text(opening: Opening) -> str:
    """What the channel sees: the topic, who asked and, at last, what came out; pinging nobody."""
    topic = short_line(opening.topic, _ANCHOR_TOPIC_LIMIT)
    mode = ModeText.of(opening.mode)
    return StartText.anchor(topic, mode, opening.starter_id, opening.outcome)


async def open_thread(
    client: discord.Client, opening: Opening, place: Place, rules: ThreadRules
) -> Place:
    """Make the thread on the anchor; where that cannot be, the run stays in the channel."""
    channel = await find_channel(client, place.channel_id)
    if not rules.use_threads or not isinstance(channel, discord.TextChannel):
        return place
    if place.anchor_id is None or not _may_open_threads(channel):
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
