"""What the adapter makes of what the Messages API says."""

import pytest

from bot.types.model_port import Delta, ErrorKind, Finished, Started, Usage
from tests.models.adapter_harness import AdapterHarness, streamed
from tests.models.dialects import Anthropic, event
from tests.models.replay_server import refusing, whole

MOST_TOKENS = 10_000_000

DIALECT = Anthropic()


def ended_by(reason: str) -> bytes:
    end = {"type": "message_delta", "delta": {"stop_reason": reason}}
    return event({**end, "usage": {"output_tokens": 5}}, "message_delta")


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("something_new", "stop"),
        ("max_tokens", "length"),
    ],
)
async def test_an_answer_that_ended_is_finished(
    bench: AdapterHarness, reason: str, finish: str
) -> None:
    heard, error = await bench.hear(
        streamed(*DIALECT.events("Yes.", ending="none"), ended_by(reason))
    )
    assert error is None
    assert isinstance(heard[-1], Finished)
    assert heard[-1].reason == finish


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("refusal", ErrorKind.REFUSED),
        ("model_context_window_exceeded", ErrorKind.CONTEXT_EXCEEDED),
        ("tool_use", ErrorKind.BAD_OUTPUT),
        ("pause_turn", ErrorKind.BAD_OUTPUT),
    ],
)
async def test_an_ending_that_is_no_answer_fails_after_telling_what_it_used(
    bench: AdapterHarness, reason: str, kind: ErrorKind
) -> None:
    heard, error = await bench.hear(streamed(*DIALECT.events("I", ending="none"), ended_by(reason)))
    assert error is not None
    assert error.kind is kind
    assert heard[-1] == Usage(9, 5, cached_tokens=4, kept_tokens=2)


async def test_an_output_used_up_by_thinking_is_told_as_such(bench: AdapterHarness) -> None:
    error = await bench.failure(streamed(*DIALECT.events(thought="Hm.", ending="length")))
    assert error.kind is ErrorKind.BAD_OUTPUT
    assert "more output" in str(error)


async def test_text_that_comes_with_the_start_of_a_block_counts(bench: AdapterHarness) -> None:
    block = {"type": "content_block_start", "content_block": {"type": "text", "text": "Well, "}}
    end = DIALECT.events("yes.")[2:]
    assert await bench.text(streamed(event(block, "content_block_start"), *end)) == "Well, yes."


async def test_a_stream_without_a_start_was_answered_by_the_model_asked(
    bench: AdapterHarness,
) -> None:
    heard, _ = await bench.hear(streamed(*DIALECT.events("Yes.")[1:]))
    assert heard[0] == Started("model-1")


async def test_an_answer_needs_no_message_stop_after_its_stop_reason(bench: AdapterHarness) -> None:
    assert await bench.text(streamed(*DIALECT.events("Yes.")[:-1])) == "Yes."


async def test_a_done_mark_of_a_router_does_no_harm(bench: AdapterHarness) -> None:
    assert await bench.text(streamed(*DIALECT.events("Yes."), b"data: [DONE]\n\n")) == "Yes."


async def test_unknown_events_are_passed_over(bench: AdapterHarness) -> None:
    news = event({"type": "news", "delta": {"text": "x"}}, "news")
    assert await bench.text(streamed(news, *DIALECT.events("Yes."))) == "Yes."


async def test_an_event_is_known_by_its_name_when_its_data_has_no_type(
    bench: AdapterHarness,
) -> None:
    delta = {"delta": {"type": "text_delta", "text": "Well, "}}
    begun = streamed(event(delta, "content_block_delta"), *DIALECT.events("yes."))
    assert await bench.text(begun) == "Well, yes."


@pytest.mark.parametrize("usage", [None, [], {"input_tokens": None}, "many"])
async def test_without_usage_none_is_made_up(bench: AdapterHarness, usage: object) -> None:
    answer = {"content": [{"type": "text", "text": "Yes."}], "usage": usage}
    heard, _ = await bench.hear(whole(answer))
    assert not [one for one in heard if isinstance(one, Usage)]


@pytest.mark.parametrize("nonsense", [-3, True, "many", float("nan"), {}])
async def test_a_count_that_is_no_number_is_nothing(
    bench: AdapterHarness, nonsense: object
) -> None:
    usage = {"input_tokens": nonsense, "output_tokens": 10**30}
    answer = {"content": [{"type": "text", "text": "Yes."}], "usage": usage}
    heard, _ = await bench.hear(whole(answer))
    assert Usage(0, MOST_TOKENS) in heard
    assert [one.odd for one in heard if isinstance(one, Usage)] == [True]


async def test_a_server_that_ignores_stream_is_read_whole(bench: AdapterHarness) -> None:
    blocks = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Yes."}]
    usage = {"input_tokens": 3, "output_tokens": 2}
    answer = {"model": "other", "content": blocks, "stop_reason": "end_turn", "usage": usage}
    heard, error = await bench.hear(whole(answer))
    assert error is None
    assert heard == [Started("other"), Delta("Yes."), Usage(3, 2), Finished("stop")]


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (400, {"type": "x", "message": "Your credit balance is too low."}, ErrorKind.OUT_OF_MONEY),
        (400, {"type": "x", "message": "You reached your spend limit."}, ErrorKind.OUT_OF_MONEY),
        (
            429,
            {"type": "x", "details": {"error_code": "enforced_spend_limit_reached"}},
            ErrorKind.OUT_OF_MONEY,
        ),
        (413, {"type": "request_too_large", "message": "x"}, ErrorKind.CONTEXT_EXCEEDED),
        (401, {"type": "authentication_error", "message": "x"}, ErrorKind.NOT_AUTHORISED),
        (404, {"type": "not_found_error", "message": "model: x"}, ErrorKind.NOT_AUTHORISED),
        (400, {"type": "invalid_request_error", "message": "x"}, ErrorKind.UNSUPPORTED_PARAMETER),
    ],
)
async def test_an_error_of_the_api_has_its_kind(
    bench: AdapterHarness, status: int, error: object, kind: ErrorKind
) -> None:
    """providers 1.2."""
    failure = await bench.failure(refusing(status, {"type": "error", "error": error}))
    assert failure.kind is kind
