"""The stage on Discord: anchor, thread, card and voices, behind the port that meetings use."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace

import aiohttp
import discord

from bot.errors import UnavailableError
from bot.messages.discord import PermissionText
from bot.panels import Output
from bot.request import normalise_topic
from bot.stage.card_board import SECONDS_BETWEEN_EDITS, CardBoard, numbered
from bot.stage.cards import CardStyle, no_face
from bot.stage.message_text import message_url
from bot.stage.notices import tell, tell_admins
from bot.stage.opening import (
    ANCHOR_KEY,
    GuildChannel,
    ThreadNeeds,
    ThreadRules,
    anchor_text,
    choose_destination,
    fault_of,
    find_channel,
    open_post,
    open_thread,
)
from bot.stage.outbox import Outbox
from bot.stage.persistence import RequestPace
from bot.stage.personas import Faces, Personas, ServedFaces, UploadedFaces
from bot.stage.port import THE_BOT, Card, Destination, Opening, Place, Post, Shown
from bot.store import Store

_log = logging.getLogger(__name__)

_MOST_THREADS = 25
_THREAD_REMEMBERED = 60.0
_MOST_REMEMBERED = 500
_SECONDS_BETWEEN = 8.0
"""Discord shows it for ten seconds."""


async def _is_alive(client: discord.Client, place: Place) -> bool:
    """Whether people still talk there: the channel or thread exists and is not archived."""
    channel = await find_channel(client, place.target_id)
    if isinstance(channel, discord.Thread):
        return not channel.archived
    return channel is not None


async def _is_gone(client: discord.Client, place: Place) -> bool:
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


async def _owner_of(client: discord.Client, channel_id: int) -> int | None:
    """Who opened a thread or forum post; a channel belongs to nobody."""
    channel = await find_channel(client, channel_id)
    return channel.owner_id if isinstance(channel, discord.Thread) else None


async def _find_thread(
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
        if _same_title(thread.name, title) and created >= since and not thread.archived:
            return Place(destination.guild_id, destination.channel_id, thread.id, thread.id)
    return None


def _same_title(one: str, other: str) -> bool:
    """Whether two titles name the same topic in the same mode, whatever case and punctuation."""
    return _parts(one) == _parts(other)


_NO_MODE = "[[DEFAULT]]"
"""Ended the titles of threads whose mode nobody chose."""


def _parts(title: str) -> tuple[str, str]:
    title = title.strip().removesuffix(_NO_MODE)
    topic, bracket, tag = title.rpartition("[[") if title.endswith("]]") else (title, "", "")
    return normalise_topic(topic.removeprefix("🎯")), (bracket + tag).strip()


class _Rights:
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


@asynccontextmanager
async def _typing(client: discord.Client, place: Place) -> AsyncIterator[None]:
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
            _log.info("typing could not be shown in %s: %s", channel_id, type(error).__name__)
        await asyncio.sleep(_SECONDS_BETWEEN)


@dataclass(frozen=True, slots=True)
class StageSettings:
    """What the stage must know from the configuration."""

    output: Callable[[int], Output]
    environment_channel: int | None = None
    avatar: Callable[[int, str], str | None] = lambda *_: None
    """The picture that a server's configuration gives a role."""
    face_url: Callable[[str], str] | None = None
    """Where faces are served; None uploads them to Discord."""
    card_pace: float = SECONDS_BETWEEN_EDITS
    webhook_pace: RequestPace | None = None
    """How fast webhooks may send; None where nobody counts."""


class DiscordStage:
    """Shows what is said in a Discord thread; every send goes through the outbox."""

    def __init__(self, client: discord.Client, store: Store, settings: StageSettings) -> None:
        self._client = client
        self._store = store
        self._settings = settings
        self._personas = Personas(client, store.holding, pace=settings.webhook_pace)
        served = settings.face_url
        self._faces: Faces = UploadedFaces(client) if served is None else ServedFaces(served)
        self._outbox = Outbox(client, store, self._personas, self._face_url)
        self._board = CardBoard(client, store, self._look, settings.card_pace)
        self._rights = _Rights(client)
        self._reported: dict[int, str] = {}

    async def choose(self, guild_id: int, trigger_channel_id: int) -> Destination:
        """Choose where a run will be shown; raises UserError where the bot may not speak."""
        wishes = ThreadNeeds(self._settings.output(guild_id), self._settings.environment_channel)

        async def report(problem: str) -> None:
            # Every start finds the same problem; admins read it once.
            if self._reported.get(guild_id) != problem:
                self._reported[guild_id] = problem
                _log.warning("server %s: %s", guild_id, problem)
                await tell_admins(self._client, self._store, problem, guild_id)

        return await choose_destination(self._client, guild_id, trigger_channel_id, wishes, report)

    async def server_of(self, channel_id: int) -> int | None:
        """The server a channel belongs to; None when the bot does not see it."""
        found = await find_channel(self._client, channel_id)
        return None if found is None else found.guild.id

    async def owner_of(self, channel_id: int) -> int | None:
        """Who opened a thread or forum post; a channel belongs to nobody."""
        return await _owner_of(self._client, channel_id)

    async def is_alive(self, place: Place) -> bool:
        """Whether people still talk there: the thread exists and is not archived."""
        return await _is_alive(self._client, place)

    async def is_gone(self, place: Place) -> bool:
        """Whether the channel or thread was deleted; a lost permission does not count."""
        return await _is_gone(self._client, place)

    async def find_thread(self, channel: Destination, title: str, since: float) -> Place | None:
        """A recent active thread with that title, by any author."""
        return await _find_thread(self._client, channel, title, since)

    async def may_read(self, person_id: int, guild_id: int, channel_id: int) -> bool:
        """Whether a person can read a channel or thread right now."""
        return channel_id in await self._rights.readable(person_id, guild_id, (channel_id,))

    async def readable(
        self, person_id: int, guild_id: int, channel_ids: Collection[int]
    ) -> frozenset[int]:
        """Those of the channels and threads of a server that a person can read right now."""
        return await self._rights.readable(person_id, guild_id, channel_ids)

    async def open_to(self, channel_id: int, audience_id: int) -> bool:
        """Whether everybody who reads the audience's channel can read the other one, too."""
        return await self._rights.open_to(channel_id, audience_id)

    async def open(self, opening: Opening) -> Place:
        """Post the anchor, make the thread and return where the run lives."""
        place = Place(
            opening.guild_id, opening.channel_id, opening.thread_id, number=opening.number
        )
        output = self._settings.output(opening.guild_id)
        rules = ThreadRules(output.use_threads, output.auto_archive_minutes)
        key, text = numbered(ANCHOR_KEY, opening.number), anchor_text(opening)
        forum = await find_channel(self._client, opening.channel_id)
        if isinstance(forum, discord.ForumChannel) and place.thread_id is None:
            minutes = output.auto_archive_minutes
            number = await open_post(forum, self._store, opening, key, text, minutes)
            return replace(place, thread_id=number, anchor_id=number)
        anchor = Post(key, THE_BOT, text, untrusted=False)
        (anchor_id, *_) = await self._outbox.deliver(opening.run_id, place, anchor)
        if place.thread_id is not None:
            return place
        place = replace(place, anchor_id=anchor_id)
        return await open_thread(self._client, opening, place, rules)

    async def say(self, run_id: str, place: Place, post: Post) -> tuple[Shown, ...]:
        """Post a text once and return its parts, in order."""
        ids = await self._outbox.deliver(run_id, place, post)
        return tuple(Shown(number, message_url(place, number)) for number in ids)

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Show that somebody is writing there for as long as the block lasts."""
        return _typing(self._client, place)

    async def tell(self, run_id: str, post: Post, places: Sequence[Place], elsewhere: Post) -> bool:
        """Say the post in the first place, or `elsewhere` in the next ones or in private."""
        return await tell(self._client, self._outbox, run_id, post, places, elsewhere)

    async def revise(self, run_id: str, place: Place, post: Post) -> None:
        """Give a post that is out another text and other buttons; a lost one is left alone."""
        await self._outbox.revise(run_id, place, post)

    async def revise_anchor(self, opening: Opening) -> None:
        """Let the anchor say what came out of the run, or that it is under way again."""
        place = Place(opening.guild_id, opening.channel_id, opening.thread_id)
        anchor = Post(
            numbered(ANCHOR_KEY, opening.number), THE_BOT, anchor_text(opening), untrusted=False
        )
        forum = await find_channel(self._client, opening.channel_id)
        if isinstance(forum, discord.ForumChannel) and place.thread_id is None:
            place = replace(place, thread_id=await self._outbox.message_of(opening.run_id, anchor))
        await self._outbox.revise(opening.run_id, place, anchor)

    async def fault_of(self, guild_id: int, channel_id: int) -> str:
        """Why the bot cannot post in a channel, as the end of a sentence; empty when it can."""
        channel = await find_channel(self._client, channel_id)
        if isinstance(channel, discord.ForumChannel):
            return PermissionText.IS_A_FORUM
        return fault_of(channel, guild_id)

    async def drain(self, patience: float) -> None:
        """Let posts that are going out finish, at most for the given seconds."""
        await self._outbox.drain(patience)

    async def open_card(self, place: Place, card: Card) -> None:
        """Post the run's card, once; after a restart the old message is used again."""
        await self._board.open(place, card)

    def update_card(self, card: Card) -> None:
        """Take the newest state of an open card; it is drawn as soon as the rate limit allows."""
        self._board.update(card)

    async def close_card(self, place: Place, card: Card) -> None:
        """Draw the card's last state and let go of it."""
        await self._board.close(place, card)

    async def close(self) -> None:
        """Stop drawing cards and close the connections used for webhooks."""
        self._board.cancel()
        self._faces.close()
        await self._personas.close()

    async def _face_url(self, guild_id: int, role: str) -> str | None:
        if not role or not self._settings.output(guild_id).faces:
            return None
        return self._settings.avatar(guild_id, role) or await self._faces.url(role)

    def _look(self, guild_id: int) -> CardStyle:
        output = self._settings.output(guild_id)
        return CardStyle(output.plain, self._faces.emoji if output.faces else no_face)
