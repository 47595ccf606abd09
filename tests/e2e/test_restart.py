"""A restart in the middle of a roundtable: it goes on, says so, and repeats nothing."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.app import Options, open_app
from bot.front.live import connected
from bot.front.session import for_the_playground
from bot.playground.server import EmbeddedDiscord
from bot.reports import files
from bot.settings import Settings, load_settings
from bot.store import PostKind, Store
from bot.store.repositories.posts import NewPart, PostRepository
from bot.store.repositories.run_lists import RunListRepository
from tests.e2e.playground_harness import open_harness
from tests.panels.panels_data import ALONE, alone


async def test_a_run_goes_on_after_a_restart_without_saying_anything_twice(
    tmp_path: Path,
) -> None:
    """2.3, B50: what was recorded is neither paid nor posted again."""
    discord = EmbeddedDiscord()
    await discord.start()
    try:
        settings = prepared(tmp_path)
        options = Options(
            guild_ready_timeout=0.05,
            card_pace=0.02,
            adjust=lambda config: for_the_playground(config, discord),
        )
        jonas, general = discord.person("Jonas"), discord.channel("general")
        with discord.redirected():
            async with open_app(settings, options) as app, connected(app, discord.token):
                asked = "roundtable --panel opus,grok,gemini --debate is it so?"
                await discord.say(jonas.id, general.id, asked)
                await discord.until(lambda: voices(discord, "Advocate"))
            await leave_a_notice_unsent(settings)
            async with open_app(settings, options) as app, connected(app, discord.token):
                await discord.until(lambda: any("META" in t for t in voices(discord, "Roundtable")))
                await app.run_service.idle()
                unsent = await app.store.read(lambda conn: PostRepository(conn).unsent())
    finally:
        await discord.close()
    assert unsent == ()
    (thread,) = discord.threads()
    said = [m for m in discord.messages(thread.id) if m.webhook_id]
    assert len({m.text for m in said}) == len(said)
    assert len(said) >= 4
    assert sum("The bot was restarted" in text for text in voices(discord, "Roundtable")) == 1
    assert sum("META" in text for text in voices(discord, "Roundtable")) == 1
    assert discord.unknown_routes == []


async def leave_a_notice_unsent(settings: Settings) -> None:
    """As if a kill had come before the line about an earlier restart went out."""
    store = await Store.open(settings.database)
    (run,) = await store.read(lambda conn: RunListRepository(conn).unfinished())
    part, thread = NewPart("The bot was restarted"), run.thread_id
    assert thread
    await store.write(
        lambda conn: PostRepository(conn).enqueue(
            run.id, "resumed#1", thread, PostKind.BOT, {}, [part], store.now()
        )
    )
    await store.close()


async def test_files_that_a_kill_prevented_are_written_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """B50: the run is over, its card is closed, and only its files are missing."""

    def killed(*_: object) -> None:
        raise asyncio.CancelledError

    discord = EmbeddedDiscord()
    with monkeypatch.context() as patched:
        patched.setattr(files, "write_files", killed)
        async with open_harness(tmp_path, discord=discord) as table:
            await table.say("roundtable --quick --debate is it so?")
            thread = await table.concluded()
            assert table.exports() == []
            assert "Concluded after" in table.card(thread).text
    async with open_harness(tmp_path) as table:
        await table.session.app.run_service.resume_all()
        (export,) = table.exports()
        (minutes,) = table.minutes()
    assert export["topic"] == "is it so?"
    assert "is it so?" in minutes


def prepared(home: Path) -> Settings:
    """Seats that answer after different times, so that the restart falls between them."""
    panels = alone()
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0.5
    file = home / "panels.json"
    file.write_text(json.dumps(panels), encoding="utf-8")
    return load_settings(
        None, ALONE | {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(file)}
    )


def voices(discord: EmbeddedDiscord, name: str) -> list[str]:
    return [
        message.text
        for thread in discord.threads()
        for message in discord.messages(thread.id)
        if message.author.name == name
    ]
