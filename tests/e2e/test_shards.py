"""One process whose servers Discord wants spread over several connections."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from bot.app import App, Options, open_app
from bot.front.live import connected
from bot.playground.faults import PER_TOKEN, EventFault, Limits, SessionStarts
from bot.playground.model import Channel, Guild
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import the_table
from bot.settings import load_settings
from cogs.shards import ShardedBot
from tests.e2e.test_catching_up import at_once
from tests.panels.panels_data import ALONE, alone
from tests.support.free_ports import closed_port
from tests.support.many_servers import discord_of, shard_of
from tests.support.waiting import soon

VOTE = "roundtable --quick --vote tabs or spaces?"


def variables(home: Path) -> dict[str, str]:
    """The environment of a bot whose stand-ins answer at once."""
    panels = alone()
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0
    (home / "panels.json").write_text(json.dumps(panels), encoding="utf-8")
    return ALONE | {
        "ROUNDTABLE_HOME": str(home),
        "ROUNDTABLE_PANELS": str(home / "panels.json"),
    }


@asynccontextmanager
async def run_process(
    home: Path, discord: EmbeddedDiscord, **more: str
) -> AsyncIterator[tuple[Process, list[str]]]:
    """`roundtable run` and what it logged, ended as systemd ends it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run"),
        env=os.environ
        | variables(home)
        | {
            "DISCORD_TOKEN": discord.token,
            "ROUNDTABLE_DISCORD_API": discord.api_url,
            "ROUNDTABLE_DISCORD_GATEWAY": discord.gateway_url,
        }
        | more,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=PIPE,
    )
    logged: list[str] = []
    try:
        yield process, logged
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        logged += (await asyncio.wait_for(process.communicate(), 30))[1].decode().splitlines()
    finally:
        if process.returncode is None:
            process.kill()


def general(discord: EmbeddedDiscord, guild: Guild) -> Channel:
    """The one channel of a server."""
    return discord.world.channels_of(guild)[0]


async def ask_everywhere(discord: EmbeddedDiscord, text: str) -> None:
    """Somebody asks in every server, and every roundtable concludes."""
    for guild in discord.world.guilds.values():
        await discord.say(discord.person("Mara").id, general(discord, guild).id, text)

    def concluded() -> bool:
        held = [
            thread.guild_id
            for thread in discord.threads()
            if any("META" in message.text for message in discord.messages(thread.id))
        ]
        return sorted(filter(None, held)) == sorted(discord.world.guilds)

    await discord.until(concluded, timeout=60)


def sessions(discord: EmbeddedDiscord) -> int:
    """How many connections are identified now."""
    return sum(session.outbox is not None for session in discord.gateway.sessions.values())


@pytest.mark.heavy
async def test_run_shards_by_itself_and_keeps_to_the_limits_of_the_token(tmp_path: Path) -> None:
    """Issue 25, points 3 and 4: nobody configures anything."""
    limits = Limits(everything=PER_TOKEN)
    starts = SessionStarts(2, most_guilds=2, max_concurrency=2, seconds=5.0)
    port = str(closed_port())
    async with discord_of(4, starts, limits) as discord:
        async with run_process(tmp_path, discord, ROUNDTABLE_HEALTH_PORT=port) as (process, logged):
            await soon(lambda: sessions(discord) == 2)
            await ask_everywhere(discord, VOTE)
            async with httpx.AsyncClient(trust_env=False) as client:
                metrics = (await client.get(f"http://127.0.0.1:{port}/metrics")).text
        assert discord.unknown_routes == []
    assert process.returncode == 0
    assert any("Discord asks for 2 shards" in line for line in logged)
    assert 'roundtable_shard_latency_seconds{role="run",shard="1"}' in metrics
    assert (starts.used, starts.refused, limits.violations) == (2, 0, 0)


@pytest.mark.heavy
async def test_a_bot_that_outgrew_its_connection_connects_again_in_shards(tmp_path: Path) -> None:
    """Discord closes with 4011 what has too many servers when it identifies next time."""
    starts = SessionStarts(1, most_guilds=2, max_concurrency=4)
    async with discord_of(2, starts) as discord:
        async with run_process(tmp_path, discord) as (process, logged):
            await soon(lambda: sessions(discord) == 1)
            discord.world.add_guild(the_table())
            await discord.gateway.invalidate_sessions()
            await soon(lambda: sessions(discord) == 2)
            await ask_everywhere(discord, VOTE)
        assert process.returncode == 0
        assert sum("Discord asks for 2 shards" in line for line in logged) == 1


@pytest.mark.heavy
async def test_a_bot_that_may_not_start_again_today_says_so(tmp_path: Path) -> None:
    """The next identify would cost the token."""
    async with discord_of(1, SessionStarts(total=0)) as discord:
        async with run_process(tmp_path, discord) as (process, logged):
            await asyncio.wait_for(process.wait(), 30)
        assert process.returncode == 1
        assert logged[-1].startswith("The bot was started too often today")
        assert "for 24 hours" in logged[-1]


@asynccontextmanager
async def sharded_app(home: Path, discord: EmbeddedDiscord, shards: int) -> AsyncIterator[App]:
    """A sharded bot in this process."""
    settings = load_settings(None, variables(home))
    options = Options(guild_ready_timeout=0.05, card_pace=0.02, shards=shards)
    with discord.redirected():
        async with open_app(settings, options) as app, connected(app, discord.token):
            assert isinstance(app.bot, ShardedBot)
            app.bot.before_identify_hook = at_once  # type: ignore[method-assign]
            yield app


async def test_a_shard_that_identifies_again_reads_what_its_servers_said(tmp_path: Path) -> None:
    """2.2#37 for one shard: discord.py does not say `ready` again for it."""
    starts = SessionStarts(2, max_concurrency=2)
    async with discord_of(2, starts) as discord, sharded_app(tmp_path, discord, 2) as app:
        first, second = discord.world.guilds.values()
        discord.faults.add(EventFault("drop", "MESSAGE_CREATE", times=2))
        mara = discord.person("Mara").id
        for guild in (first, second):
            await discord.say(mara, general(discord, guild).id, VOTE)
        assert discord.threads() == []
        await discord.gateway.invalidate_sessions(shard_of(first.id, 2))
        thread = (await discord.until(discord.threads))[0]
        await app.run_service.idle()
        assert [thread.guild_id for thread in discord.threads()] == [first.id]
        assert any("META" in message.text for message in discord.messages(thread.id))
        assert starts.used == 3
