"""The registry builds OpenAI ports with keys looked up by name, on one shared client."""

from typing import Any

import pytest
from pydantic import SecretStr

from bot.models.adapters.openai import OpenAIPort
from bot.models.registry import ADAPTERS, ModelRegistry, PortBuilder
from bot.panels.providers import OpenAIProvider
from tests.models.adapters.openai.conftest import events_of, text_of
from tests.support.model_server import ModelServer

SECRETS = {"SOME_KEY": "from-the-environment"}


def provider(server: ModelServer, **options: Any) -> OpenAIProvider:
    return OpenAIProvider.model_construct(kind="openai", base_url=server.url, **options)


def registry(**providers: OpenAIProvider) -> ModelRegistry:
    return ModelRegistry(providers, secret=SECRETS.get)


def test_the_desk_has_an_adapter_for_openai() -> None:
    assert "openai" in ADAPTERS


@pytest.mark.parametrize(
    ("options", "header"),
    [
        ({"api_key_env": "SOME_KEY"}, "Bearer from-the-environment"),
        ({"api_key": SecretStr("x402")}, "Bearer x402"),
        ({"api_key_env": "MISSING_KEY"}, None),
        ({}, None),
    ],
)
async def test_the_key_is_looked_up_by_its_name(
    server: ModelServer, options: dict[str, Any], header: str | None
) -> None:
    seats = registry(one=provider(server, **options))
    await events_of(seats.port("one"))
    await seats.close()
    assert server.calls[0].headers.get("Authorization") == header


async def test_ports_share_a_client_that_is_closed_with_the_desk(server: ModelServer) -> None:
    builder = PortBuilder()
    client = builder.client()
    assert builder.client() is client
    await builder.close()
    assert client.is_closed


async def test_a_closed_desk_calls_nobody(server: ModelServer) -> None:
    seats = registry(one=provider(server))
    port = seats.port("one")
    assert await text_of(port) == "Hello."
    await seats.close()
    with pytest.raises(RuntimeError):
        await events_of(port)


async def test_loopback_never_goes_through_a_proxy(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy for the world cannot reach a model server on this machine."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    by_name = server.url.replace("127.0.0.1", "localhost")
    at_name = provider(server).model_copy(update={"base_url": by_name})
    seats = registry(address=provider(server), name=at_name)
    assert await text_of(seats.port("address")) == "Hello."
    assert await text_of(seats.port("name")) == "Hello."
    await seats.close()


@pytest.mark.parametrize(
    ("url", "policy", "denied"),
    [
        ("https://openrouter.ai/api/v1", None, True),
        ("https://openrouter.ai/api/v1", "allow", False),
        ("http://127.0.0.1:9/v1", None, False),
        ("http://127.0.0.1:9/v1", "deny", True),
    ],
)
async def test_the_data_policy_of_the_file_wins_over_the_hosts(
    url: str, policy: str | None, denied: bool
) -> None:
    """providers 1.1: denied by default at OpenRouter, the admin may decide otherwise."""
    told = {"kind": "openai", "baseUrl": url, "dataCollection": policy}
    builder = PortBuilder()
    port = builder.build_port(OpenAIProvider.model_validate(told))
    await builder.close()
    assert isinstance(port, OpenAIPort)
    assert port.denies_data_collection is denied
