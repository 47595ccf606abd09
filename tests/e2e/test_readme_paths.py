"""The two paths of README, followed step by step with the words README uses."""

import asyncio
import re
import shlex
import signal
from pathlib import Path

import pytest

from bot.playground.server import EmbeddedDiscord
from tests.e2e.test_command_line import finished, home, start

pytestmark = pytest.mark.heavy

__all__ = ["home"]

README = Path(__file__).resolve().parents[2] / "README.md"


def steps(heading: str) -> str:
    """What README says below a heading."""
    text = README.read_text(encoding="utf-8")
    return text.split(f"## {heading}\n")[1].split("\n## ")[0]


async def test_the_newcomers_path_ends_with_a_conclusion_in_the_terminal(home: Path) -> None:
    """Issue 9: the command README gives, as it stands there."""
    (command,) = re.findall(
        r"^\.venv/bin/roundtable (play .*)$", steps("Two commands"), re.MULTILINE
    )

    code, out, _ = await finished(await start(home, *shlex.split(command)))

    assert code == 0
    assert "META" in out
    assert "stand-in" in out or "Rehearsal" in out or "rehearsal" in out


async def test_the_admins_path_ends_with_a_roundtable_on_the_server(home: Path) -> None:
    """Issue 9: .env, check, run, the invite, the doctor, the set-up, the first question."""
    path = steps("Five minutes to a real server")
    (question,) = re.findall(r"In a channel: `(roundtable .*)`", path)
    discord = EmbeddedDiscord()
    await discord.start()
    _fill_in(home, discord)
    code, report, _ = await finished(await start(home, "check"))
    assert (code, "Ready" in report) == (0, True), report
    process = await start(home, "run")
    try:
        assert process.stdout
        said = [(await asyncio.wait_for(process.stdout.readline(), 30)).decode() for _ in range(2)]
        assert "scope=bot+applications.commands" in said[1]
        mara, general = discord.person("Mara").id, discord.channel("general").id
        for name in ("doctor", "setup"):
            assert f"/roundtable {name}" in path
            answer = await discord.slash(mara, general, f"roundtable {name}")
            assert (await answer.message()).content
        await discord.say(discord.person("Jonas").id, general, question)
        await discord.until(
            lambda: any(
                "META" in m.text for t in discord.threads() for m in discord.messages(t.id)
            ),
            timeout=60,
        )
        process.send_signal(signal.SIGTERM)
        assert (await finished(process))[0] == 0
    finally:
        if process.returncode is None:
            process.kill()
        await discord.close()


def _fill_in(home: Path, discord: EmbeddedDiscord) -> None:
    """Copy .env.example and set what the path says, and the server that plays Discord here."""
    example = README.with_name(".env.example").read_text(encoding="utf-8")
    for name, value in (
        ("DISCORD_TOKEN", discord.token),
        ("ROUNDTABLE_DISCORD_API", discord.api_url),
        ("ROUNDTABLE_DISCORD_GATEWAY", discord.gateway_url),
    ):
        example = example.replace(f"\n{name}=\n", f"\n{name}={value}\n")
    (home / ".env").write_text(example, encoding="utf-8")
