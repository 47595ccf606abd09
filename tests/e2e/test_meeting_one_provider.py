"""A panel with one provider only: every role is taken, it is said, and how to do better."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.scripted_models import ScriptedModels, scripted_playground
from tests.support.free_ports import silent_port
from tests.support.model_server import ModelServer, Script

ROLES = ("Advocate", "Devil's Advocate", "Analyst", "Contrarian")


@asynccontextmanager
async def desk_with_ollama(
    home: Path, cast: ScriptedModels, *models: str
) -> AsyncIterator[PlaygroundHarness]:
    """The shipped panels.json with Ollama named, no key, and only Ollama running."""
    async with ModelServer(cast, models=models) as server:
        server.script(None, Script(whole=True))

        def edit(panels: dict[str, Any]) -> None:
            panels["providers"]["ollama"] = {"kind": "openai", "baseUrl": server.url}
            panels["search"]["provider"] = "off"

        async with open_harness(home, edit_panels=edit) as table:
            yield table


async def test_what_ollama_has_takes_every_seat_and_writes_the_conclusion(tmp_path: Path) -> None:
    """E21 E90: found when running, seated in turn, and nobody pretends to be another model."""
    cast = ScriptedModels()
    async with desk_with_ollama(tmp_path, cast, "llama3.2:latest", "qwen3:8b") as table:
        held = await table.hold("roundtable --debate is it so?")
        said = table.said_in(held.thread)
    assert held.voices == ROLES * 2
    assert cast.asked("meta:*") == []
    assert {asked.model for asked in cast.heard} == {"llama3.2:latest", "qwen3:8b"}
    assert [seat.model for seat in held.record.seats] == ["llama3.2", "qwen3:8b"] * 2
    advocate = next(m for m in said if m.author.name == "Advocate")
    assert advocate.content.startswith("-# llama3.2:latest")
    assert held.conclusion.splitlines()[1].startswith("⚠️ Advocate substituted claude-opus with")
    assert "Make claude-opus usable (run `roundtable check` to see how)" in held.conclusion
    assert held.export["ending"] == "concluded"
    assert held.export["synthesis_model"] in ("llama3.2", "llama3.2:latest")


async def test_a_found_model_can_be_named_for_a_panel(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with desk_with_ollama(tmp_path, cast, "llama3.2:latest", "qwen3:8b") as table:
        held = await table.hold("roundtable --panel qwen3:8b,llama3.2 is it so?")
    assert [seat.model for seat in held.record.seats] == ["qwen3:8b", "llama3.2"]
    assert "substituted" not in held.conclusion


def only_gpt(panels: dict[str, Any]) -> None:
    """Every model but one lives where no key is set."""
    panels["providers"]["nowhere"] = {
        "kind": "openai",
        "baseUrl": f"http://127.0.0.1:{silent_port()}/v1",
        "apiKeyEnv": "NO_SUCH_KEY",
    }
    for name, model in panels["models"].items():
        if name != "gpt":
            model["routes"] = [{"provider": "nowhere", "model": name}]


async def test_one_model_alone_holds_a_whole_roundtable_in_four_roles(tmp_path: Path) -> None:
    """E21 E91: the first line says that one model speaks, META how to mend it."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, edit_panels=only_gpt) as table:
        held = await table.hold("roundtable --quick --debate is it so?")
    assert held.voices == ROLES[:3]
    assert {asked.model for asked in cast.heard} == {"gpt"}
    assert held.export["panel_degraded"] is True
    line = "⚠️ PANEL DEGRADED — every seat is taken by gpt, the only available model, in different"
    assert line in held.conclusion
    assert "Action: Add another vendor's key, or OPENROUTER_API_KEY" in held.conclusion
    assert "NO_SUCH_KEY is not set" in held.conclusion
    assert "synthesizer also sat on the panel" in held.meta
    assert held.export["ending"] == "concluded"
