"""What the adapter makes of what the Gemini API says."""

from typing import Any

import pytest

from bot.types.model_port import Delta, ErrorKind, Finished, Started, Usage
from tests.models.adapter_harness import AdapterHarness, streamed
from tests.models.dialects import Gemini, event
from tests.models.replay_server import refusing, whole

DIALECT = Gemini()
RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}


def chunk(finish: str = "", *parts: dict[str, Any], **more: Any) -> bytes:
    candidate = {"content": {"parts": list(parts)}, "finishReason": finish}
    return event({"candidates": [candidate], **more})


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("STOP", "stop"),
        ("SOMETHING_NEW", "stop"),
        ("MAX_TOKENS", "length"),
        ("CONTINUATION", "length"),
    ],
)
async def test_an_answer_that_ended_is_finished(
    bench: AdapterHarness, finish: str, reason: str
) -> None:
    heard, error = await bench.hear(streamed(chunk("", {"text": "Yes."}), chunk(finish)))
    assert error is None
    assert isinstance(heard[-1], Finished)
    assert heard[-1].reason == reason


@pytest.mark.parametrize(
    ("finish", "kind"),
    [
        ("SAFETY", ErrorKind.REFUSED),
        ("RECITATION", ErrorKind.REFUSED),
        ("PROHIBITED_CONTENT", ErrorKind.REFUSED),
        ("SPII", ErrorKind.REFUSED),
        ("BLOCKLIST", ErrorKind.REFUSED),
        ("LANGUAGE", ErrorKind.REFUSED),
        ("OTHER", ErrorKind.BAD_OUTPUT),
        ("MALFORMED_RESPONSE", ErrorKind.BAD_OUTPUT),
        ("MALFORMED_FUNCTION_CALL", ErrorKind.BAD_OUTPUT),
        ("UNEXPECTED_TOOL_CALL", ErrorKind.BAD_OUTPUT),
        ("FINISH_REASON_UNSPECIFIED", ErrorKind.NETWORK),
    ],
)
async def test_an_ending_that_is_no_answer_fails(
    bench: AdapterHarness, finish: str, kind: ErrorKind
) -> None:
    error = await bench.failure(streamed(chunk("", {"text": "I"}), chunk(finish)))
    assert error.kind is kind


async def test_a_blocked_prompt_is_a_refusal_that_tells_what_it_used(bench: AdapterHarness) -> None:
    blocked = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 9},
    }
    heard, error = await bench.hear(streamed(event(blocked)))
    assert error is not None
    assert error.kind is ErrorKind.REFUSED
    assert heard == [Usage(9, 0)]


async def test_feedback_without_a_block_is_none(bench: AdapterHarness) -> None:
    feedback = {"safetyRatings": [], "blockReason": "BLOCK_REASON_UNSPECIFIED"}
    begun = chunk("STOP", {"text": "Yes."}, promptFeedback=feedback)
    assert await bench.text(streamed(begun)) == "Yes."


async def test_thoughts_between_parts_are_left_out(bench: AdapterHarness) -> None:
    thought = {"text": "Hm.", "thought": True}
    parts: list[dict[str, Any]] = [{"text": "a"}, thought, {"text": "b"}, {"inlineData": {}}]
    assert await bench.text(streamed(chunk("STOP", *parts))) == "ab"


async def test_thinking_is_paid_for_as_output(bench: AdapterHarness) -> None:
    used = {
        "promptTokenCount": 10,
        "toolUsePromptTokenCount": 2,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 40,
        "cachedContentTokenCount": 6,
    }
    heard, _ = await bench.hear(streamed(chunk("STOP", {"text": "Yes."}, usageMetadata=used)))
    assert Usage(12, 43, cached_tokens=6, reasoning_tokens=40) in heard


async def test_an_output_used_up_by_thinking_is_told_as_such(bench: AdapterHarness) -> None:
    error = await bench.failure(streamed(*DIALECT.events(thought="Hm.", ending="length")))
    assert error.kind is ErrorKind.BAD_OUTPUT
    assert "more output" in str(error)


async def test_the_last_of_several_usages_counts_once(bench: AdapterHarness) -> None:
    heard, _ = await bench.hear(streamed(*DIALECT.events("a", "b", "c")))
    used = Usage(9, 5, cached_tokens=4, reasoning_tokens=2)
    assert [one for one in heard if isinstance(one, Usage)] == [used]


async def test_a_stream_that_names_no_model_was_answered_by_the_one_asked(
    bench: AdapterHarness,
) -> None:
    heard, _ = await bench.hear(streamed(chunk("STOP", {"text": "Yes."})))
    assert heard == [Started("model-1"), Delta("Yes."), Finished("stop")]


async def test_text_after_a_finish_still_counts(bench: AdapterHarness) -> None:
    """Older models put the finish into every chunk."""
    said = [chunk("STOP", {"text": "a"}), chunk("STOP", {"text": "b"})]
    assert await bench.text(streamed(*said)) == "ab"


async def test_a_server_that_ignores_alt_is_read_whole(bench: AdapterHarness) -> None:
    candidate = {"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP"}
    heard, error = await bench.hear(whole({"candidates": [candidate], "modelVersion": "other"}))
    assert error is None
    assert heard == [Started("other"), Delta("Yes."), Finished("stop")]


async def test_the_delay_in_the_details_of_a_limit_is_passed_on(bench: AdapterHarness) -> None:
    error = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "x", "details": [RETRY_INFO]}
    failure = await bench.failure(refusing(429, {"error": error}))
    assert (failure.kind, failure.retry_after) == (ErrorKind.RATE_LIMITED, 34.5)


async def test_an_error_in_a_list_is_read_too(bench: AdapterHarness) -> None:
    error = {"code": 503, "status": "UNAVAILABLE", "message": "Busy."}
    assert (await bench.failure(refusing(503, [{"error": error}]))).kind is ErrorKind.OVERLOADED


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (
            400,
            {"status": "INVALID_ARGUMENT", "message": "API key not valid."},
            ErrorKind.NOT_AUTHORISED,
        ),
        (403, {"status": "PERMISSION_DENIED", "message": "x"}, ErrorKind.NOT_AUTHORISED),
        (
            404,
            {"status": "NOT_FOUND", "message": "models/x is not found or is not supported"},
            ErrorKind.NOT_AUTHORISED,
        ),
        (500, {"status": "INTERNAL", "message": "x"}, ErrorKind.NETWORK),
        (504, {"status": "DEADLINE_EXCEEDED", "message": "x"}, ErrorKind.NETWORK),
        (400, {"status": "INVALID_ARGUMENT", "message": "x"}, ErrorKind.UNSUPPORTED_PARAMETER),
    ],
)
async def test_an_error_of_the_api_has_its_kind(
    bench: AdapterHarness, status: int, error: dict[str, Any], kind: ErrorKind
) -> None:
    """providers 1.2."""
    failure = await bench.failure(refusing(status, {"error": {"code": status, **error}}))
    assert failure.kind is kind
