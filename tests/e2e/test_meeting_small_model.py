"""A whole roundtable with the model in the process: in format, in line, and called what it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.settings import SHIPPED_PANELS
from bot.store import CallStatus
from tests.e2e.playground_harness import EditPanels, open_harness
from tests.support.fake_xllamacpp import FakeLlama

LOCAL = SHIPPED_PANELS.with_name("panels.local.json")
SMALL_MODEL = "A very small built-in model is speaking: do not rely on what it says."


def local_panels(weights: Path) -> EditPanels:
    """The shipped configuration of `make run LOCAL=1` with a file of the test's own."""

    def edit(panels: dict[str, Any]) -> None:
        panels.clear()
        panels.update(json.loads(LOCAL.read_text(encoding="utf-8")))
        panels["providers"]["local"]["modelPath"] = str(weights)

    return edit


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeLlama:
    model = FakeLlama()
    model.install(monkeypatch)
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    return model


async def test_a_debate_with_the_small_model_keeps_every_format_and_says_what_it_is(
    tmp_path: Path, small: FakeLlama
) -> None:
    """E47 E61 A17: grammars hold what a model this small could not."""
    edit = local_panels(tmp_path / "model.gguf")
    async with open_harness(tmp_path, edit_panels=edit) as table:
        held = await table.hold("roundtable --debate Should children learn to cook?")
        about = table.discord.world.about
    assert held.export["ending"] == "concluded"
    assert {call.status for call in held.calls} == {CallStatus.OK}
    assert {call.cost_usd for call in held.calls} == {0.0}
    for speech in held.record.speeches:
        assert speech.stance.value != "UNKNOWN"
        assert speech.digest.count("\n") == 5
    assert held.record.conclusion.missing == ()
    assert SMALL_MODEL in held.card
    assert SMALL_MODEL in held.meta
    assert about["small"] is True
    assert small.runtime.threads == {"small-model_0"}
    (params,) = small.params
    assert params.model.path == str(tmp_path / "model.gguf")
    assert params.api_keys[0]


async def test_the_card_shows_who_waits_in_line(tmp_path: Path, small: FakeLlama) -> None:
    small.gate.clear()
    edit = local_panels(tmp_path / "model.gguf")
    async with open_harness(tmp_path, edit_panels=edit) as table:
        await table.say("roundtable --quick --debate Should we learn to cook?")
        thread = await table.thread()
        await table.discord.until(
            lambda: any("in the queue, 2 ahead" in m.text for m in table.said_in(thread)),
            timeout=20,
        )
        card = table.card(thread).text
        assert "in the queue, 1 ahead" in card
        small.gate.set()
        held = await table.held(await table.concluded(thread))
    assert held.export["ending"] == "concluded"
    assert "in the queue" not in held.card
