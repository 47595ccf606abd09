"""The service is the one panels.json and .env name together."""

import httpx
import pytest

from bot.panels import Search
from bot.search.adapters import ADAPTERS, choose, missing
from bot.search.port import SearchError
from bot.types.model_port import ErrorKind

ALL = {
    "TAVILY_API_KEY": "tvly-key",
    "BRAVE_API_KEY": "brave-key",
    "EXA_API_KEY": "exa-key",
    "SERPER_API_KEY": "serper-key",
    "SEARXNG_URL": "http://searx.test",
}
NOTHING: dict[str, str] = {}
HOSTS = {
    "tavily": "api.tavily.com",
    "brave": "api.search.brave.com",
    "exa": "api.exa.ai",
    "serper": "google.serper.dev",
    "searxng": "searx.test",
}


async def request_of(provider: str, env: dict[str, str]) -> httpx.Request:
    """The request that a search makes, caught before it leaves."""
    caught: list[httpx.Request] = []

    def catch(request: httpx.Request) -> httpx.Response:
        caught.append(request)
        return httpx.Response(200, json={"results": []})

    async with httpx.AsyncClient(transport=httpx.MockTransport(catch), trust_env=False) as client:
        port = choose(Search.model_validate({"provider": provider}), env.get, client)
        assert port is not None
        await port.search("tabs", 5)
    return caught[0]


@pytest.mark.parametrize("provider", HOSTS)
async def test_a_named_service_is_asked_at_its_own_address(provider: str) -> None:
    request = await request_of(provider, ALL)
    assert request.url.host == HOSTS[provider]


async def test_auto_goes_through_the_keys_in_order() -> None:
    env = dict(ALL)
    asked = []
    for name in ALL:
        asked.append((await request_of("auto", env)).url.host)
        del env[name]
    assert asked == list(HOSTS.values())


async def test_auto_without_anything_takes_the_free_access_of_tavily() -> None:
    request = await request_of("auto", NOTHING)
    assert request.url.host == "api.tavily.com"
    assert request.headers["X-Tavily-Access-Mode"] == "keyless"


async def test_tavily_without_a_key_takes_its_free_access() -> None:
    request = await request_of("tavily", NOTHING)
    assert request.headers["X-Tavily-Access-Mode"] == "keyless"


async def test_real_services_are_called_over_tls() -> None:
    for provider in ("tavily", "brave", "exa", "serper"):
        assert (await request_of(provider, ALL)).url.scheme == "https"


async def test_off_is_no_service() -> None:
    """E96."""
    async with httpx.AsyncClient(verify=False, trust_env=False) as client:
        assert choose(Search(provider="off"), ALL.get, client) is None


@pytest.mark.parametrize("provider", ["brave", "exa", "serper", "searxng"])
async def test_a_named_service_without_its_key_says_so_instead_of_asking_another(
    provider: str,
) -> None:
    with pytest.raises(SearchError) as caught:
        await request_of(provider, {"TAVILY_API_KEY": "tvly-key"})
    assert caught.value.kind is ErrorKind.NOT_AUTHORISED
    (variable,) = (a.variable for a in ADAPTERS if a.provider == provider)
    assert f"{variable} is not set" in caught.value.text


@pytest.mark.parametrize("provider", ["auto", "off", *HOSTS])
def test_nothing_is_missing_when_everything_is_set(provider: str) -> None:
    assert missing(Search.model_validate({"provider": provider}), ALL.get) is None


def test_only_a_named_service_can_miss_its_key() -> None:
    lacking = [
        provider
        for provider in ("auto", "off", *HOSTS)
        if missing(Search.model_validate({"provider": provider}), NOTHING.get)
    ]
    assert lacking == ["brave", "exa", "serper", "searxng"]


def test_every_service_of_panels_json_has_an_adapter() -> None:
    schema = Search.model_json_schema()["properties"]["provider"]["enum"]
    assert {a.provider for a in ADAPTERS} == set(schema) - {"auto", "off"}
