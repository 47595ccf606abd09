"""The beginning that prompts share is marked for the provider's cache, over real HTTP."""

import json
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bot.models.adapters.openai.chat import request_body
from bot.models.adapters.openai.vendors import COMPATIBLE, VENDORS, Vendor
from bot.models.conversation import shortest_cached
from bot.prompting.templates import PromptBook
from bot.types.model_port import Message, ModelRequest, Prompt
from tests.models.adapter_harness import AdapterHarness, open_adapter
from tests.models.dialects import DIALECTS, MODEL, Dialect
from tests.models.replay_server import Reply, refusing
from tests.prompting.sample_texts import PROMPTS, VALUES, common_start

ANTHROPIC = next(dialect for dialect in DIALECTS if dialect.name == "anthropic")
SONNET, OPUS = "claude-sonnet-4-6", "claude-opus-4-6"
LONG = "Should we use tabs or spaces in this repository? " * 120
ANSWER = Reply(parts=ANTHROPIC.events("Tabs."))


def asked(prompt: Prompt, model: str = SONNET) -> ModelRequest:
    return ModelRequest(model, prompt, "r1:analyst", 10.0)


def rendered(book: PromptBook, role: str, topic: str = LONG, **values: str) -> Prompt:
    return book.render(
        "round1", VALUES["round1"] | {"PROMPT": topic, "ROLE": role} | values, "rt_1"
    )


async def content_sent(bench: AdapterHarness, request: ModelRequest) -> Any:
    _, error = await bench.hear(ANSWER, asked=request)
    assert error is None
    return bench.server.calls[-1].body["messages"][0]["content"]


async def test_seats_of_a_round_send_the_same_marked_beginning(tls: ssl.SSLContext) -> None:
    """providers 1.1: the shared prefix is cached, the seat's own words stand after it."""
    book = PromptBook.load(PROMPTS)
    async with open_adapter(ANTHROPIC, tls) as bench:
        first, second = [
            await content_sent(bench, asked(rendered(book, role)))
            for role in ("Advocate", "Critic")
        ]
    assert [("cache_control" in block) for block in first] == [True, True, False]
    assert first[:2] == second[:2]
    assert "Advocate" in first[2]["text"]
    assert "Advocate" not in "".join(block["text"] for block in first[:2])
    prompt = rendered(book, "Advocate")
    assert "".join(block["text"] for block in first) == prompt.messages[1].text


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@pytest.mark.parametrize("template", ["round1", "round2-cross-critique"])
async def test_on_every_wire_seats_begin_alike(
    dialect: Dialect, template: str, tls: ssl.SSLContext
) -> None:
    """providers 1.1: OpenAI and Gemini find shared beginnings by themselves, if there are any."""
    book, shared = PromptBook.load(PROMPTS), {"PROMPT": LONG, "FLOOR": "Said in the thread."}
    shared |= {"CURRENT_CONTEXT": "Found."} if template == "round1" else {"ROLLING_SUMMARY": "Old."}
    seats = [VALUES[template] | shared | {"ROLE": role} for role in ("Advocate", "Critic")]
    if template != "round1":
        seats = [seat | {"PEER_DIGESTS": f"From {seat['ROLE']}'s side."} for seat in seats]
    prompts = [book.render(template, seat, "rt_1") for seat in seats]
    async with open_adapter(dialect, tls) as bench:
        for prompt in prompts:
            _, error = await bench.hear(
                Reply(parts=dialect.events("Tabs.")), asked=asked(prompt, MODEL)
            )
            assert error is None
        sent = ["\n".join(texts_in(call.body)) for call in bench.server.calls]
    common = common_start(*sent)
    assert common.startswith(prompts[0].messages[0].text)
    assert [text for text in shared.values() if text.strip() not in common] == []
    assert "Round 1 / 1." in common


def texts_in(body: Mapping[str, Any]) -> Iterator[str]:
    """What a model reads of a request, in its order: the rules, then the turns."""
    said = [body.get(name) for name in ("instructions", "system", "systemInstruction")]
    said += [body.get(name) for name in ("messages", "input", "contents")]
    while said:
        part = said.pop(0)
        if isinstance(part, str):
            yield part
        elif isinstance(part, list):
            said[:0] = part
        elif isinstance(part, dict):
            said[:0] = [part.get(name) for name in ("content", "parts", "text")]


async def test_rounds_of_a_run_share_the_beginning_of_the_run(tls: ssl.SSLContext) -> None:
    book = PromptBook.load(PROMPTS)
    async with open_adapter(ANTHROPIC, tls) as bench:
        one = await content_sent(bench, asked(rendered(book, "Critic", ROUND="1")))
        two = await content_sent(bench, asked(rendered(book, "Critic", ROUND="2", FLOOR="Hm.")))
    assert one[0] == two[0]
    assert one[1] != two[1]


@pytest.mark.parametrize(("model", "topic"), [(SONNET, "Tabs or spaces?"), (OPUS, LONG)])
async def test_a_beginning_too_short_for_the_model_is_not_marked(
    tls: ssl.SSLContext, model: str, topic: str
) -> None:
    prompt = rendered(PromptBook.load(PROMPTS), "Critic", topic)
    async with open_adapter(ANTHROPIC, tls) as bench:
        assert await content_sent(bench, asked(prompt, model)) == prompt.messages[1].text


async def test_a_server_that_knows_no_marks_gets_none(tls: ssl.SSLContext) -> None:
    message = "messages.0.content.0.text.cache_control: Extra inputs are not permitted"
    error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    prompt = rendered(PromptBook.load(PROMPTS), "Critic")
    async with open_adapter(ANTHROPIC, tls) as bench:
        _, problem = await bench.hear(refusing(400, error), ANSWER, asked=asked(prompt))
        assert problem is None
        marked = ["cache_control" in json.dumps(call.body) for call in bench.server.calls]
    assert marked == [True, False]


@pytest.mark.parametrize(
    ("model", "vendor", "marked"),
    [
        ("anthropic/claude-sonnet-4.6", VENDORS["openrouter"], True),
        ("openai/gpt-5.3-codex", VENDORS["openrouter"], False),
        ("anthropic/claude-sonnet-4.6", COMPATIBLE, False),
    ],
)
def test_openrouter_passes_the_marks_on_to_claude_alone(
    model: str, vendor: Vendor, marked: bool
) -> None:
    prompt = rendered(PromptBook.load(PROMPTS), "Critic")
    body = request_body(asked(prompt, model), True, vendor=vendor)
    assert ("cache_control" in json.dumps(body)) is marked


def test_half_a_character_does_not_keep_a_prompt_from_being_marked() -> None:
    half = Prompt("round1", {}, (Message("system", "\ud800"), Message("user", f"\udc00{LONG}")))
    body = request_body(
        asked(half, "anthropic/claude-sonnet-4.6"), True, vendor=VENDORS["openrouter"]
    )
    assert "\\ud" not in json.dumps(body["messages"])


@pytest.mark.parametrize(
    ("model", "least"),
    [
        ("claude-opus-4-6", 4096),
        ("anthropic/claude-haiku-4.5", 4096),
        ("claude-opus-4-7", 2048),
        ("claude-sonnet-4-6", 1024),
        ("claude-opus-4-1", 1024),
    ],
)
def test_models_keep_beginnings_from_different_lengths_on(model: str, least: int) -> None:
    assert shortest_cached(model) == least
