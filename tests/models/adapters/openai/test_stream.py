"""What a port makes of every way a server can send an answer."""

import json

import pytest

from bot.models.adapters.openai import OpenAIPort
from bot.types.model_port import Delta, Finished, Started, Usage
from tests.models.adapters.openai.conftest import events_of, request, text_of
from tests.models.scripted_port import joined
from tests.support.model_server import ModelServer, Script

CHUNKS = (
    {"model": "m", "choices": [{"delta": {"content": "Añ😀"}}]},
    {"choices": [{"delta": {"content": "\u2028z"}, "finish_reason": "stop"}]},
)
SHORT = "Añ😀\u2028z"


def wire(line_end: str) -> bytes:
    lines = [":", *(f"data: {json.dumps(c, ensure_ascii=False)}" for c in CHUNKS)]
    return "".join(f"{line}{line_end * 2}" for line in [*lines, "data: [DONE]"]).encode()


async def test_an_answer_is_started_told_counted_and_finished(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(pieces=["Use ", "tabs."]))
    assert joined(await events_of(port)) == [
        Started("model"),
        Delta("Use tabs."),
        Usage(6, 3),
        Finished("stop"),
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
async def test_a_stream_may_be_cut_at_any_byte(
    server: ModelServer, port: OpenAIPort, line_end: str
) -> None:
    """Also inside a character of several bytes and between CR and LF."""
    stream = wire(line_end)
    positions = range(1, len(stream))
    server.script("model", *(Script(raw=stream, cuts=[cut]) for cut in positions))
    for position in positions:
        assert await text_of(port) == SHORT, f"cut at byte {position}"


async def test_a_stream_may_come_byte_by_byte(server: ModelServer, port: OpenAIPort) -> None:
    stream = wire("\r\n")
    server.script("model", Script(raw=stream, cuts=range(len(stream))))
    assert await text_of(port) == SHORT


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
async def test_separators_that_end_lines_elsewhere_stay_in_the_text(
    server: ModelServer, port: OpenAIPort, separator: str
) -> None:
    server.script("model", Script(pieces=[f"one{separator}two"]))
    assert await text_of(port) == f"one{separator}two"


async def test_a_character_cut_in_two_halves_is_put_together(
    server: ModelServer, port: OpenAIPort
) -> None:
    halves = [{"choices": [{"delta": {"content": half}}]} for half in ("a\ud83d", "\ude00b")]
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in [*halves, end])
    server.script("model", Script(raw=lines.encode()))
    assert await text_of(port) == "a😀b"


async def test_half_a_character_at_the_end_becomes_a_replacement(
    server: ModelServer, port: OpenAIPort
) -> None:
    chunk = {"choices": [{"delta": {"content": "a\ud83d"}, "finish_reason": "stop"}]}
    server.script("model", Script(raw=f"data: {json.dumps(chunk)}\n\n".encode()))
    assert await text_of(port) == "a\ufffd"


async def test_the_model_that_really_answered_is_named(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(model="another/model"))
    assert (await events_of(port))[0] == Started("another/model")


async def test_a_stream_that_names_no_model_was_answered_by_the_one_asked(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(model=""))
    assert (await events_of(port))[0] == Started("model")


async def test_an_empty_first_chunk_leaves_the_name_to_the_next(
    server: ModelServer, port: OpenAIPort
) -> None:
    stream = b'data: {"model": "", "choices": []}\n\n' + wire("\n")
    server.script("model", Script(raw=stream))
    assert (await events_of(port))[0] == Started("m")


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        (0.0125, 0.0125),
        (0, 0.0),
        ("0.5", 0.5),
        ({"total": 0.25, "input": 0.2, "output": 0.05}, 0.25),
        ({"input": 0.2}, None),
        (None, None),
        (True, None),
        (-1, None),
        ("free", None),
    ],
)
async def test_cost_is_read_as_number_or_object_and_is_else_unknown(
    server: ModelServer, port: OpenAIPort, cost: object, expected: float | None
) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "cost": cost}
    server.script("model", Script(usage=usage))
    assert Usage(9, 4, cost_usd=expected) in await events_of(port)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 6}}, 0),
        ({"prompt_tokens_details": {"cached_tokens": 6, "cache_write_tokens": 2}}, 2),
        ({"prompt_cache_hit_tokens": 6, "prompt_cache_miss_tokens": 3}, 0),
        ({"cached_tokens": 6, "prompt_tokens_details": None}, 0),
    ],
)
async def test_cached_tokens_are_counted(
    server: ModelServer, port: OpenAIPort, said: dict[str, object], kept: int
) -> None:
    """OpenAI, OpenRouter, DeepSeek and Moonshot each have their own word for them."""
    usage = {"prompt_tokens": 9, "completion_tokens": 4, **said}
    server.script("model", Script(usage=usage))
    assert Usage(9, 4, cached_tokens=6, kept_tokens=kept) in await events_of(port)


async def test_without_usage_none_is_made_up(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(usage=False))
    assert not [event for event in await events_of(port) if isinstance(event, Usage)]


async def test_the_last_of_several_usages_counts(server: ModelServer, port: OpenAIPort) -> None:
    chunks = [
        {"choices": [{"delta": {"content": "a"}}], "usage": {"prompt_tokens": 3}},
        {"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": None},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 1}},
    ]
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    server.script("model", Script(raw=lines.encode()))
    assert [e for e in await events_of(port) if isinstance(e, Usage)] == [Usage(3, 1)]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [("stop", "stop"), ("length", "length"), ("max_tokens", "length"), ("eos", "stop")],
)
async def test_the_end_says_whether_the_answer_was_cut_short(
    server: ModelServer, port: OpenAIPort, finish: str, reason: str
) -> None:
    server.script("model", Script(finish=finish))
    last = (await events_of(port))[-1]
    assert isinstance(last, Finished)
    assert last.reason == reason


async def test_a_stream_needs_no_done_after_its_finish(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(done=False))
    assert await text_of(port) == "Hello."


async def test_a_server_that_ignores_stream_is_read_whole(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(text="Whole.", whole=True, model="other", cost=0.5))
    assert await events_of(port) == [
        Started("other"),
        Delta("Whole."),
        Usage(6, 2, cost_usd=0.5),
        Finished("stop"),
    ]


async def test_a_whole_answer_needs_no_finish_reason(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(text="Whole.", whole=True, finish=None))
    assert (await events_of(port))[-1] == Finished("stop")


async def test_content_in_parts_is_joined(server: ModelServer, port: OpenAIPort) -> None:
    parts = [{"type": "thinking"}, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    chunk = {"choices": [{"delta": {"content": parts}, "finish_reason": "stop"}]}
    server.script("model", Script(raw=f"data: {json.dumps(chunk)}\n\n".encode()))
    assert await text_of(port) == "ab"


async def test_thoughts_are_not_part_of_the_answer(server: ModelServer, port: OpenAIPort) -> None:
    chunks = [
        {"choices": [{"delta": {"reasoning": "Hm."}}]},
        {"choices": [{"delta": {"reasoning_content": "Hm!"}}]},
        {"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]},
    ]
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    server.script("model", Script(raw=lines.encode()))
    assert await text_of(port) == "Yes."


async def test_connections_are_kept_for_the_next_call(
    server: ModelServer, port: OpenAIPort
) -> None:
    for _ in range(3):
        await events_of(port, request())
    peers = {call.peer for call in server.calls}
    assert len(peers) == 1
