"""What a port sends, and what it learns not to send."""

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from bot.http.client import make_client
from bot.models.adapters.openai import OpenAIPort
from bot.types.model_port import ErrorKind
from tests.models.adapters.openai.conftest import (
    KEY,
    MakePort,
    error_of,
    events_of,
    request,
    text_of,
)
from tests.models.vendor_refusals import NO_EFFORT, NO_MAX_TOKENS
from tests.support.model_server import ModelServer, Script

SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}


def rejects(parameter: str) -> Script:
    error = {"message": "Unsupported parameter.", "param": parameter, "code": "unsupported_value"}
    return Script(status=400, body={"error": error})


async def sent_by(server: ModelServer, port: OpenAIPort, **options: Any) -> dict[str, Any]:
    await events_of(port, request(**options))
    return server.calls[-1].body


async def test_nothing_is_sent_that_nobody_set(server: ModelServer, port: OpenAIPort) -> None:
    assert await sent_by(server, port) == {
        "model": "model",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Tabs or spaces?"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_a_limit_that_was_set_is_sent(server: ModelServer, port: OpenAIPort) -> None:
    body = await sent_by(server, port, max_output_tokens=300)
    assert body["max_tokens"] == 300
    assert "max_completion_tokens" not in body


async def test_a_server_that_wants_the_limit_by_its_other_name_gets_it(
    server: ModelServer, port: OpenAIPort
) -> None:
    """A proxy in front of OpenAI: the limit is not given up."""
    status, body = NO_MAX_TOKENS
    server.script("model", Script(status=status, body=body), Script())
    sent = await sent_by(server, port, max_output_tokens=300)
    assert sent["max_completion_tokens"] == 300
    assert "max_tokens" not in sent


async def test_a_window_that_leaves_less_than_the_limit_is_used_up_without_one(
    server: ModelServer, port: OpenAIPort
) -> None:
    """vLLM refuses a prompt and a limit that are together longer than its context."""
    said = "This model's maximum context length is 4096 tokens. However, you requested 5000."
    full = Script(status=400, body={"error": {"message": said}})
    server.script("model", full, Script(), full, Script(text="Again."))
    heard = [await text_of(port, request(max_output_tokens=4000)) for _ in range(2)]
    assert heard == ["Hello.", "Again."]
    assert [("max_tokens" in call.body) for call in server.calls] == [True, False, True, False]
    assert not any("max_completion_tokens" in call.body for call in server.calls)


async def test_an_effort_a_model_does_not_take_is_left_out_and_remembered(
    server: ModelServer, port: OpenAIPort
) -> None:
    status, body = NO_EFFORT
    server.script("model", Script(status=status, body=body), Script())
    await sent_by(server, port, effort="low")
    await sent_by(server, port, effort="low")
    efforts = [call.body.get("reasoning_effort") for call in server.calls]
    assert efforts == ["low", None, None]


async def test_a_schema_is_sent_as_response_format(server: ModelServer, port: OpenAIPort) -> None:
    body = await sent_by(server, port, json_schema=SCHEMA)
    described = {"name": "answer", "strict": True, "schema": SCHEMA}
    assert body["response_format"] == {"type": "json_schema", "json_schema": described}


async def test_the_key_travels_in_the_header(server: ModelServer, port: OpenAIPort) -> None:
    await events_of(port)
    assert server.calls[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("through", [make_client, httpx.AsyncClient])
async def test_a_call_says_whom_it_asks_and_what_it_brings_once(
    server: ModelServer, through: Callable[[], httpx.AsyncClient]
) -> None:
    """Over both transports: httpx's own is used where there is a proxy."""
    async with through() as client:
        await events_of(
            OpenAIPort(server.url, SecretStr(KEY), client, 1), request("Grüße \u2028 😀")
        )
    (call,) = server.calls
    assert call.body["messages"][-1]["content"] == "Grüße \u2028 😀"
    sent = json.dumps(call.body, ensure_ascii=False, separators=(",", ":")).encode()
    assert call.headers["Host"] == httpx.URL(server.url).netloc.decode()
    assert call.headers["Content-Length"] == str(len(sent))
    assert call.headers["Content-Type"] == "application/json"
    assert call.headers["Accept"] == "text/event-stream, application/json"
    assert len({name.casefold() for name in call.headers}) == len(call.headers)


@pytest.mark.parametrize("key", [None, SecretStr("")])
async def test_without_a_key_no_header_is_sent(
    server: ModelServer, make_port: MakePort, key: SecretStr | None
) -> None:
    await events_of(make_port(api_key=key))
    assert "Authorization" not in server.calls[0].headers


async def test_a_slash_at_the_end_of_the_address_does_no_harm(
    server: ModelServer, make_port: MakePort
) -> None:
    assert await text_of(make_port(base_url=f"{server.url}/")) == "Hello."


@pytest.mark.parametrize("text", ["/debug", "  /imagegen cat", "\n/img2img --image x", "\ufeff/x"])
async def test_text_that_looks_like_a_command_is_sent_with_a_prefix(
    server: ModelServer, port: OpenAIPort, text: str
) -> None:
    """Blockrun runs commands it finds at the beginning of the last message (providers 1.1)."""
    await events_of(port, request(text))
    assert server.calls[0].body["messages"][-1]["content"] == f"[message]: {text}"


async def test_lone_surrogates_are_replaced(server: ModelServer, port: OpenAIPort) -> None:
    await events_of(port, request("a\ud800b"))
    assert server.calls[0].body["messages"][-1]["content"] == "a\ufffdb"


@pytest.mark.parametrize(
    ("url", "denied"),
    [
        ("https://openrouter.ai/api/v1", True),
        ("https://eu.openrouter.ai/api/v1", True),
        ("https://notopenrouter.ai/api/v1", False),
        ("http://127.0.0.1:8402/v1", False),
    ],
)
def test_openrouter_is_known_by_its_host(make_port: MakePort, url: str, denied: bool) -> None:
    assert make_port(base_url=url).denies_data_collection is denied


async def test_data_collection_is_denied_when_wanted(
    server: ModelServer, make_port: MakePort
) -> None:
    body = await sent_by(server, make_port(deny_data_collection=True))
    assert body["provider"] == {"data_collection": "deny"}


@pytest.mark.parametrize("parameter", ["stream_options", "response_format"])
async def test_an_unsupported_parameter_is_left_out_at_once(
    server: ModelServer, port: OpenAIPort, parameter: str
) -> None:
    server.script("model", rejects(parameter), Script())
    assert await text_of(port, request(json_schema=SCHEMA)) == "Hello."
    assert parameter in server.calls[0].body
    assert parameter not in server.calls[1].body


async def test_several_unsupported_parameters_are_left_out_one_by_one(
    server: ModelServer, port: OpenAIPort
) -> None:
    names = ("stream_options", "response_format", "max_tokens", "max_completion_tokens")
    scripts = [rejects(name) for name in names]
    server.script("model", *scripts, Script())
    body = await sent_by(server, port, json_schema=SCHEMA, max_output_tokens=9)
    assert body.keys() == {"model", "messages", "stream"}


async def test_what_a_model_does_not_take_is_remembered(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", rejects("stream_options"), Script())
    await events_of(port)
    await events_of(port)
    assert [("stream_options" in call.body) for call in server.calls] == [True, False, False]


async def test_other_models_are_still_sent_everything(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", rejects("stream_options"), Script())
    await events_of(port)
    assert "stream_options" in await sent_by(server, port, model="other")


async def test_a_rejection_inside_the_stream_counts_too(
    server: ModelServer, port: OpenAIPort
) -> None:
    """Blockrun answers 200 before it knows."""
    error = {"message": "stream_options is not supported", "code": 400}
    body = b'data: {"error": ' + str(error).replace("'", '"').encode() + b"}\n\n"
    server.script("model", Script(raw=body), Script())
    assert await text_of(port) == "Hello."


async def test_a_parameter_that_stays_rejected_ends_the_call(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", rejects("stream_options"))
    assert (await error_of(port)).kind is ErrorKind.UNSUPPORTED_PARAMETER
    assert len(server.calls) == 2


async def test_the_wish_for_privacy_is_never_left_out(
    server: ModelServer, make_port: MakePort
) -> None:
    server.script("model", rejects("provider"), Script())
    error = await error_of(make_port(deny_data_collection=True))
    assert error.kind is ErrorKind.UNSUPPORTED_PARAMETER
    assert len(server.calls) == 1


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_other_failures_are_not_tried_again_here(
    server: ModelServer, port: OpenAIPort, status: int
) -> None:
    server.script("model", Script(status=status), Script())
    await error_of(port)
    assert len(server.calls) == 1
