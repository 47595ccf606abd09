"""A hundred threads in twenty channels talk at once with the whole bot.

Three processes: this one holds the embedded Discord and the people, the second the bot itself
(`roundtable run` on that Discord), the third a model server whose every answer takes the same time.
The added latency of a follow-up is the time from a person's message to the panelist's answer in
Discord, less the model's own time. Discord sets no rate limits here, and a thread's next question
comes after its last answer has settled, so neither is part of the figure.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from bot.playground.model import Change, Channel
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import ChannelPlan, GuildPlan, PersonPlan
from support.model_process import model_process
from support.run_service import ANALYSTS, COORDINATOR, WRITER, panel_data

SEATS = ("seat-one", "seat-two")
MODEL_SECONDS = 0.5
CHANNELS = 20
THREADS = 100
QUESTIONS = 3
PAUSE_SECONDS = (3.0, 12.0)
ROOT = Path(__file__).resolve().parents[2]


class Listener:
    """Hears the first panelist who speaks in a thread after something was asked there."""

    def __init__(self, discord: EmbeddedDiscord) -> None:
        self._waiting: dict[int, asyncio.Future[float]] = {}
        discord.world.listeners.append(self._hear)

    def next_voice(self, thread: Channel) -> "asyncio.Future[float]":
        """When a panelist next speaks in a thread."""
        future: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting[thread.id] = future
        return future

    def _hear(self, change: Change) -> None:
        message = change.message
        if change.name != "MESSAGE_CREATE" or message is None or not message.webhook_id:
            return
        future = self._waiting.pop(message.channel.id, None)
        if future is not None:
            future.set_result(time.monotonic())


async def added_latencies() -> list[float]:
    """What the bot adds to the model's time, in milliseconds, for every follow-up."""
    latencies = dict.fromkeys((*SEATS, *ANALYSTS, COORDINATOR, WRITER), MODEL_SECONDS)
    plan = GuildPlan(
        "The Table",
        "Mara",
        (PersonPlan("Mara"), PersonPlan("Jonas"), PersonPlan("Ines")),
        tuple(ChannelPlan(f"channel-{number}") for number in range(CHANNELS)),
    )
    with tempfile.TemporaryDirectory() as home, model_process(latencies, {}) as url:
        async with EmbeddedDiscord((plan,)) as discord, _the_bot(discord, Path(home), url):
            threads = await _hold_roundtables(discord)
            return await _talk(discord, threads)


@asynccontextmanager
async def _the_bot(discord: EmbeddedDiscord, home: Path, url: str) -> AsyncIterator[None]:
    panels = home / "panels.json"
    panels.write_text(json.dumps(panel_data(SEATS, url)), encoding="utf-8")
    with _process(discord, home, panels):
        async with asyncio.timeout(60):
            while not discord.gateway.sessions:
                await asyncio.sleep(0.1)
        yield


@contextmanager
def _process(discord: EmbeddedDiscord, home: Path, panels: Path) -> Iterator[None]:
    environment: dict[str, Any] = os.environ | {
        "DISCORD_TOKEN": discord.token,
        "ROUNDTABLE_HOME": str(home),
        "ROUNDTABLE_PANELS": str(panels),
        "ROUNDTABLE_DISCORD_API": discord.api_url,
        "ROUNDTABLE_DISCORD_GATEWAY": discord.gateway_url,
        "ROUNDTABLE_LOG": "ERROR",
    }
    command = [sys.executable, "-m", "bot", "run"]
    bot = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        bot.terminate()
        bot.wait(20)


async def _hold_roundtables(discord: EmbeddedDiscord) -> list[Channel]:
    """Let every thread come about the usual way, a few at a time."""
    jonas = discord.person("Jonas").id
    for first in range(0, THREADS, CHANNELS):
        for number in range(first, first + CHANNELS):
            channel = discord.channel(f"channel-{number % CHANNELS}")
            topic = f"roundtable --quick --debate is number {number} a good number?"
            await discord.say(jonas, channel.id, topic)
        await discord.until(lambda first=first: _concluded(discord) >= first + CHANNELS, 120.0)
    return discord.threads()


def _concluded(discord: EmbeddedDiscord) -> int:
    return sum(
        any("🔧 META" in message.content for message in discord.messages(thread.id))
        for thread in discord.threads()
    )


async def _talk(discord: EmbeddedDiscord, threads: list[Channel]) -> list[float]:
    listener, dice = Listener(discord), random.Random(1)
    people = [user.id for user in discord.world.users.values() if not user.bot]

    async def converse(thread: Channel, person: int) -> list[float]:
        found = []
        for _ in range(QUESTIONS):
            await asyncio.sleep(dice.uniform(*PAUSE_SECONDS))
            spoken, asked = listener.next_voice(thread), time.monotonic()
            await discord.say(person, thread.id, "Advocate, why do you say that?")
            async with asyncio.timeout(60):
                found.append((await spoken - asked - MODEL_SECONDS) * 1000)
        return found

    talks = [converse(thread, dice.choice(people)) for thread in threads]
    return [figure for found in await asyncio.gather(*talks) for figure in found]
