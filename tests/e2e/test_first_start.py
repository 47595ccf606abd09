"""The first start on a machine where other programs hold the ports of local model servers."""

import asyncio
import json
from pathlib import Path

import pytest

from bot.front.session import open_playground
from bot.settings import load_settings
from tests.e2e.test_command_line import finished, start
from tests.guard.sitecustomize import OPENED
from tests.panels.panels_data import shipped
from tests.support.foreign_servers import STRANGER, strangers_everywhere

PLAY = ("play", "--port", "0")
QUICK = (*PLAY, "--say", "roundtable --quick --vote a or b?", "--exit-when-done")
LOOKS = {"ROUNDTABLE_LOCAL": ""}
OFFER = (
    f"Ollama is running here (port 11434) with {STRANGER}; LM Studio is running here (port 1234)"
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with the shipped panels.json as it is, but for stand-ins that answer at once."""
    panels = shipped()
    panels["providers"]["rehearsal"]["secondsPerAnswer"] = 0
    (tmp_path / "panels.json").write_text(json.dumps(panels), encoding="utf-8")
    return tmp_path


async def test_strangers_on_every_port_are_offered_and_a_rehearsal_is_played(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 26: what was found waits to be asked for, also on the page."""
    variables = {"ROUNDTABLE_HOME": str(home), "ROUNDTABLE_PANELS": str(home / "panels.json")}
    async with strangers_everywhere() as opened:
        monkeypatch.setenv(OPENED, opened[OPENED])
        async with open_playground(load_settings(None, variables)) as session:
            assert session.app.resolution.rehearsal
            assert session.app.offer.startswith(OFFER)
            assert session.discord.world.about["offer"] == session.app.offer


@pytest.mark.heavy
async def test_play_and_check_seat_no_stranger(home: Path) -> None:
    """Issue 26: on Blockrun's port, too, only Blockrun is taken for Blockrun."""
    async with strangers_everywhere() as opened:
        code, out, err = await finished(await start(home, *QUICK, **LOOKS, **opened))
        checked, report, _ = await finished(await start(home, "check", **LOOKS, **opened))
    assert (code, err, checked) == (0, "", 0)
    first = out.splitlines()[:3]
    assert first[1] == "No key is set: this is a rehearsal, no model is speaking."
    assert first[2].startswith(OFFER)
    assert first[2].endswith("use `make run ARGS=--local` or ROUNDTABLE_LOCAL=on to seat it.")
    (record,) = (home / "memory" / "roundtables").glob("*.json")
    assert STRANGER not in record.read_text(encoding="utf-8")
    flat = " ".join(report.split())
    assert "labelled stand-ins take every seat" in flat
    assert "blockrun not usable: the server at http://127.0.0.1:8402/v1 is not Blockrun" in flat
    assert OFFER in flat


@pytest.mark.heavy
async def test_local_off_looks_at_no_port_that_nobody_named(home: Path) -> None:
    async with strangers_everywhere():
        only_blockrun = {OPENED: "8402", "ROUNDTABLE_LOCAL": "off"}
        code, out, err = await finished(await start(home, *QUICK, **only_blockrun))
    assert (code, err) == (0, "")
    assert STRANGER not in out


@pytest.mark.heavy
@pytest.mark.parametrize("flags", [("--local",), ()])
async def test_who_asks_for_local_models_is_told_whose_they_are(
    home: Path, flags: tuple[str, ...]
) -> None:
    """Issue 19 point 7: in the first lines, whether a flag or a variable asked."""
    wish = {"ROUNDTABLE_LOCAL": "" if flags else "on"}
    async with strangers_everywhere() as opened:
        process = await start(home, *PLAY, "--no-browser", *flags, **(opened | wish))
        assert process.stdout
        told = [(await asyncio.wait_for(process.stdout.readline(), 30)).decode() for _ in "ab"]
        process.kill()
        await process.wait()
    assert told[1].startswith(
        "No model of panels.json is usable; the seats are taken by the models that ollama, "
        f"lmstudio, vllm and llamacpp have: {STRANGER}"
    )
