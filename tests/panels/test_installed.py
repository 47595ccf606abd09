"""What runs on this machine itself is usable when its extra, its program and its file are there."""

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from bot.panels import probe_local
from bot.panels.machine import SMALL_MODEL, fault_here, small_model_file
from bot.panels.providers import AcpProvider, LocalProvider
from tests.panels.files import bent, complaints, loaded

HARNESS = {"kind": "acp", "command": [sys.executable, "agent.py"]}


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Packages that are not installed, whatever this environment has."""
    gone: set[str] = set()
    real = importlib.util.find_spec

    def find(name: str, package: str | None = None) -> Any:
        if name in gone:
            return None
        there = name in ("acp", "xllamacpp")
        return object() if there else real(name, package)

    monkeypatch.setattr("bot.panels.installed.find_spec", find)
    return gone


def test_a_harness_needs_the_extra_and_its_program(missing: set[str]) -> None:
    harness = AcpProvider(kind="acp", command=(sys.executable, "agent.py"))
    assert fault_here(harness) is None
    elsewhere = AcpProvider(kind="acp", command=("no-such-program",))
    assert fault_here(elsewhere) == (
        "the program 'no-such-program' is not installed: install it or correct its command"
    )
    missing.add("acp")
    assert fault_here(harness) == (
        "the acp extra is not installed: run pip install 'roundtable[acp]'"
    )


def test_a_model_in_the_process_needs_the_extra_and_its_file(
    missing: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fault_here(LocalProvider(kind="local")) == "run make local"
    assert small_model_file() == tmp_path / "roundtable" / SMALL_MODEL
    small_model_file().parent.mkdir()
    small_model_file().touch()
    assert fault_here(LocalProvider(kind="local")) is None
    own = LocalProvider.model_validate({"kind": "local", "modelPath": "/no/such.gguf"})
    assert fault_here(own) == "the file /no/such.gguf does not exist: correct modelPath"
    missing.add("xllamacpp")
    assert fault_here(own) == "the local extra is not installed: run make local"


async def test_the_probe_tells_about_them_beside_the_servers(missing: set[str]) -> None:
    missing.add("acp")

    def add(data: dict[str, Any]) -> None:
        data["providers"] = {"codex": HARNESS, "rehearsal": data["providers"]["rehearsal"]}
        for model in data["models"].values():
            model["routes"] = [{"provider": "codex", "model": "codex"}]

    assert set(await probe_local(loaded(bent(add)))) == {"codex"}


@pytest.mark.parametrize("name", ["DISCORD_TOKEN", "ROUNDTABLE_HOME"])
def test_the_bots_own_variables_cannot_be_passed_to_a_harness(name: str) -> None:
    def add(data: dict[str, Any]) -> None:
        data["providers"]["codex"] = HARNESS | {"passEnv": ["HARNESS_KEY", name]}

    (problem,) = complaints(bent(add))
    assert f"passEnv contains {name}, which is reserved for the bot; remove it" in problem
