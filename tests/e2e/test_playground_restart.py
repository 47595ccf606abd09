"""The playground is closed or killed and started again: people find everything and go on."""

import asyncio
import re
import signal
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest

from bot.front.saved_world import SavedWorld
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.talk_steps import QUICK, answered, voice_of
from tests.e2e.test_command_line import finished, home, start

__all__ = ["home"]


@asynccontextmanager
async def kept(home: Path, seconds: float = 0.0) -> AsyncIterator[PlaygroundHarness]:
    """The playground of a folder, as `roundtable play` opens it."""
    saved = SavedWorld(home / "playground.db")
    try:
        async with open_harness(home, saved=saved, seconds_per_answer=seconds) as table:
            yield table
    finally:
        saved.close()


async def test_after_a_restart_a_panelist_answers_in_its_old_thread(tmp_path: Path) -> None:
    """Issue 22: threads survive, ids match the bot's store, commands and buttons are there."""
    async with kept(tmp_path) as table:
        held = await table.hold(QUICK)
        before = [(m.id, m.author.name, m.text) for m in table.said_in(held.thread)]
        asked = voice_of(table, held.thread, "Advocate").id
    async with kept(tmp_path) as table:
        thread = table.discord.world.channels[held.thread.id]
        assert [(m.id, m.author.name, m.text) for m in table.said_in(thread)] == before
        await table.write_in(thread, "Why so?", reply_to=asked)
        (answer,) = await answered(table, thread)
        assert answer.author.name == "Advocate"
        assert answer.id > before[-1][0]
        mara, general = table.discord.person("Mara").id, table.discord.channel("general").id
        listed = await table.discord.slash(mara, general, "roundtable list")
        assert str(thread.id) in (await listed.message()).text
        again = await table.reply_after(await table.say(QUICK))
        assert "Duplicate topic" in again.text


async def test_a_roundtable_that_was_under_way_goes_on_in_its_thread(tmp_path: Path) -> None:
    """Issue 22: what a stop interrupts is continued, as on Discord."""
    async with kept(tmp_path, seconds=0.5) as table:
        await table.say(QUICK)
        thread = await table.thread()
        await table.discord.until(lambda: table.said_in(thread))
    async with kept(tmp_path) as table:
        (found,) = table.discord.threads()
        assert found.id == thread.id
        await table.discord.until(lambda: any("META" in m.text for m in table.said_in(found)))
        done = await table.held(await table.concluded(found))
        assert [export["id"] for export in table.exports()] == [done.record.run_id]


async def test_without_its_file_an_unfinished_roundtable_is_ended(tmp_path: Path) -> None:
    """Its thread is gone, so nobody could read what it says."""
    async with kept(tmp_path, seconds=0.5) as table:
        await table.say(QUICK)
        await table.thread()
    (tmp_path / "playground.db").unlink()
    async with kept(tmp_path) as table:
        await table.session.app.run_service.idle()
        assert table.discord.threads() == []
        (export,) = table.exports()
        assert export["ending"] == "failed"


async def _address(process: Process) -> str:
    assert process.stdout
    line = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
    (url,) = re.findall(r"http://127\.0\.0\.1:\d+", line)
    return str(url)


async def _person(url: str, name: str = "Mara") -> str:
    async with aiohttp.ClientSession() as client, client.get(f"{url}/page/people") as answer:
        people = (await answer.json())["people"]
    return next(str(person["id"]) for person in people if person["username"] == name)


async def _snapshot(url: str, person: str) -> dict[str, Any]:
    """What the person's page shows when it is opened."""
    async with (
        aiohttp.ClientSession() as client,
        client.ws_connect(f"{url}/page/live?as={person}") as socket,
    ):
        shown: dict[str, Any] = (await socket.receive_json())["d"]
    return shown


async def _until_said(url: str, person: str, words: str) -> None:
    """Wait until somebody says this where the person can read it."""
    async with (
        asyncio.timeout(30),
        aiohttp.ClientSession() as client,
        client.ws_connect(f"{url}/page/live?as={person}") as socket,
    ):
        while words not in (await socket.receive_str()):
            pass


@pytest.mark.heavy
async def test_a_killed_playground_shows_its_threads_again_and_stays_quiet(home: Path) -> None:
    """Issue 22: `roundtable play` prints its address and no message, before and after a kill."""
    process = await start(home, "play", "--port", "0", "--no-browser")
    try:
        url = await _address(process)
        mara = await _person(url)
        names = {c["name"]: c["id"] for c in (await _snapshot(url, mara))["channels"]}
        body = {"as": mara, "channel_id": names["general"], "text": QUICK}
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.post(f"{url}/page/send", json=body)).status_code == 200
        await _until_said(url, mara, "META")
        process.kill()
        _, out, _ = await finished(process)
        assert QUICK not in out
    finally:
        if process.returncode is None:
            process.kill()
    again = await start(home, "play", "--port", "0", "--no-browser", "-v")
    try:
        shown = await _snapshot(await _address(again), mara)
        said = {c["name"]: shown["messages"][c["id"]] for c in shown["channels"]}
        (thread,) = [messages for name, messages in said.items() if "🎯" in name]
        assert said["general"][0]["content"] == QUICK
        assert any("META" in message["content"] for message in thread)
        again.send_signal(signal.SIGINT)
        code, _, err = await finished(again)
        assert (code, err) == (130, "")
    finally:
        if again.returncode is None:
            again.kill()


@pytest.mark.heavy
async def test_a_script_asks_the_same_again_in_a_playground_of_its_own(home: Path) -> None:
    """Issue 22: with --exit-when-done nothing is kept, and every message is echoed as before."""
    for _ in range(2):
        code, out, _ = await finished(
            await start(home, "play", "--port", "0", "--say", QUICK, "--exit-when-done")
        )
        assert code == 0
        assert f"#general | Mara: {QUICK}" in out
    assert not (home / "playground.db").exists()
