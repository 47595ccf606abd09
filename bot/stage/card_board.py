"""The cards on display: each posted once, edited while it is young, continued when it grows old."""

from collections.abc import Callable
from dataclasses import replace

import discord
from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.messages.discord import PostText
from bot.stage.cards import CardStyle, card_embed, card_view, moved_on, plain_view
from bot.stage.destination import why_refused
from bot.stage.live_cards import LiveCard
from bot.stage.outbox import NOBODY
from bot.stage.persistence import persist
from bot.stage.port import THE_BOT, Card, Place
from bot.stage.readable import message_url
from bot.store import Actor, PostKind, PostState, Store
from bot.store.repositories import posts
from bot.store.repositories.posts import NewPart, PostPart

_CARD_KEY = "card"
# Discord allows few edits of a message that is older than an hour.
_SECONDS_OF_YOUTH = 50 * 60.0


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
        """Draw the card's last state and let go of it."""
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
            while posts.of_key(conn, card.run_id, _following(key)):
                key = _following(key)
            return key

        return await self._post(place, card, await self._store.read(look))

    async def _post(self, place: Place, card: Card, key: str) -> PostPart:
        """Post a card under its key; one that is out already is left as it is."""
        now = self._store.now()
        speaker = {"name": THE_BOT.name, "seat": ""}
        kind, empty = PostKind.BOT, [NewPart("")]
        (part,) = await self._store.write(
            lambda conn: posts.enqueue(
                conn, card.run_id, key, place.target_id, kind, speaker, empty, now
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
            lambda conn: posts.mark_sent(conn, part.ref, message.id, Actor.ORCHESTRATOR, now)
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
