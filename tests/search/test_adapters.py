"""Each adapter speaks its service's shape over real HTTP."""

from typing import Any

import httpx
import pytest

from bot.search.port import SearchResult
from tests.search.search_server import Reply, SearchServer
from tests.search.search_services import KEY, SERVICES, KnownService

ROW = {
    "title": "Tabs are fine",
    "url": "https://example.org/tabs",
    "snippet": "Most editors agree.",
    "published": "2026-10-01",
}
OTHER = {"title": "Spaces", "url": "https://example.net/spaces", "snippet": "Some do not."}


async def asked(name: str, server: SearchServer, client: httpx.AsyncClient, count: int = 5) -> Any:
    """What the service receives when the topic is looked up."""
    server.reply = Reply(json=SERVICES[name].answer(ROW))
    await SERVICES[name].build(client, server.url).search("tabs or spaces", count)
    (call,) = server.calls
    return call


async def test_results_are_read_in_order(
    service: KnownService, server: SearchServer, client: httpx.AsyncClient
) -> None:
    """E33."""
    server.reply = Reply(json=service.answer(ROW, OTHER))
    found = await service.build(client, server.url).search("tabs or spaces", 5)
    assert found == (
        SearchResult("Tabs are fine", ROW["url"], "Most editors agree.", "2026-10-01"),
        SearchResult("Spaces", OTHER["url"], "Some do not."),
    )


async def test_never_more_results_than_asked_for(
    service: KnownService, server: SearchServer, client: httpx.AsyncClient
) -> None:
    rows = [ROW | {"url": f"https://example.org/{n}"} for n in range(30)]
    server.reply = Reply(json=service.answer(*rows))
    found = await service.build(client, server.url).search("tabs or spaces", 3)
    assert [r.url[-1] for r in found] == ["0", "1", "2"]


async def test_no_rows_are_no_results(
    service: KnownService, server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(json=service.answer())
    assert await service.build(client, server.url).search("tabs", 5) == ()


async def test_nothing_but_the_search_itself_is_called(
    service: KnownService, server: SearchServer, client: httpx.AsyncClient
) -> None:
    """Snippets only: a result that points back at the server is not fetched."""
    server.reply = Reply(json=service.answer(ROW | {"url": f"{server.url}/page"}))
    await service.build(client, server.url).search("tabs", 5)
    assert len(server.calls) == 1


async def test_tavily_sends_its_key_as_a_bearer(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    call = await asked("tavily", server, client)
    assert (call.method, call.path) == ("POST", "/search")
    assert call.headers["Authorization"] == f"Bearer {KEY}"
    assert "X-Tavily-Access-Mode" not in call.headers
    assert call.body == {"query": "tabs or spaces", "max_results": 5, "search_depth": "basic"}


async def test_tavily_without_a_key_asks_for_free_access(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    call = await asked("keyless", server, client)
    assert call.headers["X-Tavily-Access-Mode"] == "keyless"
    assert "Authorization" not in call.headers


async def test_brave_is_asked_with_its_token(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    call = await asked("brave", server, client)
    assert (call.method, call.path) == ("GET", "/res/v1/web/search")
    assert call.headers["X-Subscription-Token"] == KEY
    assert call.query == {"q": "tabs or spaces", "count": "5"}


async def test_brave_is_never_asked_for_more_than_it_gives(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    assert (await asked("brave", server, client, 50)).query["count"] == "20"


async def test_brave_gets_no_more_words_than_it_takes(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(json={})
    await SERVICES["brave"].build(client, server.url).search("a " * 80, 5)
    assert server.calls[0].query["q"].split() == ["a"] * 50


async def test_brave_without_a_web_section_found_nothing(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(json={"type": "search"})
    assert await SERVICES["brave"].build(client, server.url).search("tabs", 5) == ()


async def test_exa_is_asked_for_a_little_text(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    call = await asked("exa", server, client)
    assert (call.method, call.path) == ("POST", "/search")
    assert call.headers["x-api-key"] == KEY
    assert call.body == {
        "query": "tabs or spaces",
        "numResults": 5,
        "contents": {"text": {"maxCharacters": 600}},
    }


async def test_serper_is_asked_with_its_key(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    call = await asked("serper", server, client)
    assert (call.method, call.path) == ("POST", "/search")
    assert call.headers["X-API-KEY"] == KEY
    assert call.body == {"q": "tabs or spaces", "num": 5}


async def test_searxng_is_asked_for_json(server: SearchServer, client: httpx.AsyncClient) -> None:
    call = await asked("searxng", server, client)
    assert (call.method, call.path) == ("GET", "/search")
    assert call.query == {"q": "tabs or spaces", "format": "json"}


@pytest.mark.parametrize("tail", ["", "/", "/searx", "/searx/"])
async def test_searxng_may_live_in_a_folder(
    tail: str, server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(json={"results": []})
    await SERVICES["searxng"].build(client, server.url + tail).search("tabs", 5)
    assert server.calls[0].path == f"{tail.rstrip('/')}/search"


async def test_searxng_may_have_a_password(server: SearchServer, client: httpx.AsyncClient) -> None:
    server.reply = Reply(json={"results": []})
    address = server.url.replace("http://", "http://ann:secret@")
    await SERVICES["searxng"].build(client, address).search("tabs", 5)
    assert server.calls[0].headers["Authorization"].startswith("Basic ")
