"""The commands people type into a terminal, each in a process of its own."""

import asyncio
import json
import os
import signal
import socket
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from bot.playground.server import EmbeddedDiscord
from cogs.client import PERMISSIONS
from tests.panels.panels_data import ALONE, alone

USUAL_PORT = 8420

pytestmark = pytest.mark.heavy


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with a panels.json whose stand-ins answer at once."""
    panels = alone()
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0
    (tmp_path / "panels.json").write_text(json.dumps(panels), encoding="utf-8")
    return tmp_path


async def start(home: Path, *arguments: str, **variables: str) -> Process:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        *arguments,
        cwd=home,
        env=kept
        | ALONE
        | {"ROUNDTABLE_HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
        | variables,
        stdout=PIPE,
        stderr=PIPE,
    )


async def finished(process: Process) -> tuple[int, str, str]:
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, out.decode(), err.decode()


async def test_play_prints_the_thread_and_ends_with_0(home: Path) -> None:
    command = "roundtable --quick --vote tabs or spaces?"
    code, out, err = await finished(
        await start(home, "play", "--port", "0", "--say", command, "--exit-when-done")
    )
    assert (code, err) == (0, "")
    assert out.startswith("Roundtable playground: http://127.0.0.1:")
    assert f"#general | Mara: {command}" in out
    assert "🎯 tabs or spaces? [[VOTE]] | Strategist: " in out
    assert "🔧 META" in out
    assert list((home / "memory" / "roundtables").glob("*-tabs-or-spaces.json"))


async def test_play_ends_with_1_when_a_roundtable_did_not_start(home: Path) -> None:
    code, out, _ = await finished(
        await start(home, "play", "--port", "0", "--say", "roundtable 🎉", "--exit-when-done")
    )
    assert code == 1
    assert "has no words" in out


async def test_check_says_that_everything_is_fine(home: Path) -> None:
    code, out, _ = await finished(await start(home, "check"))
    assert code == 0
    assert out.rstrip().endswith("Ready.")


async def test_check_names_a_mistake_and_ends_with_1(home: Path) -> None:
    (home / "panels.json").write_text('{"panels": {}}', encoding="utf-8")
    code, out, _ = await finished(await start(home, "check"))
    assert code == 1
    assert "models" in out


async def test_export_rebuilds_the_files(home: Path) -> None:
    """2.2#27."""
    say = ("--say", "roundtable --quick --debate tea")
    await finished(await start(home, "play", "--port", "0", *say, "--exit-when-done"))
    (file,) = (home / "memory" / "roundtables").glob("*.json")
    before = file.read_text()
    file.unlink()
    code, out, _ = await finished(await start(home, "export"))
    assert code == 0
    assert out.startswith("1 roundtable written")
    assert file.read_text() == before


async def test_run_serves_another_discord_prints_the_invite_and_leaves_on_sigterm(
    home: Path,
) -> None:
    """The invite asks for exactly the permissions we use; a backup is taken meanwhile."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        health = free.getsockname()[1]
    discord = EmbeddedDiscord()
    await discord.start()
    process = await start(
        home,
        "run",
        DISCORD_TOKEN=discord.token,
        ROUNDTABLE_DISCORD_API=discord.api_url,
        ROUNDTABLE_DISCORD_GATEWAY=discord.gateway_url,
        ROUNDTABLE_HEALTH_PORT=str(health),
        ROUNDTABLE_LOG_FORMAT="json",
    )
    try:
        assert process.stdout
        await process.stdout.readline()
        invite = (await asyncio.wait_for(process.stdout.readline(), 30)).decode()
        assert f"permissions={PERMISSIONS.value}" in invite
        ines, general = discord.person("Ines").id, discord.channel("general").id
        await discord.say(ines, general, "roundtable --quick --debate tea")
        await discord.until(
            lambda: any(
                "META" in m.text for t in discord.threads() for m in discord.messages(t.id)
            ),
            timeout=30,
        )
        async with httpx.AsyncClient(trust_env=False) as client:
            assert (await client.get(f"http://127.0.0.1:{health}/health")).status_code == 200
        code, out, _ = await finished(await start(home, "backup"))
        assert (code, out.startswith(f"Backed up to {home}")) == (0, True)
        process.send_signal(signal.SIGTERM)
        code, _, logged = await finished(process)
        assert code == 0
        assert all(json.loads(line)["level"] for line in logged.splitlines())
        assert "tea" not in logged
    finally:
        if process.returncode is None:
            process.kill()
        await discord.close()
    assert discord.unknown_routes == []


async def test_without_the_message_content_intent_everything_works_but_bare_words(
    home: Path,
) -> None:
    """Issue 9 point 3: Discord refuses the intent, and the bot starts all the same."""
    discord = EmbeddedDiscord(approved_intents=0)
    await discord.start()
    process = await start(
        home,
        "run",
        DISCORD_TOKEN=discord.token,
        ROUNDTABLE_DISCORD_API=discord.api_url,
        ROUNDTABLE_DISCORD_GATEWAY=discord.gateway_url,
    )
    try:
        assert process.stdout
        await asyncio.wait_for(process.stdout.readline(), 30)
        ines, general = discord.person("Ines").id, discord.channel("general").id
        bare = await discord.say(ines, general, "roundtable --quick --debate milk")
        asked = await discord.slash(ines, general, "roundtable help")
        assert "I cannot read messages here" in (await asked.message()).content
        words = f"<@{discord.bot_user_id}> roundtable --quick --debate tea"
        await discord.say(ines, general, words)
        await discord.until(discord.threads, timeout=30)
        on_this = await discord.menu(ines, bare.id, "Roundtable on this")
        form = (await on_this.answer()).data
        assert "--debate milk" in str(form["components"])
        process.send_signal(signal.SIGTERM)
        code, _, logged = await finished(process)
    finally:
        if process.returncode is None:
            process.kill()
        await discord.close()
    assert code == 0
    assert "The Message Content intent is disabled" in logged
    assert len(discord.threads()) == 1


async def test_a_token_discord_does_not_accept_is_one_sentence(home: Path) -> None:
    discord = EmbeddedDiscord()
    await discord.start()
    code, _, err = await finished(
        await start(
            home,
            "run",
            DISCORD_TOKEN="wrong.token.here",
            ROUNDTABLE_DISCORD_API=discord.api_url,
            ROUNDTABLE_DISCORD_GATEWAY=discord.gateway_url,
        )
    )
    await discord.close()
    assert code == 1
    assert err.strip() == (
        "Discord rejected DISCORD_TOKEN: copy it again from the developer portal."
    )


async def take(holder: socket.socket, port: int) -> None:
    """Hold the port as soon as no playground of another test does."""
    async with asyncio.timeout(60):
        while True:
            with suppress(OSError):
                holder.bind(("127.0.0.1", port))
                holder.listen()
                return
            await asyncio.sleep(0.05)


async def test_a_second_playground_takes_another_port(home: Path) -> None:
    """`make run` works while another one is running."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        await take(taken, USUAL_PORT)
        code, out, err = await finished(await start(home, "play", "--exit-when-done"))
    assert (code, err) == (0, "")
    assert f":{USUAL_PORT}" not in out


async def test_a_port_somebody_asked_for_and_cannot_have_is_one_sentence(home: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        code, _, err = await finished(await start(home, "play", "--port", port))
    assert code == 1
    assert err.startswith(f"The playground cannot listen on port {port}: choose another")
