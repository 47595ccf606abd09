"""Keeps the live card current: the latest state wins, at most one edit each 1.5 seconds."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from bot.stage.port import Card

log = logging.getLogger(__name__)

SECONDS_BETWEEN_EDITS = 1.5

Draw = Callable[[Card], Awaitable[None]]
Sleep = Callable[[float], Awaitable[None]]


class LiveCard:
    """One run's card: states come in as often as they like, edits go out at a steady pace."""

    def __init__(
        self, draw: Draw, pace: float = SECONDS_BETWEEN_EDITS, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._draw = draw
        self._pace = pace
        self._sleep = sleep
        self._latest: Card | None = None
        self._drawn: Card | None = None
        self._worker: asyncio.Task[None] | None = None

    def show(self, card: Card) -> None:
        """Take the newest state; it is drawn as soon as the pace allows."""
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
            try:
                await self._draw(card)
            except Exception:
                # A card that cannot be edited must never end the meeting it describes.
                log.exception("the card of %s could not be drawn", card.run_id)
            self._drawn = card
            if self._latest is card and not card.running:
                return
            await self._sleep(self._pace)
