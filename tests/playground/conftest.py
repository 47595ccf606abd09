"""A small real discord.py bot on the embedded Discord."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import discord
import pytest
from discord import app_commands

from bot.playground.server import EmbeddedDiscord


def every_intent() -> discord.Intents:
    """All intents but presences, with which Discord sends members in another way."""
    intents = discord.Intents.all()
    intents.presences = False
    return intents


class SmallBot(discord.Client):
    """Records what it hears and gives tests something to await."""

    def __init__(self, **options: Any) -> None:
        intents = options.pop("intents", None) or every_intent()
        options = {"guild_ready_timeout": 0.01, "heartbeat_timeout": 30.0} | options
        super().__init__(intents=intents, **options)
        self.tree = app_commands.CommandTree(self)
        self.heard: list[tuple[str, Any]] = []
        self.news = asyncio.Event()
        self.sync = False

    async def setup_hook(self) -> None:
        if self.sync:
            await self.tree.sync()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Identify again at once; discord.py would wait five seconds."""

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        super().dispatch(event, *args, **kwargs)
        self.heard.append((event, args))
        self.news.set()

    def events(self, name: str) -> list[Any]:
        """The first argument of every event of a name."""
        return [args[0] if args else None for event, args in self.heard if event == name]

    async def hear(self, name: str, count: int = 1) -> list[Any]:
        """Wait until so many events of a name came."""
        async with asyncio.timeout(5):
            while len(self.events(name)) < count:
                self.news.clear()
                await self.news.wait()
        return self.events(name)

    async def ready_or_failed(self, running: "asyncio.Task[None]") -> None:
        """Wait until the bot is ready, or raise what stopped it."""
        hearing = asyncio.create_task(self.hear("ready"))
        await asyncio.wait({hearing, running}, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            hearing.cancel()
            running.result()
        await hearing

    def texts(self) -> list[str]:
        """The content of every message heard, system messages left out."""
        return [m.content for m in self.events("message") if not m.is_system()]

    def text_channel(self, name: str) -> discord.TextChannel:
        """A text channel by name."""
        found = discord.utils.get(self.get_all_channels(), name=name)
        assert isinstance(found, discord.TextChannel)
        return found


Connect = Callable[..., AbstractAsyncContextManager[SmallBot]]


@asynccontextmanager
async def connected(
    server: EmbeddedDiscord, bot: SmallBot | None = None
) -> AsyncIterator[SmallBot]:
    """Run a bot on a server until it is ready, and close it afterwards."""
    bot = bot or SmallBot()
    with server.redirected():
        task = asyncio.create_task(bot.start(server.token))
        try:
            await bot.ready_or_failed(task)
            yield bot
        finally:
            await bot.close()
            await asyncio.gather(task, return_exceptions=True)


@pytest.fixture
async def server() -> AsyncIterator[EmbeddedDiscord]:
    """A running embedded Discord with the usual world."""
    embedded = EmbeddedDiscord()
    await embedded.start()
    yield embedded
    await embedded.close()
    assert embedded.unknown_routes == []


@pytest.fixture
async def bot(server: EmbeddedDiscord) -> AsyncIterator[SmallBot]:
    """A ready bot with every intent."""
    async with connected(server) as ready:
        yield ready
