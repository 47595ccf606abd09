"""The commands people type into a terminal, each in a process of its own."""

import asyncio
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from bot import cli
from bot.errors import RefusedError
from bot.playground import _gateway
from bot.playground.server import EmbeddedDiscord
from cogs.client import PERMISSIONS
from tests.panels.panels_data import ALONE, alone
from tests.support.free_ports import closed_port, silent_port
from tests.support.syntax_trees import ROOT

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


async def on(discord: EmbeddedDiscord, home: Path, **variables: str) -> Process:
    """`roundtable run` on another Discord."""
    own = {"DISCORD_TOKEN": discord.token, "ROUNDTABLE_DISCORD_API": discord.api_url}
    own |= {"ROUNDTABLE_DISCORD_GATEWAY": discord.gateway_url}
    return await start(home, "run", **own | variables)


async def finished(process: Process) -> tuple[int, str, str]:
    try:
        out, err = await asyncio.wait_for(process.communicate(), 60)
    except TimeoutError:
        process.kill()
        raise
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
    process = await on(
        discord, home, ROUNDTABLE_HEALTH_PORT=str(health), ROUNDTABLE_LOG_FORMAT="json"
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
    process = await on(discord, home)
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
    code, _, err = await finished(await on(discord, home, DISCORD_TOKEN="wrong.token.here"))
    await discord.close()
    assert code == 78
    assert err.strip() == (
        "Discord rejected DISCORD_TOKEN: copy it again from the developer portal."
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"KNOWN": 1}, "Discord refuses how this Roundtable connects (code 4013): install a newer"),
        ({"PRIVILEGED": 1}, "Discord refuses an intent of this bot even without Message Content"),
    ],
    ids=["4013", "4014"],
)
async def test_what_discord_refuses_for_good_is_one_sentence_that_systemd_does_not_restart_after(
    home: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, int], sentence: str
) -> None:
    """Issue 23 point 7."""
    for name, value in change.items():
        monkeypatch.setattr(_gateway, name, value)
    async with EmbeddedDiscord(approved_intents=gateway_intents(change)) as discord:
        code, out, err = await finished(await on(discord, home))
    assert (code, out) == (78, "")
    assert err.splitlines()[-1].startswith(sentence)
    assert "Traceback" not in err


def gateway_intents(change: dict[str, int]) -> int:
    """Approve Message Content unless the intents themselves are refused."""
    return 0 if "PRIVILEGED" in change else _gateway.PRIVILEGED


async def test_a_token_that_is_reset_while_the_bot_runs_ends_it_with_the_same_sentence(
    home: Path,
) -> None:
    """Issue 23 point 7: the gateway closes with 4004 at the next connection."""
    async with EmbeddedDiscord() as discord:
        process = await on(discord, home)
        assert process.stdout
        await asyncio.wait_for(process.stdout.readline(), 30)
        discord.token = discord.gateway.token = "another.token.now"
        await discord.gateway.drop_connections()
        code, _, err = await finished(process)
    assert code == 78
    assert err.splitlines()[-1].startswith("Discord rejected DISCORD_TOKEN: copy it again")
    assert "Traceback" not in err


async def test_a_discord_that_is_not_there_is_one_sentence_and_worth_a_restart(home: Path) -> None:
    port = silent_port()
    code, _, err = await finished(
        await start(
            home,
            "run",
            DISCORD_TOKEN="some.token.here",
            ROUNDTABLE_DISCORD_API=f"http://127.0.0.1:{port}/api/v10",
            ROUNDTABLE_DISCORD_GATEWAY=f"ws://127.0.0.1:{port}/gateway",
        )
    )
    assert code == 1
    assert err.splitlines()[-1].startswith("Discord cannot be reached: check the network")
    assert "Traceback" not in err


@pytest.mark.parametrize("role", ["", "-gateway@", "-worker@"])
def test_the_unit_does_not_restart_what_discord_refuses_for_good(role: str) -> None:
    """Issue 23 point 7: the code in the shipped units is the one the command line ends with."""
    unit = (ROOT / "deploy" / f"roundtable{role}.service").read_text(encoding="utf-8").splitlines()
    assert f"RestartPreventExitStatus={RefusedError.exit_code}" in unit
    assert ("Restart=always" if role else "Restart=on-failure") in unit


async def test_play_serves_health_and_metrics_where_they_are_asked_for(home: Path) -> None:
    """Issue 23 point 7."""
    health = closed_port()
    process = await start(
        home, "play", "--port", "0", "--no-browser", ROUNDTABLE_HEALTH_PORT=str(health)
    )
    try:
        assert process.stdout
        await asyncio.wait_for(process.stdout.readline(), 30)
        async with httpx.AsyncClient(trust_env=False) as client:
            answer = await client.get(f"http://127.0.0.1:{health}/health")
            figures = await client.get(f"http://127.0.0.1:{health}/metrics")
    finally:
        process.send_signal(signal.SIGINT)
        await finished(process)
    assert (answer.status_code, answer.json()["discord"]) == (200, "connected")
    assert 'roundtable_up{role="run"} 1.0' in figures.text.splitlines()


@pytest.mark.parametrize("command", [("play", "--exit-when-done"), ("play", "--port", "0")])
async def test_a_file_that_cannot_be_used_is_not_called_a_port_problem(
    home: Path, command: tuple[str, ...]
) -> None:
    """Issue 23 point 7."""
    (home / ".commands").mkdir()
    code, _, err = await finished(await start(home, *command))
    assert code == 1
    assert err.splitlines()[-1] == (
        f"{home}/.commands cannot be used (Is a directory): check that it exists, its permissions "
        "and the disk, then try again."
    )
    assert "port" not in err


FULL = 'mount -t tmpfs -o size=64k full "$1"; cat /dev/zero >"$1/all"; shift; exec "$@"'
"""Run a command where its first argument is a folder on a full disk."""


def may_mount() -> bool:
    """Whether this machine lets a test have mounts of its own."""
    tried = ("unshare", "-r", "-m", "mount", "-t", "tmpfs", "full", "/mnt")
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(tried, check=False, capture_output=True).returncode == 0


@pytest.mark.skipif(sys.platform != "linux" or not may_mount(), reason="needs a mount")
async def test_a_full_disk_is_one_sentence(home: Path) -> None:
    """Issue 23 point 7: a real one, without room for the lock."""
    full = home / "full"
    full.mkdir()
    command = ("unshare", "-r", "-m", "sh", "-c", FULL, "sh", str(full), sys.executable)
    settings = {"ROUNDTABLE_HOME": str(full), "PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        *(*command, "-m", "bot", "play", "--exit-when-done"),
        cwd=home,
        env=os.environ | ALONE | settings,
        stdout=PIPE,
        stderr=PIPE,
    )
    code, _, err = await finished(process)
    assert code == 1
    assert err.splitlines()[-1] == (
        f"The disk of {full}/roundtable.db is full: free some space, then try again."
    )
    assert "Traceback" not in err


@pytest.mark.parametrize("name", [None, "/somewhere/.commands"])
def test_a_disk_that_is_full_later_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str | None
) -> None:
    """Issue 23 point 7: what fails to write does not know its file."""

    def fails() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)

    monkeypatch.setattr(cli, "app", fails)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == (
        "A disk is full: free some space, usually where ROUNDTABLE_HOME is, then try again.\n"
    )


def test_what_is_no_trouble_with_a_file_is_not_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 23 point 7: a broken connection names no file, and is a bug or an outage to be seen."""

    def fails() -> None:
        raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))

    monkeypatch.setattr(cli, "app", fails)
    with pytest.raises(ConnectionResetError):
        cli.main()


async def test_a_health_port_that_is_taken_is_one_sentence(home: Path) -> None:
    """Issue 23 point 7."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        process = await start(home, "play", "--exit-when-done", ROUNDTABLE_HEALTH_PORT=port)
        code, _, err = await finished(process)
    assert code == 1
    assert err.splitlines()[-1] == (
        f"Cannot listen on ROUNDTABLE_HEALTH_PORT {port} (Address already in use): choose another "
        "port, or leave it blank for no health page."
    )


async def test_a_folder_in_place_of_the_database_is_one_sentence(home: Path) -> None:
    """Issue 23 point 7."""
    (home / "roundtable.db").mkdir()
    code, _, err = await finished(await start(home, "play", "--exit-when-done"))
    assert code == 1
    assert err.splitlines()[-1] == (
        f"{home}/roundtable.db cannot be opened: check that it is a file, and that its folder "
        "exists and is writable."
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
    why = "Address already in use"
    assert err.startswith(f"The playground cannot listen on port {port} ({why}): choose another")
