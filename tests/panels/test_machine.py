"""What runs on this machine is usable when it is there; servers at usual ports are added."""

import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bot.panels import probe_local
from bot.panels.machine import (
    SMALL_MODEL,
    USUAL_PORTS,
    fault_here,
    only_usual_servers,
    small_model_file,
    with_usual_servers,
)
from bot.panels.providers import AcpProvider, LocalProvider, OpenAIProvider
from tests.panels.panels_data import Data, bent, complaints, loaded, server_at, shipped

HARNESS = {"kind": "acp", "command": [sys.executable, "agent.py"]}


Lose = Callable[[str], None]


@pytest.fixture
def lose(monkeypatch: pytest.MonkeyPatch) -> Lose:
    """Takes a package away; before, both extras are installed, whatever this environment has."""
    for name in ("acp", "xllamacpp"):
        installed = ModuleType(name)
        installed.__spec__ = ModuleSpec(name, None)
        monkeypatch.setitem(sys.modules, name, installed)
    return lambda name: monkeypatch.setitem(sys.modules, name, None)


def test_a_harness_needs_the_extra_and_its_program(lose: Lose) -> None:
    harness = AcpProvider(kind="acp", command=(sys.executable, "agent.py"))
    assert fault_here(harness) is None
    elsewhere = AcpProvider(kind="acp", command=("no-such-program",))
    assert fault_here(elsewhere) == (
        "the program 'no-such-program' is not installed: install it or correct its command"
    )
    lose("acp")
    assert fault_here(harness) == (
        "the acp extra is not installed: run `make install EXTRAS=acp` in Roundtable's folder, "
        "or `pipx install --force '.[acp]'` there"
    )


def test_a_model_in_the_process_needs_the_extra_and_its_file(
    lose: Lose, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fault_here(LocalProvider(kind="local")) == "run make local"
    assert small_model_file() == tmp_path / "roundtable" / SMALL_MODEL
    small_model_file().parent.mkdir()
    small_model_file().touch()
    assert fault_here(LocalProvider(kind="local")) is None
    own = LocalProvider.model_validate({"kind": "local", "modelPath": "/no/such.gguf"})
    assert fault_here(own) == "the file /no/such.gguf does not exist: correct modelPath"
    lose("xllamacpp")
    assert fault_here(own) == "the local extra is not installed: run make local"


async def test_the_probe_tells_about_them_beside_the_servers(lose: Lose) -> None:
    lose("acp")

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


def test_the_shipped_file_names_no_server_of_the_person() -> None:
    """Issue 26: a default is nobody's wish."""
    assert not USUAL_PORTS.keys() & shipped()["providers"].keys()


def test_they_are_added_beside_what_the_file_names() -> None:
    config = loaded(shipped())
    assert with_usual_servers(config).providers.keys() == {*config.providers, *USUAL_PORTS}
    assert only_usual_servers(config).providers.keys() == USUAL_PORTS.keys()


def test_a_name_or_a_port_that_the_file_names_is_the_files() -> None:
    def name(data: Data) -> None:
        data["providers"]["ollama"] = server_at(4000)
        data["providers"]["mine"] = server_at(8000)

    config = loaded(bent(name))
    assert only_usual_servers(config).providers.keys() == {"lmstudio", "llamacpp"}
    ollama = with_usual_servers(config).providers["ollama"]
    assert isinstance(ollama, OpenAIProvider)
    assert ollama.base_url == "http://127.0.0.1:4000/v1"


def test_servers_with_settings_of_their_own_have_them_too() -> None:
    config = with_usual_servers(loaded(bent(lambda d: d.update(servers={"42": {"panels": {}}}))))
    assert config.for_server(42).providers == config.providers
