"""A whole roundtable whose truth is in Postgres, with a kill in the middle."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.playground.server import EmbeddedDiscord
from bot.store import DATABASE, EventType, Phase, Store
from bot.store.log import events
from bot.store.repositories.posts import PostRepository
from bot.store.repositories.run_lists import RunListRepository
from tests.e2e.test_restart import prepared, voices
from tests.panels.panels_data import ALONE
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import soon

pytestmark = pytest.mark.heavy


@asynccontextmanager
async def bot_process(home: Path, discord: EmbeddedDiscord, url: str) -> AsyncIterator[None]:
    """The bot as people run it, ended without any warning."""
    variables = {
        "ROUNDTABLE_HOME": str(home),
        "ROUNDTABLE_PANELS": str(prepared(home).panels),
        "ROUNDTABLE_DATABASE_URL": url,
        "ROUNDTABLE_LOG": "CRITICAL",
        **ALONE,
        "DISCORD_TOKEN": discord.token,
        "ROUNDTABLE_DISCORD_API": discord.api_url,
        "ROUNDTABLE_DISCORD_GATEWAY": discord.gateway_url,
    }
    command = (sys.executable, "-m", "bot", "run")
    quiet = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(
        *command, env=os.environ | variables, stdout=quiet, stderr=quiet
    )
    try:
        yield
    finally:
        process.send_signal(signal.SIGKILL)
        await process.wait()


async def test_a_roundtable_on_postgres_survives_a_kill(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    """design.md 4, 10: the same bot, the same promises, another database."""
    name = await postgres_server.create()
    url = postgres_server.url(name)
    discord = EmbeddedDiscord()
    await discord.start()
    try:
        jonas, general = discord.person("Jonas"), discord.channel("general")
        async with bot_process(tmp_path, discord, url):
            await soon(lambda: bool(discord.gateway.sessions))
            await discord.say(jonas.id, general.id, "roundtable --quick --debate is it so?")
            await soon(lambda: bool(voices(discord, "Advocate")))
        async with bot_process(tmp_path, discord, url):
            await soon(lambda: any("META" in t for t in voices(discord, "Roundtable")))
            await soon(lambda: bool(list(tmp_path.glob("memory/roundtables/*.json"))))
        store = await Store.open(url)
        (run,) = await store.read(lambda conn: RunListRepository(conn).finished())
        called = await store.read(lambda c: events.history(c, run.id, EventType.CALL_DONE))
        unsent = await store.read(lambda conn: PostRepository(conn).unsent())
        await store.close()
    finally:
        await discord.close()
        await postgres_server.drop(name)
    (thread,) = discord.threads()
    said = [m.text for m in discord.messages(thread.id) if m.webhook_id]
    assert len(set(said)) == len(said) >= 3
    assert sum("The bot was restarted" in text for text in voices(discord, "Roundtable")) == 1
    assert (run.phase, unsent) == (Phase.COMPLETED, ())
    assert "synthesis" in [event.key for event in called]
    assert not (tmp_path / DATABASE).exists()
