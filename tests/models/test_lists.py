"""What providers say they have, asked over HTTP, and kept for when they cannot be asked."""

import asyncio
import inspect
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from aiohttp import web
from pydantic import TypeAdapter

from bot.models.availability import Availability, KnownLists
from bot.models.lists import Answer, ask_for_list
from bot.models.registry import ADAPTERS
from bot.panels.providers import HostedProvider
from tests.keys.vendor_servers import KEY, Vendors
from tests.models.scripted_port import FakeTime
from tests.panels.panels_data import alone, loaded
from tests.support.time_travel import fast_time

DAY = 86_400.0
FILE = "model-lists.json"
RETRY_SECONDS = 900.0

TODAY = "2026-11-17"
Reply = Callable[[web.Request], object]


@asynccontextmanager
async def provider_that(reply: Reply, kind: str = "openai") -> AsyncIterator[HostedProvider]:
    async def answer(request: web.Request) -> web.Response:
        said = reply(request)
        if inspect.isawaitable(said):
            said = await said
        return said if isinstance(said, web.Response) else web.json_response(said)

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    provider = {"kind": kind, "baseUrl": url, "apiKey": KEY}
    try:
        yield TypeAdapter[HostedProvider](HostedProvider).validate_python(provider)
    finally:
        await runner.cleanup()


async def asked(reply: Reply, kind: str = "openai") -> Answer:
    async with provider_that(reply, kind) as provider, httpx.AsyncClient(trust_env=False) as client:
        return await ask_for_list(client, provider, KEY, TODAY)


def models(answer: Answer) -> tuple[str, ...]:
    assert answer.offer is not None
    return answer.offer.models


async def test_what_cannot_chat_or_is_retired_is_not_on_the_list() -> None:
    entries = [
        {"id": "m-1", "created": 5},
        {"id": "ocr", "capabilities": {"completion_chat": False}},
        {"id": "painter", "architecture": {"output_modalities": ["image"]}},
        {"id": "old", "expiration_date": "2026-11-01"},
        {"id": "leaving", "deprecation": "2026-12-31T00:00:00Z"},
        {"id": "no good\n"},
        {"id": 7},
        "odd",
    ]
    answer = await asked(lambda _: {"data": entries})
    assert models(answer) == ("m-1", "leaving")
    assert answer.offer is not None
    assert answer.offer.created == {"m-1": 5.0}


async def test_anthropics_pages_are_read_to_the_end() -> None:
    def pages(request: web.Request) -> object:
        assert request.headers["x-api-key"] == KEY
        if "after_id" in request.query:
            return {"data": [{"id": "b", "created_at": "2026-02-04T00:00:00Z"}], "has_more": False}
        return {"data": [{"id": "a"}], "has_more": True, "last_id": "a"}

    answer = await asked(pages, "anthropic")
    assert models(answer) == ("a", "b")
    assert answer.offer is not None
    assert answer.offer.created["b"] == 1770163200.0


async def test_geminis_pages_are_read_to_the_end_and_only_what_generates() -> None:
    def pages(request: web.Request) -> object:
        assert request.headers["x-goog-api-key"] == KEY
        assert KEY not in str(request.rel_url)
        methods = {"supportedGenerationMethods": ["generateContent"]}
        if "pageToken" in request.query:
            return {"models": [{"name": "models/embed", "supportedGenerationMethods": ["embed"]}]}
        return {"models": [{"name": "models/g-1", **methods}], "nextPageToken": "t"}

    assert models(await asked(pages, "gemini")) == ("g-1",)


@pytest.mark.parametrize(
    ("status", "body", "refused"),
    [
        (401, {"error": {"message": "Incorrect API key provided: sk-x"}}, True),
        (400, {"error": "No connected db."}, True),
        (403, {"error": {"message": "Missing scopes: api.model.read"}}, False),
        (404, {"error": "not found"}, False),
        (429, {"error": {"message": "slow down"}}, False),
        (503, "busy", False),
    ],
)
async def test_only_a_refused_key_disables_a_provider(
    status: int, body: object, refused: bool
) -> None:
    answer = await asked(lambda _: web.json_response(body, status=status))
    assert answer.offer is None
    assert (answer.refused is not None) is refused
    assert (answer.failed is None) is refused


@pytest.mark.parametrize("body", [[], {}, {"data": {}}, {"data": []}, 7, {"data": [1]}])
async def test_what_is_no_list_is_no_list(body: object) -> None:
    answer = await asked(lambda _: body)
    assert answer.failed
    assert not answer.refused


async def test_a_bare_array_is_a_list() -> None:
    assert models(await asked(lambda _: [{"id": "a"}])) == ("a",)


async def test_a_list_without_end_is_not_read() -> None:
    endless = json.dumps({"data": [{"id": "a" * 1000}] * 17_000}).encode()
    assert len(endless) > 16 * 1024 * 1024
    assert (await asked(lambda _: web.Response(body=endless))).failed


async def test_a_silent_provider_does_not_hold_anybody_up() -> None:
    said = asyncio.Event()

    async def silent(_: web.Request) -> object:
        await said.wait()
        return {}

    async with provider_that(silent) as provider, httpx.AsyncClient(trust_env=False) as client:
        async with fast_time(100):
            answer = await ask_for_list(client, provider, "", TODAY)
        said.set()
    assert answer.failed == "its list of models could not be read: no answer"


SECRETS = {"ANTHROPIC_API_KEY": KEY}


async def test_the_last_list_stands_when_a_provider_cannot_be_asked(tmp_path: Path) -> None:
    config = loaded(alone())
    async with Vendors() as vendors, vendors.client() as client:
        vendors.ids["anthropic"] = ("claude-opus-7",)
        known = KnownLists(lambda: client, SECRETS.get, tmp_path)
        await known.ask(config)
        assert known.due_in == DAY
        assert known.offers(config)["anthropic"].models == ("claude-opus-7",)
    async with httpx.AsyncClient(transport=_Offline()) as client:
        await known.ask(config)
        assert known.due_in == RETRY_SECONDS
        assert known.offers(config)["anthropic"].models == ("claude-opus-7",)
        later = KnownLists(lambda: client, SECRETS.get, tmp_path)
        assert later.offers(config)["anthropic"].models == ("claude-opus-7",)
        assert later.offers(config)["anthropic"].exact


class _Offline(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("no network", request=request)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"https://api.anthropic.com": {"models": 7}}'])
def test_a_file_that_makes_no_sense_is_no_list(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    known = KnownLists(httpx.AsyncClient, SECRETS.get, tmp_path)
    assert known.offers(loaded(alone())) == {}


async def test_a_model_that_changes_with_the_list_is_logged_and_resolved_anew(
    caplog: pytest.LogCaptureFixture,
) -> None:
    around = Availability(loaded(alone()), SECRETS.get, ADAPTERS, FakeTime())
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) > 1:
            raise asyncio.CancelledError

    caplog.set_level(logging.INFO)
    async with Vendors() as vendors, vendors.client() as client:
        around.lists = KnownLists(lambda: client, SECRETS.get)
        vendors.ids["anthropic"] = ("claude-opus-5", "claude-sonnet-5")
        await around.start()
        assert around.resolution.models["claude-opus"].wire_model == "claude-opus-5"
        vendors.ids["anthropic"] = ("claude-opus-5", "claude-opus-5-5", "claude-sonnet-5")
        with pytest.raises(asyncio.CancelledError):
            await around.ask_daily(sleep)
    assert waits == [DAY, DAY]
    assert around.resolution.models["claude-opus"].wire_model == "claude-opus-5-5"
    assert (
        "claude-opus now maps to claude-opus-5-5 through anthropic, before it was claude-opus-5"
        in caplog.text
    )
    assert "claude-sonnet is" not in caplog.text


async def test_without_any_list_the_price_list_names_the_newest() -> None:
    around = Availability(loaded(alone()), SECRETS.get, ADAPTERS, FakeTime())
    assert around.resolution.models["claude-opus"].wire_model == "claude-opus-5-5"
