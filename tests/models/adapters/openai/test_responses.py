"""Models that OpenAI serves by its Responses API alone."""

from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from bot.models.adapters.openai import OpenAIPort
from bot.models.collect import collect
from bot.types.model_port import (
    Delta,
    ErrorKind,
    Finished,
    Message,
    ModelError,
    ModelEvent,
    ModelRequest,
    Prompt,
    Started,
    Usage,
)
from tests.models.dialects import KEY, Responses, event, request
from tests.models.replay_server import ReplayServer, Reply, refusing, whole
from tests.models.scripted_port import joined
from tests.models.vendor_refusals import NOT_CHAT, ONLY_RESPONSES, UNSUPPORTED_API

CODEX = "gpt-5.3-codex"
ANSWER = Reply(parts=Responses().events("Use ", "tabs."))


@pytest.fixture
async def server() -> AsyncIterator[ReplayServer]:
    async with ReplayServer() as server:
        yield server


def port_on(server: ReplayServer, client: httpx.AsyncClient, **options: Any) -> OpenAIPort:
    return OpenAIPort(f"{server.url}/v1", SecretStr(KEY), client, 8, **options)


async def heard(port: OpenAIPort, asked: ModelRequest) -> list[ModelEvent]:
    return joined([event async for event in port.stream(asked)])


def response(status: str, **fields: Any) -> Mapping[str, Any]:
    return {"object": "response", "status": status, "model": CODEX, "output": [], **fields}


@pytest.mark.parametrize("model", [CODEX, "gpt-5.4-pro", "o3-pro-2025-06-10", "o4-deep-research"])
async def test_openai_is_asked_for_such_a_model_at_responses_at_once(
    server: ReplayServer, client: httpx.AsyncClient, model: str
) -> None:
    server.play(ANSWER)
    await heard(port_on(server, client, vendor="openai"), request(model=model))
    assert [call.path for call in server.calls] == ["/v1/responses"]


@pytest.mark.parametrize("vendor", ["openai", "openrouter"])
async def test_others_are_asked_at_chat_completions(
    server: ReplayServer, client: httpx.AsyncClient, vendor: str
) -> None:
    """OpenRouter serves codex models there; so does OpenAI serve all others."""
    server.play(Reply(status=500))
    model = "openai/gpt-5.3-codex" if vendor == "openrouter" else "gpt-5.5"
    with pytest.raises(ModelError):
        await heard(port_on(server, client, vendor=vendor), request(model=model))
    assert [call.path for call in server.calls] == ["/v1/chat/completions"]


@pytest.mark.parametrize("refusal", [NOT_CHAT, ONLY_RESPONSES, UNSUPPORTED_API])
async def test_a_refusal_leads_to_responses_and_is_remembered(
    server: ReplayServer, client: httpx.AsyncClient, refusal: tuple[int, Mapping[str, Any]]
) -> None:
    """A model nobody foresaw, on any server."""
    server.play(refusing(*refusal), ANSWER)
    port = port_on(server, client)
    for _ in range(2):
        assert Delta("Use tabs.") in await heard(port, request(model="gpt-9-wonder"))
    paths = [call.path for call in server.calls]
    assert paths == ["/v1/chat/completions", "/v1/responses", "/v1/responses"]


async def test_the_request_says_what_is_wanted_and_keeps_nothing(
    server: ReplayServer, client: httpx.AsyncClient
) -> None:
    server.play(ANSWER)
    asked = request(model=CODEX, max_output_tokens=900, effort="high")
    await heard(port_on(server, client, vendor="openai"), asked)
    assert server.calls[0].body == {
        "model": CODEX,
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": "Tabs or spaces?"}],
        "max_output_tokens": 900,
        "reasoning": {"effort": "high"},
        "stream": True,
        "store": False,
    }


async def test_a_conversation_keeps_its_turns(
    server: ReplayServer, client: httpx.AsyncClient
) -> None:
    server.play(ANSWER)
    said = (Message("user", "One."), Message("assistant", "Two."), Message("user", "Three."))
    asked = ModelRequest(CODEX, Prompt("followup", {}, said), "f", 10.0)
    await heard(port_on(server, client, vendor="openai"), asked)
    roles = [turn["role"] for turn in server.calls[0].body["input"]]
    assert roles == ["user", "assistant", "user"]


async def test_a_server_that_ignores_stream_is_understood(
    server: ReplayServer, client: httpx.AsyncClient
) -> None:
    said = [
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "message", "content": [{"type": "output_text", "text": "Tabs."}]},
    ]
    used = {"input_tokens": 9, "output_tokens": 5}
    server.play(whole(response("completed", output=said, usage=used, error=None)))
    events = await heard(port_on(server, client, vendor="openai"), request(model=CODEX))
    assert events == [Started(CODEX), Delta("Tabs."), Usage(9, 5), Finished("stop")]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "refused"),
        ({"status": "failed", "error": {"code": "server_error", "message": "Oh."}}, "network"),
        ({"status": "failed", "error": {"code": "rate_limit_exceeded"}}, "rate limited"),
        ({"status": "failed", "error": {"code": "bio_policy", "message": "No."}}, "refused"),
        ({"status": "completed", "output": [{"type": "function_call"}]}, "bad output"),
        ({"status": "completed"}, "bad output"),
    ],
)
async def test_an_ending_that_is_no_answer_fails_and_what_it_used_is_told(
    server: ReplayServer, client: httpx.AsyncClient, fields: dict[str, Any], kind: str
) -> None:
    last = response(**fields, usage={"input_tokens": 9, "output_tokens": 5})
    name = f"response.{fields['status']}"
    server.play(Reply(parts=[event({"type": name, "response": last}, name)]))
    with pytest.raises(ModelError) as failure:
        await collect(port_on(server, client, vendor="openai"), request(model=CODEX))
    assert failure.value.kind == ErrorKind(kind)
    assert failure.value.usage == Usage(9, 5)
