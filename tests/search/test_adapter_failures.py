"""Whatever a service does wrong becomes one sentence for admins that holds no key."""

import asyncio
import re

import httpx
import pytest
from pydantic import SecretStr

from bot.search.adapters import BraveSearch, SearxngSearch
from bot.search.port import SearchError, SearchPort
from bot.types.model_port import ErrorKind
from tests.search.search_server import Reply, SearchServer
from tests.search.search_services import KEY, SERVICES, KnownService

SENTENCE = re.compile(r"[A-Z][^;\n]{5,110}; [^;\n]{5,90}\.")
ECHO = {"error": {"message": f"The key {KEY} is wrong", "detail": f"Bearer {KEY}"}}


async def error_of(port: SearchPort) -> SearchError:
    """The error a search ends with."""
    with pytest.raises(SearchError) as caught:
        await port.search("tabs or spaces", 5)
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (302, ErrorKind.NOT_AUTHORISED),
        (400, ErrorKind.UNSUPPORTED_PARAMETER),
        (401, ErrorKind.NOT_AUTHORISED),
        (402, ErrorKind.OUT_OF_MONEY),
        (403, ErrorKind.NOT_AUTHORISED),
        (404, ErrorKind.NOT_AUTHORISED),
        (408, ErrorKind.NETWORK),
        (418, ErrorKind.UNSUPPORTED_PARAMETER),
        (422, ErrorKind.UNSUPPORTED_PARAMETER),
        (429, ErrorKind.RATE_LIMITED),
        (500, ErrorKind.NETWORK),
        (502, ErrorKind.NETWORK),
        (503, ErrorKind.OVERLOADED),
        (529, ErrorKind.OVERLOADED),
    ],
)
async def test_a_status_has_its_kind_and_no_key_in_its_sentence(
    status: int,
    kind: ErrorKind,
    service: KnownService,
    server: SearchServer,
    client: httpx.AsyncClient,
) -> None:
    """E95: the server repeats the key, and the sentence does not."""
    server.reply = Reply(status=status, json=ECHO)
    error = await error_of(service.build(client, server.url))
    assert error.kind is kind
    assert SENTENCE.fullmatch(error.text)
    assert str(status) in error.text
    assert KEY not in error.text
    assert "127.0.0.1" not in error.text


@pytest.mark.parametrize("status", [432, 433])
async def test_a_used_up_tavily_plan_is_out_of_money(
    status: int, server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(status=status, json={"detail": {"error": "limit"}})
    error = await error_of(SERVICES["tavily"].build(client, server.url))
    assert error.kind is ErrorKind.OUT_OF_MONEY


@pytest.mark.parametrize("status", [429, 432, 433])
async def test_used_up_free_access_names_the_wait_and_the_key_to_set(
    status: int, server: SearchServer, client: httpx.AsyncClient
) -> None:
    envelope = {"code": "limit", "window": "day", "retry_after_seconds": 40, "next_actions": []}
    server.reply = Reply(status=status, json=envelope)
    error = await error_of(SERVICES["keyless"].build(client, server.url))
    assert error.kind is ErrorKind.RATE_LIMITED
    assert "wait 40 s or set TAVILY_API_KEY" in error.text


async def test_a_wait_is_taken_from_the_header(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(status=429, headers={"Retry-After": "7"})
    assert "wait 7 s" in (await error_of(SERVICES["brave"].build(client, server.url))).text


async def test_a_wrong_brave_key_is_told_from_a_wrong_query(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(status=422, json={"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}})
    error = await error_of(SERVICES["brave"].build(client, server.url))
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert "BRAVE_API_KEY" in error.text


@pytest.mark.parametrize("status", [400, 403])
async def test_an_empty_serper_account_is_out_of_money(
    status: int, server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(status=status, json={"message": "Not enough credits"})
    error = await error_of(SERVICES["serper"].build(client, server.url))
    assert error.kind is ErrorKind.OUT_OF_MONEY


async def test_searxng_without_json_says_where_to_enable_it(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(status=403, text="<h1>Forbidden</h1>")
    error = await error_of(SERVICES["searxng"].build(client, server.url))
    assert "add json to search.formats in its settings.yml" in error.text


async def test_silent_searxng_engines_are_a_failure_not_an_empty_answer(
    server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(json={"results": [], "unresponsive_engines": [["google", "timeout"]]})
    error = await error_of(SERVICES["searxng"].build(client, server.url))
    assert error.kind is ErrorKind.OVERLOADED


@pytest.mark.parametrize(
    "text",
    [
        "<!doctype html><title>Sign in</title>",
        "",
        "null",
        "[]",
        "17",
        '"results"',
        '{"results": 3, "web": 3, "organic": 3}',
        '{"results": {"0": {}}, "web": {"results": {}}, "organic": {}}',
        '{"results": [',
        "[" * 100_000,
        "9" * 100_000,
        '{"results": [{"title": "' + "x" * 1_000_001 + '"}]}',
    ],
    ids=lambda text: f"{text[:24]}~{len(text)}",
)
async def test_an_answer_that_is_no_result_list_is_bad_output(
    text: str, service: KnownService, server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(text=text)
    error = await error_of(service.build(client, server.url))
    assert error.kind is ErrorKind.BAD_OUTPUT
    assert SENTENCE.fullmatch(error.text)


async def test_a_broken_connection_is_a_network_error(
    service: KnownService, server: SearchServer, client: httpx.AsyncClient
) -> None:
    server.reply = Reply(cut=True)
    error = await error_of(service.build(client, server.url))
    assert error.kind is ErrorKind.NETWORK
    assert SENTENCE.fullmatch(error.text)


async def test_a_service_that_is_not_there_cannot_be_reached(
    service: KnownService, server: SearchServer, client: httpx.AsyncClient
) -> None:
    async with SearchServer() as gone:
        address = gone.url
    error = await error_of(service.build(client, address))
    assert error.kind is ErrorKind.NETWORK
    assert "is unreachable" in error.text


async def test_a_silent_service_times_out(server: SearchServer) -> None:
    """E34."""
    server.reply = Reply(hold=asyncio.Event())
    async with httpx.AsyncClient(timeout=0.05, verify=False, trust_env=False) as hasty:
        error = await error_of(SERVICES["brave"].build(hasty, server.url))
    assert error.kind is ErrorKind.TIMEOUT


@pytest.mark.parametrize("key", ["clé-0123", "two\nlines", "nul\x00"])
async def test_a_key_that_is_no_key_is_not_sent(
    key: str, server: SearchServer, client: httpx.AsyncClient
) -> None:
    error = await error_of(BraveSearch(client, SecretStr(key), server.url))
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert "copy BRAVE_API_KEY into .env again" in error.text
    assert not server.calls


@pytest.mark.parametrize(
    "address",
    ["searx", "ftp://searx.invalid", "http://", "http://[::1", "http://a:port", "http://\u2024/"],
)
async def test_an_address_that_is_no_address_says_which_line_to_check(
    address: str, client: httpx.AsyncClient
) -> None:
    error = await error_of(SearxngSearch(client, SecretStr(address)))
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert "SEARXNG_URL" in error.text
    assert address not in error.text


async def test_a_redirect_is_not_followed(server: SearchServer, client: httpx.AsyncClient) -> None:
    """A service cannot send the bot to another address."""
    server.reply = Reply(status=307, headers={"Location": f"{server.url}/elsewhere"})
    await error_of(SERVICES["searxng"].build(client, server.url))
    assert [call.path for call in server.calls] == ["/search"]
