"""A port on a model server, and a request to send."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from bot.models.adapters.openai import OpenAIPort
from bot.models.sse import WaitLimits
from bot.types.model_port import (
    Delta,
    Message,
    ModelError,
    ModelEvent,
    ModelPort,
    ModelRequest,
    Prompt,
)
from tests.support.model_server import ModelServer

KEY = "sk-test-0123456789abcdef"
QUICK = WaitLimits(connect=2.0, first_token=0.15, silence=0.15, tail=0.1)
QUICK_ONCE_BEGUN = WaitLimits(first_token=5.0, silence=0.15, tail=0.1)

MakePort = Callable[..., OpenAIPort]


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest.fixture
def make_port(server: ModelServer, client: httpx.AsyncClient) -> MakePort:
    def make(**options: Any) -> OpenAIPort:
        given: dict[str, Any] = {
            "api_key": SecretStr(KEY),
            "max_concurrent": 8,
            "base_url": server.url,
        } | options
        return OpenAIPort(client=client, **given)

    return make


@pytest.fixture
def port(make_port: MakePort) -> OpenAIPort:
    return make_port()


def request(user: str = "Tabs or spaces?", **options: Any) -> ModelRequest:
    """A request as the council would make it."""
    prompt = Prompt("round1", {}, (Message("system", "Be brief."), Message("user", user)))
    given: dict[str, Any] = {"model": "model", "deadline_seconds": 10.0} | options
    return ModelRequest(prompt=prompt, label="rt-r1-analyst", **given)


async def events_of(port: ModelPort, asked: ModelRequest | None = None) -> list[ModelEvent]:
    """Everything the port says."""
    return [event async for event in port.stream(asked or request())]


async def until_error(port: ModelPort) -> tuple[list[ModelEvent], ModelError]:
    """What a call that fails says before, and how it fails."""
    heard: list[ModelEvent] = []
    try:
        async for event in port.stream(request()):
            heard.append(event)  # noqa: PERF401 (kept when the stream raises)
    except ModelError as error:
        return heard, error
    raise AssertionError("the call did not fail")


async def text_of(port: ModelPort, asked: ModelRequest | None = None) -> str:
    """The text of an answer."""
    events = await events_of(port, asked)
    return "".join(event.text for event in events if isinstance(event, Delta))


async def error_of(port: ModelPort, asked: ModelRequest | None = None) -> ModelError:
    """The error a call ends with."""
    with pytest.raises(ModelError) as caught:
        await events_of(port, asked)
    return caught.value
