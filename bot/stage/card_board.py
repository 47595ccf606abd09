"""The live cards: posted once, edited at most each 1.5 s, continued when they grow old."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

import discord
from sqlalchemy import Connection

from bot.errors import UnavailableError, UserError
from bot.messages.discord import PostText
from bot.stage.cards import CardStyle, card_embed, card_view, moved_on, plain_view
from bot.stage.message_text import message_url
from bot.stage.opening import why_refused
from bot.stage.outbox import NOBODY
from bot.stage.persistence import MOST_TRIES, is_passing, persist
from bot.stage.port import THE_BOT, Card, Place
from bot.store import PostKind, PostState, Store
from bot.store.repositories.posts import NewPart, PostPart, PostRepository
from bot.store.vocabulary import Actor
from bot.types import Sleep

_log = logging.getLogger(__name__)

SECONDS_BETWEEN_EDITS = 1.5

_Draw = Callable[[Card], Awaitable[None]]
_CARD_KEY = "card"
# Discord allows few edits of a message that is older than an hour.
_SECONDS_OF_YOUTH = 50 * 60.0


class LiveCard:
    """One run's card: takes any number of states and edits the message at a steady pace.

    An edit that failed for a moment is not repeated: the next one shows the newest state.
    """

    def __init__(
        self, draw: _Draw, pace: float = SECONDS_BETWEEN_EDITS, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._draw = draw
        self._pace = pace
        self._sleep = sleep
        self._latest: Card | None = None
        self._drawn: Card | None = None
        self._failed = 0
        self._complained = False
        self._worker: asyncio.Task[None] | None = None

    def show(self, card: Card) -> None:
        """Take the newest state; it is drawn when the pace allows."""
        self._latest = card
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())

    async def finish(self, card: Card) -> None:
        """Draw the last state, whatever was drawn before it."""
        self.show(card)
        while self._worker is not None and not self._worker.done():
            await self._worker

    def cancel(self) -> None:
        """Stop drawing at once."""
        if self._worker is not None:
            self._worker.cancel()

    async def _work(self) -> None:
        while self._latest is not None and self._latest != self._drawn:
            card = self._latest
            if await self._try_to_draw(card):
                self._drawn = card
                if self._latest is card and not card.running:
                    return
            await self._sleep(self._pace)

    async def _try_to_draw(self, card: Card) -> bool:
        """Whether this state is done with: drawn, or given up after too many failures."""
        try:
            await self._draw(card)
        except Exception as error:
            # A card that cannot be edited must never end the meeting it describes.
            self._failed += 1
            if is_passing(error) and self._failed < MOST_TRIES:
                _log.warning(
                    ("the card of %s is redrawn after a failure: %s"),
                    card.run_id,
                    type(error).__name__,
                )
                return False
            self._complain(card, error)
        self._failed = 0
        return True

    def _complain(self, card: Card, error: Exception) -> None:
        """Log it once: a deleted card would fail again with every edit."""
        if self._complained:
            return
        self._complained = True
        if isinstance(error, discord.NotFound):
            _log.info("the card of %s was deleted", card.run_id)
        elif isinstance(error, discord.HTTPException | UserError):
            _log.warning("the card of %s could not be drawn: %s", card.run_id, error)
        else:
            _log.error("the card of %s could not be drawn", card.run_id, exc_info=error)


class CardBoard:
    """Every open card, by run."""

    def __init__(
        self, client: discord.Client, store: Store, look: Callable[[int], CardStyle], pace: float
    ) -> None:
        self._client = client
        self._store = store
        self._look = look
        self._pace = pace
        self._cards: dict[str, LiveCard] = {}

    async def open(self, place: Place, card: Card) -> None:
        """Post the run's card, once; after a restart the old message is used again."""
        if card.run_id not in self._cards:
            self._cards[card.run_id] = self._live(place, await self._newest(place, card))

    def update(self, card: Card) -> None:
        """Take the newest state of an open card; it is drawn as soon as the rate limit allows."""
        if card.run_id in self._cards:
            self._cards[card.run_id].show(card)

    async def close(self, place: Place, card: Card) -> None:
        """Draw the card's last state and forget it."""
        await self.open(place, card)
        await self._cards.pop(card.run_id).finish(card)

    def cancel(self) -> None:
        """Stop drawing."""
        for live in self._cards.values():
            live.cancel()

    def _live(self, place: Place, newest: PostPart) -> LiveCard:
        part = newest

        async def draw(card: Card) -> None:
            nonlocal part
            if self._is_old(part):
                old, part = part, await self._post(place, card, _following(part.key))
                card = moved_on(card, message_url(place, part.message_id or 0))
                await self._edit(place, old, card)
            else:
                await self._edit(place, part, card)

        return LiveCard(draw, self._pace)

    def _is_old(self, part: PostPart) -> bool:
        return self._store.now() - (part.sent_at or part.created_at) > _SECONDS_OF_YOUTH

    async def _newest(self, place: Place, card: Card) -> PostPart:
        """The last of the run's cards in this place, posted now if there is none."""
        first = numbered(_CARD_KEY, place.number)

        def look(conn: Connection) -> str:
            key = first
            while PostRepository(conn).of_key(card.run_id, _following(key)):
                key = _following(key)
            return key

        return await self._post(place, card, await self._store.read(look))

    async def _post(self, place: Place, card: Card, key: str) -> PostPart:
        """Post a card under its key; one that is out already is left as it is."""
        now = self._store.now()
        speaker = {"name": THE_BOT.name, "seat": ""}
        kind, empty = PostKind.BOT, [NewPart("")]
        (part,) = await self._store.write(
            lambda conn: PostRepository(conn).enqueue(
                card.run_id, key, place.target_id, kind, speaker, empty, now
            )
        )
        if part.state is PostState.SENT:
            return part
        try:
            message = await persist(lambda: self._send(place, card, part.nonce))
        except discord.HTTPException as error:
            why = await why_refused(self._client, place.target_id, error)
            raise UnavailableError(PostText.card_failed(why)) from error
        await self._store.write(
            lambda conn: PostRepository(conn).mark_sent(
                part.ref, message.id, Actor.ORCHESTRATOR, now
            )
        )
        return replace(part, message_id=message.id, sent_at=now)

    async def _send(self, place: Place, card: Card, nonce: str) -> discord.Message:
        """Discord enforces the nonce, so that a repeated send leaves one card."""
        target = self._client.get_partial_messageable(place.target_id, guild_id=place.guild_id)
        look = self._look(place.guild_id)
        if not look.plain:
            return await target.send(
                view=card_view(card, look.face), nonce=nonce, allowed_mentions=NOBODY, silent=True
            )
        return await target.send(
            embed=card_embed(card, look.face),
            view=plain_view(card),
            nonce=nonce,
            allowed_mentions=NOBODY,
            silent=True,
        )

    async def _edit(self, place: Place, part: PostPart, card: Card) -> None:
        target = self._client.get_partial_messageable(place.target_id, guild_id=place.guild_id)
        message = target.get_partial_message(part.message_id or 0)
        look = self._look(place.guild_id)
        if look.plain:
            embed, view = card_embed(card, look.face), plain_view(card)
            await message.edit(embed=embed, view=view, allowed_mentions=NOBODY)
        else:
            await message.edit(view=card_view(card, look.face), allowed_mentions=NOBODY)


def numbered(key: str, number: int) -> str:
    """The key of something that every place of a run has once."""
    return key if number == 1 else f"{key}@{number}"


def _following(key: str) -> str:
    """The key of the card that continues the one with this key."""
    first, _, number = key.partition("+")
    return f"{first}+{int(number or 1) + 1}"
