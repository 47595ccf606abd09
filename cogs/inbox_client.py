"""The same client without a gateway connection: its events come from an inbox."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Protocol

from discord.http import Route

from bot.commands.missed import Shard
from cogs.client import RoundtableBot

log = logging.getLogger(__name__)

_SHARD_READY = "SHARD_READY"


class Told(Protocol):
    """An event by Discord's name for it."""

    @property
    def event(self) -> str:
        """Its name."""

    @property
    def payload(self) -> Any:
        """What Discord sent with it."""


class Feed(Protocol):
    """Where the events come from."""

    async def servers(self) -> Sequence[Told]:
        """What every server looks like, once that is known."""

    async def next(self) -> Sequence[Told]:
        """The next events, as soon as there are any."""

    async def close(self) -> None:
        """Let go of what is needed for it."""


class InboxBot(RoundtableBot):
    """Hears what gateways heard, and answers by Discord's REST interface."""

    def __init__(self, *args: Any, feed: Feed, **options: Any) -> None:
        super().__init__(*args, **options)
        self._feed = feed
        self._catching_up: set[asyncio.Task[None]] = set()

    async def connect(self, *, reconnect: bool = True) -> None:  # noqa: ARG002 (discord.py's)
        """Take events until the bot is closed, where others hold a gateway connection."""
        known = await self._feed.servers()
        me = await self.http.request(Route("GET", "/users/@me"))
        self._hear("READY", {"user": me, "guilds": []})
        for told in known:
            self._hear(told.event, told.payload)
        while not self.is_closed():
            for told in await self._feed.next():
                if told.event == _SHARD_READY:
                    self._catch_up(told.payload)
                else:
                    self._hear(told.event, told.payload)

    async def close(self) -> None:
        """Stop listening."""
        await self._feed.close()
        await super().close()

    async def ask_for_shards(self) -> None:
        """Nothing: gateways have them."""

    def _hear(self, event: str, data: Any) -> None:
        """Hand an event to discord.py, as its gateway connection does."""
        parse = self._connection.parsers.get(event)
        try:
            if parse is not None:
                parse(data)
        except Exception:
            log.exception("an event of the kind %s could not be read", event)

    def _catch_up(self, told: Any) -> None:
        """A shard had to identify again: read what its servers said meanwhile."""
        shard = Shard(told["shard"], told["of"])
        self.services.missed.disconnected(shard.id, told["since"])
        task = asyncio.create_task(self.resume(shard))
        self._catching_up.add(task)
        task.add_done_callback(self._catching_up.discard)
