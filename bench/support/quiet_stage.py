"""A stage that posts nothing, so that no time of Discord's counts."""
# ruff: noqa: ARG002 (it takes everything and uses little)

import asyncio
import itertools
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext

from bot.stage.port import Card, Destination, Opening, Place, Post, Shown


class QuietStage:
    """Takes everything, shows nothing, and remembers when each run was over."""

    def __init__(self) -> None:
        self.concluded_at: dict[str, float] = {}
        """When the conclusion of each run would have been read."""
        self.ended_at: dict[str, float] = {}
        self.succeeded: dict[str, bool] = {}
        self._threads = itertools.count(1)
        self._messages = itertools.count(1)

    async def choose(self, guild_id: int, trigger_channel_id: int) -> Destination:
        """Every run stays where it was asked for."""
        return Destination(guild_id, trigger_channel_id)

    async def server_of(self, channel_id: int) -> int | None:
        """There is one server."""
        return 1

    async def is_alive(self, place: Place) -> bool:
        """Threads live for ever."""
        return bool(place.thread_id)

    async def is_gone(self, place: Place) -> bool:
        """Nothing is ever deleted."""
        return False

    async def find_thread(self, channel: Destination, title: str, since: float) -> Place | None:
        """Nobody opened a thread by hand."""
        return None

    async def may_read(self, person_id: int, guild_id: int, channel_id: int) -> bool:
        """Everybody reads everything."""
        return True

    async def open(self, opening: Opening) -> Place:
        """A thread number of its own for every run."""
        number = next(self._threads)
        return Place(opening.guild_id, opening.channel_id, number, number)

    async def say(self, run_id: str, place: Place, post: Post) -> Sequence[Shown]:
        """Nothing is posted; the link leads nowhere."""
        await asyncio.sleep(0)
        if post.key == "conclusion":
            self.concluded_at[run_id] = time.monotonic()
        number = next(self._messages)
        return (Shown(number, f"https://discord.invalid/{place.target_id}/{post.key}"),)

    def typing(self, place: Place) -> AbstractAsyncContextManager[None]:
        """Nobody watches."""
        return nullcontext()

    async def tell(self, run_id: str, post: Post, places: Sequence[Place], elsewhere: Post) -> bool:
        """Everybody has been told."""
        return True

    async def revise(self, run_id: str, place: Place, post: Post) -> None:
        """There is nothing to revise."""

    async def revise_anchor(self, opening: Opening) -> None:
        """There is no anchor to revise."""

    async def fault_of(self, guild_id: int, channel_id: int) -> str:
        """Every channel takes posts."""
        return ""

    async def drain(self, patience: float) -> None:
        """Nothing is ever going out."""

    async def open_card(self, place: Place, card: Card) -> None:
        """No card is shown."""

    def update_card(self, card: Card) -> None:
        """No card is drawn."""

    async def close_card(self, place: Place, card: Card) -> None:
        """The run's last step: remember when."""
        self.ended_at[card.run_id] = time.monotonic()
        self.succeeded[card.run_id] = card.succeeded
