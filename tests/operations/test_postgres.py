"""What an operator sees of a bot on Postgres: its folder, its log, and the tools beside it."""

import asyncio
import gc
import json
import logging
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from bot.agents.command import open_discussions
from bot.discussions.ports import DiscussionRequest
from bot.discussions.views import ParticipantIn
from bot.front.session import open_playground
from bot.messages.discord import ButtonText
from bot.panels import load_panels
from bot.playground._interactions import Interaction
from bot.playground.model import Message
from bot.playground.server import EmbeddedDiscord
from bot.settings import Settings, load_settings
from bot.store import DATABASE, Store
from bot.store.repositories.discussions import DiscussionRepository
from bot.store.repositories.followups import FollowUpRepository
from tests.panels.panels_data import ALONE, alone
from tests.support.free_ports import closed_port
from tests.support.postgres_server import PostgresServer
from tests.support.time_travel import fast_time
from tests.support.waiting import soon

pytestmark = pytest.mark.heavy

AWAY = "the database is away: all work waits until it is back"
BACK = "the database is back: work continues"
OUTAGE_SECONDS = 30.0
"""Longer than anybody waits for the database, and than Discord for an answer."""


@pytest.fixture
async def url(postgres_server: PostgresServer) -> AsyncIterator[str]:
    name = await postgres_server.create()
    yield postgres_server.url(name)
    await postgres_server.ready()
    await postgres_server.drop(name)


def settings_for(folder: Path, url: str, **variables: str) -> Settings:
    """Settings whose home does not exist yet."""
    panels = alone()
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0
    file = folder / "panels.json"
    file.write_text(json.dumps(panels), encoding="utf-8")
    places = {"ROUNDTABLE_HOME": str(folder / "new" / "home"), "ROUNDTABLE_PANELS": str(file)}
    return load_settings(None, ALONE | places | {"ROUNDTABLE_DATABASE_URL": url} | variables)


async def test_a_missing_home_is_created_where_the_database_is_elsewhere(
    tmp_path: Path, url: str
) -> None:
    """Issue 23 point 7."""
    settings = settings_for(tmp_path, url)
    async with open_playground(settings) as session:
        assert session.app.bot.is_ready()
        assert (settings.home / ".commands").is_file()
    assert settings.home.stat().st_mode & 0o777 == 0o700
    assert not (settings.home / DATABASE).exists()


async def test_the_tools_without_a_bot_use_the_configured_database(
    tmp_path: Path, url: str
) -> None:
    """Issue 23 point 7: no roundtable.db appears where Postgres is configured."""
    settings = settings_for(tmp_path, url)
    people = [ParticipantIn(profile=name, role=name.title()) for name in ("critic", "judge")]
    async with open_discussions(settings, load_panels(settings.panels)) as service:
        opened = await service.init(DiscussionRequest(topic="Tea?", participants=people))
    store = await Store.open(url)
    try:
        found = await store.read(lambda conn: DiscussionRepository(conn).get(opened.discussion_id))
    finally:
        await store.close()
    assert found is not None
    assert not (settings.home / DATABASE).exists()


def lines(log: pytest.LogCaptureFixture) -> Iterator[str]:
    """What was logged of the database, and every error."""
    for record in log.records:
        if record.levelno >= logging.ERROR or record.name.startswith("bot.store"):
            yield record.getMessage()


@pytest.mark.heavy
async def test_a_database_that_goes_and_comes_back_is_two_lines_in_the_log(
    tmp_path: Path, url: str, postgres_server: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 23 point 7: whatever people and scrapers do meanwhile, nothing else is reported.

    No exception of a task is left unretrieved, and a command that came too late is no error.
    """
    health = closed_port()
    settings = settings_for(tmp_path, url, ROUNDTABLE_HEALTH_PORT=str(health))
    caplog.set_level(logging.INFO)
    async with open_playground(settings) as session, httpx.AsyncClient(trust_env=False) as client:
        discord, ines = session.discord, session.discord.person("Ines").id
        general = discord.channel("general").id
        await asyncio.to_thread(postgres_server.stop)
        await soon(lambda: not session.app.store.holding.held)
        asked = [await press(discord, ines, general) for _ in range(3)]
        for number in range(3):
            await discord.say(ines, general, f"roundtable --quick --vote a{number} or b?")
            for page in ("health", "metrics"):
                answer = await client.get(f"http://127.0.0.1:{health}/{page}", timeout=20)
                assert answer.status_code == (503 if page == "health" else 200)
        async with fast_time(10):
            await asyncio.sleep(OUTAGE_SECONDS)
        for interaction in asked:
            # What the clock does: Discord forgets what was not answered within three seconds.
            discord.world.interactions.pop(interaction.token)
        postgres_server.start()
        await session.app.store.holding.wait()
        helped = await discord.say(ines, general, "roundtable help")
        await discord.until(
            lambda: any(m.reply_to == helped.id for m in discord.messages(general)), 30
        )
        await discord.until(lambda: answered(discord, general) >= 3, 30)
    gc.collect()
    assert list(lines(caplog)) == [AWAY, BACK]
    assert ButtonText.TOO_LATE not in caplog.text


async def press(discord: EmbeddedDiscord, person: int, channel: int) -> Interaction:
    return await discord.slash(person, channel, "roundtable list")


def answered(discord: EmbeddedDiscord, channel: int) -> int:
    """How many of the votes that were asked for meanwhile were answered, in whatever way."""
    return len([m for m in discord.messages(channel) if m.author.bot])


@pytest.mark.heavy
@pytest.mark.parametrize("moment", ["round", "talk"])
async def test_what_is_under_way_outlasts_a_database_that_is_away_for_long(
    tmp_path: Path, url: str, postgres_server: PostgresServer, moment: str
) -> None:
    """Issue 25, point 8: a roundtable and a question to a panelist wait, and then go on."""
    settings = settings_for(tmp_path, url)
    panels = json.loads(settings.panels.read_text(encoding="utf-8"))
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 1.5
    settings.panels.write_text(json.dumps(panels), encoding="utf-8")
    async with open_playground(settings) as session:
        discord, ines = session.discord, session.discord.person("Ines").id
        await discord.say(ines, discord.channel("general").id, "roundtable --quick --vote a or b?")
        await discord.until(lambda: said(discord), 30)
        if moment == "talk":
            await discord.until(lambda: "META" in texts(discord), 60)
            voice = said(discord)[0]
            await discord.say(ines, voice.channel.id, "Why is that?", reply_to=voice.id)
            await asked(session.app.store)
        before = len(said(discord))
        await asyncio.to_thread(postgres_server.stop)
        await soon(lambda: not session.app.store.holding.held)
        async with fast_time(10):
            await asyncio.sleep(OUTAGE_SECONDS)
        postgres_server.start()
        await discord.until(lambda: "META" in texts(discord) and len(said(discord)) > before, 60)
        await discord.until(lambda: "📄" in texts(discord), 60)
    assert "unreachable" not in texts(discord)
    assert "failed" not in texts(discord)


async def asked(store: Store) -> None:
    """Wait until a question to a panelist is stored and not answered."""
    async with asyncio.timeout(30):
        while not await store.read(lambda conn: FollowUpRepository(conn).still_open(0.0)):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


def said(discord: EmbeddedDiscord) -> list[Message]:
    """What panelists said."""
    threads = [discord.messages(thread.id) for thread in discord.threads()]
    return [message for messages in threads for message in messages if message.webhook_id]


def texts(discord: EmbeddedDiscord) -> str:
    """Everything that was said in threads."""
    threads = [discord.messages(thread.id) for thread in discord.threads()]
    return "\n".join(message.text for messages in threads for message in messages)
