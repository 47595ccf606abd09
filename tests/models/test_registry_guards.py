"""The registry gives every adapter but the rehearsal its retries and its breaker."""

import json
from typing import Any

import pytest
from pydantic import SecretStr

from bot.models.breaker import CircuitOpenError
from bot.models.collect import collect
from bot.models.registry import ADAPTERS, ModelRegistry
from bot.models.retry import RetryingPort
from bot.panels import RehearsalProvider
from bot.panels.providers import AnthropicProvider, GeminiProvider, HostedProvider, OpenAIProvider
from bot.types.model_port import ErrorKind, FailedAttempt, ModelError
from tests.models.dialects import DIALECTS, Dialect, request
from tests.models.replay_server import ReplayServer, Reply, refusing

KINDS: dict[str, Any] = {
    "openai": OpenAIProvider,
    "anthropic": AnthropicProvider,
    "gemini": GeminiProvider,
}
ADAPTED = [dialect for dialect in DIALECTS if dialect.name in KINDS]
AT_ONCE = {"retry_after": "0"}


def provider(dialect: Dialect, server: ReplayServer) -> HostedProvider:
    url = f"{server.url}/v1" if dialect.name == "openai" else server.url
    made: HostedProvider = KINDS[dialect.name].model_construct(
        kind=dialect.name, base_url=url, api_key=SecretStr("any")
    )
    return made


@pytest.mark.parametrize("dialect", ADAPTED, ids=lambda dialect: dialect.name)
async def test_every_hosted_adapter_tries_again(dialect: Dialect) -> None:
    async with ReplayServer() as server:
        answer = Reply(parts=dialect.events("Yes."))
        server.play(refusing(503, dialect.error("Busy.", 503), **AT_ONCE), answer)
        told: list[FailedAttempt] = []

        async def again(failed: FailedAttempt) -> bool:
            told.append(failed)
            return True

        registry = ModelRegistry({"one": provider(dialect, server)})
        asked = request(on_retry=again)
        assert (await collect(registry.port("one"), asked)).text == "Yes."
        await registry.close()
    assert [failed.error.kind for failed in told] == [ErrorKind.OVERLOADED]


@pytest.mark.parametrize("dialect", ADAPTED, ids=lambda dialect: dialect.name)
async def test_every_hosted_adapter_has_a_breaker(dialect: Dialect) -> None:
    async with ReplayServer() as server:
        server.play(refusing(402, dialect.error("Empty.", 402)))
        registry = ModelRegistry({"one": provider(dialect, server)})
        with pytest.raises(ModelError):
            await collect(registry.port("one"), request())
        with pytest.raises(CircuitOpenError):
            await collect(registry.port("one"), request())
        assert len(server.calls) == 1
        await registry.close()


def test_the_rehearsal_is_left_as_it_is() -> None:
    """Its troubles are wanted."""
    rehearsal = RehearsalProvider.model_validate_json(json.dumps({"kind": "rehearsal"}))
    assert not isinstance(ModelRegistry({"here": rehearsal}).port("here"), RetryingPort)


def test_the_desk_has_an_adapter_for_every_dialect() -> None:
    assert {dialect.name for dialect in ADAPTED} <= ADAPTERS
