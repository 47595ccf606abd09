"""SIGTERM as a process sees it: nothing new, posts finish, out within ten seconds, then on."""

import asyncio
import json
import signal
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.playground.faults import Fault
from bot.playground.server import EmbeddedDiscord
from tests.e2e.scripted_models import HANG, ReceivedPrompt, ScriptedModels, served_by
from tests.e2e.test_command_line import start
from tests.panels.panels_data import alone
from tests.support.model_server import ModelServer, Script

pytestmark = pytest.mark.heavy

LONGEST_STOP = 10.0


@asynccontextmanager
async def bot_process(home: Path, discord: EmbeddedDiscord) -> AsyncIterator[Process]:
    process = await start(
        home,
        "run",
        DISCORD_TOKEN=discord.token,
        ROUNDTABLE_LOG="INFO",
        ROUNDTABLE_DISCORD_API=discord.api_url,
        ROUNDTABLE_DISCORD_GATEWAY=discord.gateway_url,
    )
    try:
        assert process.stdout
        await asyncio.wait_for(process.stdout.readline(), 30)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def said(discord: EmbeddedDiscord, words: str) -> list[str]:
    everywhere = [m for c in discord.world.channels.values() for m in c.messages.values()]
    return [m.content for m in everywhere if words in m.content]


async def post_under_way(discord: EmbeddedDiscord) -> None:
    """Wait until the request that the fault delays has arrived."""
    async with asyncio.timeout(20):
        while True:
            if discord.faults.struck:
                return
            await asyncio.sleep(0.01)


async def logged(process: Process, words: bytes) -> None:
    assert process.stderr
    async with asyncio.timeout(5):
        while words not in (line := await process.stderr.readline()):
            assert line, f"the process ended without {words!r}"


@pytest.mark.parametrize("seconds", [1.0, 60.0], ids=["a slow post", "a Discord that hangs"])
async def test_sigterm_finishes_posts_refuses_new_work_and_the_next_start_goes_on(
    tmp_path: Path, seconds: float
) -> None:
    """B50 E104: even when a model and Discord hang, the process is gone in time."""
    begun = asyncio.Event()

    async def first(asked: ReceivedPrompt) -> str:
        await begun.wait()
        return cast.written(asked)

    cast = ScriptedModels(says={"r1:*": HANG, "r1:Advocate": first})
    async with ModelServer(cast) as models, EmbeddedDiscord() as discord:
        models.script(None, Script(whole=True))
        panels = alone()
        served_by(panels, models)
        (tmp_path / "panels.json").write_text(json.dumps(panels), encoding="utf-8")
        jonas, general = discord.person("Jonas").id, discord.channel("general").id
        ines = discord.person("Ines").id
        async with bot_process(tmp_path, discord) as process:
            await discord.say(jonas, general, "roundtable --quick --debate tea")
            await discord.until(lambda: said(discord, "asked by"), 20)
            discord.faults.add(Fault("delay", "POST", "webhooks/*", seconds=seconds))
            begun.set()
            await post_under_way(discord)
            process.send_signal(signal.SIGTERM)
            asked_at = time.monotonic()
            await logged(process, b"stopping: no new work is accepted")
            await discord.say(ines, general, "roundtable --quick --debate coffee")
            await discord.until(lambda: said(discord, "restarting: try again"))
            code = await asyncio.wait_for(process.wait(), LONGEST_STOP)
            assert time.monotonic() - asked_at < LONGEST_STOP
        assert code == 0
        spoken = [m for t in discord.threads() for m in discord.messages(t.id) if m.webhook_id]
        assert len(spoken) == (1 if seconds < LONGEST_STOP else 0)
        cast.says.clear()
        discord.faults.clear()
        async with bot_process(tmp_path, discord):
            await discord.until(lambda: said(discord, "🔧 META"), 30)
    (thread,) = discord.threads()
    voices = [m.author.name for m in discord.messages(thread.id) if m.webhook_id]
    assert voices == ["Advocate", "Devil's Advocate", "Analyst"]
    assert len(cast.asked("r1:Advocate")) == 1
