"""Model servers on this machine: found when they run, asked what they have, given time to load."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from bot.models.availability import Availability
from bot.models.local_servers import LOAD_SECONDS, LoadPatience, find_local
from bot.models.registry import ADAPTERS
from bot.panels import PanelsConfig
from bot.panels.offers import Offer, chat_models, family_of, short_name
from bot.panels.urls import is_blockrun
from tests.guard.sitecustomize import OPENED
from tests.models.scripted_port import FakeTime
from tests.panels.panels_data import alone, bent, loaded, server_at, shipped
from tests.support.foreign_servers import listing_at
from tests.support.free_ports import closed_port

BLOCKRUN_PORT = 8402
KEPT_SECONDS = 240.0
MOST_MODELS = 500
STALE_SECONDS = 15.0


@asynccontextmanager
async def listing(body: object, status: int = 200, port: int = 0) -> AsyncIterator[int]:
    """A server that answers `/v1/models`; yields its port."""

    async def answer(_: web.Request) -> web.Response:
        if isinstance(body, str):
            return web.Response(text=body, status=status)
        return web.json_response(body, status=status)

    app = web.Application()
    app.router.add_get("/v1/models", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", port).start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def at(**ports: int) -> PanelsConfig:
    """The shipped file with these servers here and no other."""

    def change(data: dict[str, Any]) -> None:
        for name in ("blockrun", "ollama", "lmstudio", "vllm", "llamacpp"):
            port = ports.get(name) or closed_port()
            data["providers"][name] = server_at(port)

    return loaded(bent(change))


def models(*ids: str, owner: str = "library") -> dict[str, Any]:
    data = [{"id": name, "object": "model", "owned_by": owner} for name in ids]
    return {"object": "list", "data": data}


async def test_running_servers_tell_their_models_and_the_others_are_named() -> None:
    here = models("llama3.2:latest", "nomic-embed-text:latest")
    there = models("Qwen/Qwen3-8B", owner="vllm")
    async with listing(here) as ollama, listing(there) as vllm:
        found = await find_local(at(ollama=ollama, vllm=vllm))
    assert found.offers == {
        "ollama": Offer(("llama3.2:latest",), loads=True),
        "vllm": Offer(("Qwen/Qwen3-8B",)),
    }
    assert found.loading == {"ollama"}
    assert found.faults.keys() == {"blockrun", "lmstudio", "llamacpp"}


async def test_nothing_here_is_quickly_told() -> None:
    found = await find_local(at())
    assert found.offers == {}
    assert len(found.faults) == 5


async def test_a_server_without_a_model_says_how_to_get_one() -> None:
    async with listing(models()) as port:
        found = await find_local(at(ollama=port))
    assert "ollama pull" in found.faults["ollama"]
    assert found.offers == {}


@pytest.mark.parametrize("body", ["<html>", {"error": "no"}, {"data": 7}, [], {"data": [7, {}]}])
async def test_something_else_on_the_port_is_not_taken_for_a_model_server(body: object) -> None:
    async with listing(body) as port:
        found = await find_local(at(llamacpp=port))
    assert "llamacpp" in found.faults
    assert found.offers == {}


async def test_a_server_with_routes_stays_usable_when_it_does_not_list() -> None:
    """A compatible server need not list its models; panels.json names them."""
    async with listing("not here", status=404) as port:
        found = await find_local(at(blockrun=port))
    assert "blockrun" not in found.faults
    assert found.offers == {}


@pytest.mark.parametrize(
    ("listed", "is_blockrun"),
    [
        ({"auto": "blockrun", "openai/gpt-5": "openai"}, True),
        ({"xai/grok-4": "xai"}, True),
        ({"strangers-model:8b": "library"}, False),
    ],
)
async def test_only_blockrun_is_taken_for_blockrun_at_its_port(
    listed: dict[str, str], is_blockrun: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 26: known by its own routers, or by a model that the file wants of it."""
    monkeypatch.setenv(OPENED, str(BLOCKRUN_PORT))
    async with listing_at([BLOCKRUN_PORT], listed):
        found = await find_local(loaded(shipped()))
    assert ("is not Blockrun" not in found.faults.get("blockrun", "")) is is_blockrun
    assert ("blockrun" in found.offers) is is_blockrun


async def test_a_server_that_never_answers_holds_nobody_up() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server, asyncio.timeout(2):
        port = server.sockets[0].getsockname()[1]
        found = await find_local(at(ollama=port), seconds=0.05)
    assert "ollama" in found.faults


async def test_llama_cpp_answers_to_any_name() -> None:
    async with listing(models("model.gguf", owner="llamacpp")) as port:
        found = await find_local(at(llamacpp=port))
    assert found.offers["llamacpp"].serves("anything")


PATHS = ("/models/Qwen3-8B-Q4.gguf", "./llama.gguf", "C:\\models\\my phi.gguf", "~/m/gemma-3")


def test_ids_that_are_paths_are_ids() -> None:
    """Issue 19 point 7: as llama.cpp and vLLM give them."""
    assert chat_models(PATHS) == PATHS
    assert [family_of(path) for path in PATHS] == ["qwen", "llama", "phi", "gemma"]
    assert [short_name(path) for path in PATHS] == ["qwen3-8b-q4", "llama", "my phi", "gemma-3"]
    assert short_name("Qwen/Qwen3-8B") == "qwen/qwen3-8b"


async def test_a_model_named_by_its_path_takes_the_seats_under_its_short_name() -> None:
    async with listing(models(PATHS[0], owner="llamacpp")) as port:
        around = Availability(at(llamacpp=port), lambda _: None, ADAPTERS)
        await around.look()
    assert around.resolution.found == ("qwen3-8b-q4",)
    model = around.resolution.model(PATHS[0])
    assert model is not None
    assert model.wire_model == PATHS[0]


@pytest.mark.parametrize("wire", ["/srv/x y/it's.gguf", "my-embedder-that-chats", "ä-model"])
async def test_a_provider_with_a_route_is_not_disabled_by_a_guess_about_names(wire: str) -> None:
    """Issue 19 point 7."""

    async with listing(models(wire, owner="vllm")) as port:

        def name(data: dict[str, Any]) -> None:
            data["providers"]["mine"] = server_at(port)
            data["models"]["grok"]["routes"] = [{"provider": "mine", "model": wire}]

        around = Availability(loaded(bent(name, alone())), lambda _: None, ADAPTERS)
        await around.look()
    grok = around.resolution.model("grok")
    assert grok is not None
    assert (grok.provider, grok.wire_model) == ("mine", wire)


async def test_a_long_list_hides_no_model_that_a_route_names() -> None:
    many = [f"m{number}" for number in range(MOST_MODELS + 5)]
    async with listing(models(*many)) as port:
        found = await find_local(at(ollama=port))
    assert found.offers["ollama"].serves(many[-1])
    assert len(found.offers["ollama"].models) == MOST_MODELS


async def test_what_does_not_look_like_chat_is_not_taken_unasked() -> None:
    async with listing(models("nomic-embed-text:latest")) as port:
        found = await find_local(at(ollama=port))
    assert "add a route in panels.json" in found.faults["ollama"]


def test_names_that_cannot_be_shown_or_chat_are_left_out() -> None:
    ids = ["qwen3:8b", "qwen3:8b", "bge-m3", "whisper-1", "a b", "x" * 200, "", "evil\nname"]
    assert chat_models(ids) == ("qwen3:8b",)


@pytest.mark.parametrize(
    ("wire", "family"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama"),
        ("qwen2.5-coder:7b", "qwen"),
        ("mixtral:8x7b", "mistral"),
        ("gpt-oss:20b", "gpt"),
        ("nous-hermes2", "nous"),
        ("7b", "b"),
    ],
)
def test_a_models_kin_is_read_from_its_id(wire: str, family: str) -> None:
    assert family_of(wire) == family


@pytest.mark.parametrize(
    ("url", "paid"),
    [
        ("http://127.0.0.1:8402/v1", True),
        ("http://localhost:8402/v1", True),
        ("http://127.0.0.1:11434/v1", False),
        ("https://example.org:8402/v1", False),
    ],
)
def test_blockrun_is_known_by_its_place(url: str, paid: bool) -> None:
    assert is_blockrun(url) is paid


async def test_a_server_that_starts_and_ends_later_is_noticed_before_the_next_meeting() -> None:
    """E21: found when running; looked for again, but not all the time."""
    port, time = closed_port(), FakeTime()
    around = Availability(at(ollama=port), lambda _: None, ADAPTERS, time)
    await around.look()
    assert around.resolution.rehearsal
    async with listing(models("llama3.2:latest"), port=port):
        await around.look_again()
        assert around.resolution.rehearsal, "looked for again too soon"
        time.now += STALE_SECONDS
        await around.look_again()
        assert around.resolution.found == ("llama3.2",)
        assert around.loading.extra_seconds("ollama", "llama3.2:latest") == LOAD_SECONDS
    time.now += STALE_SECONDS
    await around.look_again()
    assert around.resolution.rehearsal


def test_the_first_call_of_a_model_that_is_loaded_on_demand_may_take_longer() -> None:
    """providers 1.1: the first request may take tens of seconds."""
    time = FakeTime()
    patience = LoadPatience({"ollama"}, time)
    assert patience.extra_seconds("ollama", "llama3.2") == LOAD_SECONDS
    patience.answered("ollama", "llama3.2")
    assert patience.extra_seconds("ollama", "llama3.2") == 0.0
    assert patience.extra_seconds("ollama", "qwen3:8b") == LOAD_SECONDS
    time.now += KEPT_SECONDS
    assert patience.extra_seconds("ollama", "llama3.2") == LOAD_SECONDS


def test_hosted_models_get_no_time_on_top() -> None:
    assert LoadPatience({"ollama"}).extra_seconds("openai", "gpt") == 0.0
    assert LoadPatience().extra_seconds("ollama", "llama3.2") == 0.0
