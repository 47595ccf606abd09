"""What goes to the Messages API, and what the adapter learns not to send."""

from typing import Any

import pytest

from bot.types.model_port import Message, ModelRequest, Prompt
from tests.models.adapter_harness import SCHEMA, AdapterHarness, streamed
from tests.models.dialects import KEY, Anthropic, request
from tests.models.replay_server import Seen, refusing

DEFAULT_MAX_TOKENS = 8192

ANSWER = streamed(*Anthropic().events("Yes."))
LONG = "Follow these rules. " * 250
JUST_TOO_SHORT = "x" * 4095


def prompt(*messages: Message) -> ModelRequest:
    return ModelRequest("model-1", Prompt("round1", {}, messages), "r1:analyst", 10.0)


async def sent_by(bench: AdapterHarness, asked: ModelRequest) -> Seen:
    _, error = await bench.hear(ANSWER, asked=asked)
    assert error is None
    return bench.server.calls[-1]


async def test_nothing_is_sent_that_nobody_set(bench: AdapterHarness) -> None:
    """The API cannot do without max_tokens, so a default stands in."""
    assert (await sent_by(bench, request())).body == {
        "model": "model-1",
        "max_tokens": DEFAULT_MAX_TOKENS,
        "system": "Be brief.",
        "messages": [{"role": "user", "content": "Tabs or spaces?"}],
        "stream": True,
    }


async def test_key_and_version_travel_in_headers(bench: AdapterHarness) -> None:
    headers = (await sent_by(bench, request())).headers
    assert (headers["x-api-key"], headers["anthropic-version"]) == (KEY, "2023-06-01")
    assert "Authorization" not in headers


async def test_a_limit_that_was_set_is_sent(bench: AdapterHarness) -> None:
    assert (await sent_by(bench, request(max_output_tokens=300))).body["max_tokens"] == 300


async def test_a_schema_is_sent_as_output_format(bench: AdapterHarness) -> None:
    body = (await sent_by(bench, request(json_schema=SCHEMA))).body
    assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
async def test_the_address_may_be_written_with_or_without_its_version(
    bench: AdapterHarness, suffix: str
) -> None:
    bench.server.url += suffix
    assert (await sent_by(bench, request())).path == "/v1/messages"


async def test_a_long_system_text_is_marked_for_the_cache(bench: AdapterHarness) -> None:
    asked = prompt(Message("system", LONG), Message("user", "Tabs?"))
    (block,) = (await sent_by(bench, asked)).body["system"]
    assert block == {"type": "text", "text": LONG, "cache_control": {"type": "ephemeral"}}


async def test_a_system_text_too_short_to_be_cached_is_not_marked(bench: AdapterHarness) -> None:
    asked = prompt(Message("system", JUST_TOO_SHORT), Message("user", "Tabs?"))
    assert (await sent_by(bench, asked)).body["system"] == JUST_TOO_SHORT


async def test_a_server_that_knows_no_cache_is_asked_without_the_mark(
    bench: AdapterHarness,
) -> None:
    message = "system.0.cache_control: Extra inputs are not permitted"
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    asked = prompt(Message("system", LONG), Message("user", "Tabs?"))
    _, problem = await bench.hear(refusing(400, error), ANSWER, asked=asked)
    assert problem is None
    assert bench.server.calls[-1].body["system"] == LONG


@pytest.mark.parametrize(
    ("messages", "system", "turns"),
    [
        ((Message("system", "Only rules."),), None, [("user", "Only rules.")]),
        (
            (Message("system", "One."), Message("user", "a"), Message("system", "Two.")),
            "One.\n\nTwo.",
            [("user", "a")],
        ),
        (
            (Message("user", "a"), Message("user", "b"), Message("assistant", "c")),
            None,
            [("user", "a\n\nb"), ("assistant", "c"), ("user", "Go on.")],
        ),
        ((Message("user", "a"), Message("assistant", " ")), None, [("user", "a")]),
        ((Message("user", "a\ud800b"),), None, [("user", "a\ufffdb")]),
    ],
)
async def test_turns_alternate_and_end_with_the_user(
    bench: AdapterHarness,
    messages: tuple[Message, ...],
    system: str | None,
    turns: list[tuple[str, str]],
) -> None:
    """New models reject a prompt that ends with the assistant (providers 1.1)."""
    body: dict[str, Any] = (await sent_by(bench, prompt(*messages))).body
    assert body.get("system") == system
    assert [(turn["role"], turn["content"]) for turn in body["messages"]] == turns
