"""The router's own price list, read over HTTP from a server on loopback."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from aiohttp import web

from bot.models.registry import Catalogue, ModelRegistry, ReportedPrice
from bot.panels.providers import OpenAIProvider
from tests.models.scripted_port import FakeTime

KEPT_SECONDS = 6 * 3600.0
RETRY_SECONDS = 300.0

OPUS = {
    "id": "anthropic/claude-opus-4.6",
    "pricing": {"prompt": "0.000005", "completion": "0.000025", "input_cache_read": "0.0000005"},
}
GROK = {"id": "x-ai/grok-4", "pricing": {"prompt": "0.000003", "completion": "0.000015"}}
AUTO = {"id": "openrouter/auto", "pricing": {"prompt": "-1", "completion": "-1"}}
ODD = [7, {}, {"id": "x"}, {"id": "y", "pricing": {"prompt": "nan", "completion": "1"}}, AUTO]

Answer = Callable[[web.Request], Any]


@asynccontextmanager
async def selling(answer: Answer) -> AsyncIterator[tuple[Catalogue, FakeTime, list[str]]]:
    """A router that answers its list so, the catalogue, its clock, and what was asked."""
    asked: list[str] = []

    async def listed(request: web.Request) -> web.Response:
        asked.append(str(request.rel_url))
        said = answer(request)
        return said if isinstance(said, web.Response) else web.json_response(said)

    app = web.Application()
    app.router.add_get("/api/v1/models", listed)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    base = f"http://127.0.0.1:{runner.addresses[0][1]}/api/v1"
    clock = FakeTime()
    async with httpx.AsyncClient(trust_env=False) as client:
        yield Catalogue(base, lambda: client, clock), clock, asked
    await runner.cleanup()


async def test_prices_are_read_per_million_and_what_has_none_is_left_out() -> None:
    """providers 1.1: strings, dollars for one token."""
    async with selling(lambda _: {"data": [OPUS, GROK, *ODD]}) as (catalogue, _, _):
        prices = await catalogue.prices()
    assert prices == {
        "anthropic/claude-opus-4.6": ReportedPrice(5.0, 25.0, 0.5),
        "x-ai/grok-4": ReportedPrice(3.0, 15.0),
    }


async def test_all_pages_are_read_but_none_of_another_server() -> None:
    def pages(request: web.Request) -> object:
        if "page" in request.query:
            return {"data": [GROK], "links": {"next": "http://elsewhere.invalid/models"}}
        return {"data": [OPUS], "links": {"next": "/api/v1/models?page=2"}}

    async with selling(pages) as (catalogue, _, asked):
        assert len(await catalogue.prices()) == 2
    assert asked == ["/api/v1/models", "/api/v1/models?page=2"]


async def test_a_list_that_leads_in_a_circle_ends() -> None:
    circle = {"data": [OPUS], "links": {"next": "/api/v1/models"}}
    async with selling(lambda _: circle) as (catalogue, _, asked):
        assert len(await catalogue.prices()) == 1
    assert len(asked) < 50


async def test_the_list_is_kept_for_hours_and_survives_a_bad_day() -> None:
    answers: list[Any] = [{"data": [OPUS]}, web.Response(status=500), {"data": [GROK]}]
    async with selling(lambda _: answers.pop(0)) as (catalogue, clock, asked):
        first = await catalogue.prices()
        assert await catalogue.prices() is first
        assert len(asked) == 1
        clock.now += KEPT_SECONDS
        assert await catalogue.prices() == first
        assert await catalogue.prices() == first
        assert len(asked) == 2
        clock.now += RETRY_SECONDS
        assert set(await catalogue.prices()) == {"x-ai/grok-4"}


@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "http://127.0.0.1:11434/v1"])
async def test_only_openrouter_is_asked(url: str) -> None:
    provider = OpenAIProvider.model_validate({"kind": "openai", "baseUrl": url})
    registry = ModelRegistry({"one": provider})
    assert await registry.reported_prices("one") == {}
    assert await registry.reported_prices("nobody") == {}
    await registry.close()
