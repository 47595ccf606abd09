"""Keeps the live card current: the latest state wins, at most one edit each 1.5 seconds."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

import discord

from bot.errors import UserError
from bot.stage.persistence import MOST_TRIES, is_passing
from bot.stage.port import Card
from bot.types.timing import Sleep

_log = logging.getLogger(__name__)

SECONDS_BETWEEN_EDITS = 1.5

_Draw = Callable[[Card], Awaitable[None]]


class LiveCard:
    """One run's card: states come in as often as they like, edits go out at a limited rate.

    An edit that failed for a moment is not repeated: the next one shows what is true by then.
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
        """Take the newest state; it is drawn as soon as the rate limit allows."""
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
        """Once: a card that somebody deleted would fail again with every word."""
        if self._complained:
            return
        self._complained = True
        if isinstance(error, discord.NotFound):
            _log.info("the card of %s was deleted", card.run_id)
        elif isinstance(error, discord.HTTPException | UserError):
            _log.warning("the card of %s could not be drawn: %s", card.run_id, error)
        else:
            _log.error("the card of %s could not be drawn", card.run_id, exc_info=error)
