"""The same client over several gateway connections, each with its share of the servers."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

from discord.ext import commands

from bot.commands.missed import Shard
from bot.types import Sleep
from cogs.client import RoundtableBot

# Discord lets every rate limit key identify once in 5 s; the network may shorten a pause.
SECONDS_BETWEEN_IDENTIFIES: Final = 5.2


class IdentifyPace:
    """Lets shards identify as often as Discord allows: a key is `shard % max_concurrency`."""

    def __init__(
        self, sleep: Sleep = asyncio.sleep, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._sleep, self._clock = sleep, clock
        self._next: dict[int, float] = {}
        self._locks: defaultdict[int, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def wait(self, shard_id: int, max_concurrency: int) -> None:
        """Wait for the shard's turn."""
        key = shard_id % max_concurrency
        async with self._locks[key]:
            pause = self._next.get(key, 0.0) - self._clock()
            if pause > 0:
                await self._sleep(pause)
            self._next[key] = self._clock() + SECONDS_BETWEEN_IDENTIFIES


class ShardedBot(RoundtableBot, commands.AutoShardedBot):
    """The client of a bot with so many servers that Discord wants them spread over shards."""

    def __init__(self, *args: Any, pace: IdentifyPace | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        self._pace = pace or IdentifyPace()
        self._was_ready = False

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:  # noqa: ARG002
        """Keep to the limit of identifies, the first one included."""
        await self._pace.wait(shard_id or 0, self.max_concurrency)

    async def on_ready(self) -> None:
        """All shards are ready for the first time; later each one tells by itself."""
        if not self._was_ready:
            self._was_ready = True
            await super().on_ready()

    async def on_shard_ready(self, shard_id: int) -> None:
        """Read what was missed in the servers of a shard that had to identify again.

        discord.py calls `on_ready` again only after every shard has identified again.
        """
        if self._was_ready:
            await self.resume(Shard(shard_id, self.shard_count or 1))

    def shard_latencies(self) -> list[tuple[int, float]]:
        """The heartbeat of each shard in seconds."""
        return self.latencies
