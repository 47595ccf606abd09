"""The stage on Discord: anchor, thread, card and voices, behind the port that meetings use."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace

import aiohttp
import discord

from bot.messages.admin import PermissionText
from bot.panels import Output
from bot.stage.card_board import CardBoard, numbered
from bot.stage.cards import CardStyle, no_face
from bot.stage.destination import ThreadNeeds, choose_destination, fault_of, find_channel
from bot.stage.faces import Faces, ServedFaces, UploadedFaces
from bot.stage.live_cards import SECONDS_BETWEEN_EDITS
from bot.stage.lookups import Rights, find_thread, is_alive, is_gone, owner_of
from bot.stage.notices import tell
from bot.stage.opening import ANCHOR_KEY, ThreadRules, anchor_text, open_post, open_thread
from bot.stage.outbox import Outbox
from bot.stage.port import THE_BOT, Card, Destination, Opening, Place, Post, Shown
from bot.stage.readable import message_url
from bot.stage.webhooks import Personas
from bot.store import Store

_log = logging.getLogger(__name__)

_SECONDS_BETWEEN = 8.0
"""Discord shows it for ten seconds."""


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


class DiscordStage:
    """Shows what is said in a Discord thread; every send goes through the outbox."""

    def __init__(self, client: discord.Client, store: Store, settings: StageSettings) -> None:
        self._client = client
        self._store = store
        self._settings = settings
        self._personas = Personas(client, store.holding)
        served = settings.face_url
        self._faces: Faces = UploadedFaces(client) if served is None else ServedFaces(served)
        self._outbox = Outbox(client, store, self._personas, self._face_url)
        self._board = CardBoard(client, store, self._look, settings.card_pace)
        self._rights = Rights(client)

    async def choose(self, guild_id: int, trigger_channel_id: int) -> Destination:
        """Choose where a run will be shown; raises UserError where the bot may not speak."""
        wishes = ThreadNeeds(self._settings.output(guild_id), self._settings.environment_channel)
        return await choose_destination(self._client, guild_id, trigger_channel_id, wishes)

    async def server_of(self, channel_id: int) -> int | None:
        """The server a channel belongs to; None when the bot does not see it."""
        found = await find_channel(self._client, channel_id)
        return None if found is None else found.guild.id

    async def owner_of(self, channel_id: int) -> int | None:
        """Who opened a thread or forum post; a channel belongs to nobody."""
        return await owner_of(self._client, channel_id)

    async def is_alive(self, place: Place) -> bool:
        """Whether people still talk there: the thread exists and is not archived."""
        return await is_alive(self._client, place)

    async def is_gone(self, place: Place) -> bool:
        """Whether the channel or thread was deleted; a lost permission does not count."""
        return await is_gone(self._client, place)

    async def find_thread(self, channel: Destination, title: str, since: float) -> Place | None:
        """A recent active thread with that title, by any author."""
        return await find_thread(self._client, channel, title, since)

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
