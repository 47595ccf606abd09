"""The error taxonomy, row by row, without a connection."""

from typing import Any

import pytest

from bot.models.adapters.openai.chat import DROPPABLE
from bot.models.failures import error_from_event, error_from_response, holds_error
from bot.types.model_port import ErrorKind


def said(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


ROWS: list[tuple[ErrorKind, int, object]] = [
    (ErrorKind.RATE_LIMITED, 429, said("Slow down.")),
    (ErrorKind.RATE_LIMITED, 429, b""),
    (ErrorKind.RATE_LIMITED, 429, said("You exceeded your quota", status="RESOURCE_EXHAUSTED")),
    (ErrorKind.RATE_LIMITED, 429, said("Tokens a minute: the maximum context length is spent")),
    (ErrorKind.RATE_LIMITED, 403, said("Too many.", code="rate_limit_exceeded")),
    (ErrorKind.OUT_OF_MONEY, 402, said("Payment required.")),
    (ErrorKind.OUT_OF_MONEY, 429, said("Quota.", code="insufficient_quota")),
    (
        ErrorKind.OUT_OF_MONEY,
        429,
        said("x", details={"error_code": "enforced_spend_limit_reached"}),
    ),
    (ErrorKind.OUT_OF_MONEY, 400, said("You have reached your spend limit.")),
    (ErrorKind.OUT_OF_MONEY, 400, said("Your credit balance is too low for this.")),
    (ErrorKind.OUT_OF_MONEY, 432, b""),
    (ErrorKind.OUT_OF_MONEY, 433, b""),
    (ErrorKind.OVERLOADED, 529, b""),
    (ErrorKind.OVERLOADED, 503, {"error": "server busy"}),
    (ErrorKind.OVERLOADED, 500, said("Busy.", type="overloaded_error")),
    (ErrorKind.NETWORK, 500, said("Oops.")),
    (ErrorKind.NETWORK, 502, b"<html>Bad gateway</html>"),
    (ErrorKind.NETWORK, 504, b""),
    (ErrorKind.NETWORK, 520, b""),
    (ErrorKind.NETWORK, 408, b""),
    (ErrorKind.NETWORK, 409, b""),
    (ErrorKind.CONTEXT_EXCEEDED, 400, said("Too long.", code="context_length_exceeded")),
    (ErrorKind.CONTEXT_EXCEEDED, 400, said("This model's maximum context length is 8 tokens.")),
    (ErrorKind.CONTEXT_EXCEEDED, 400, said("prompt is too long: 9 tokens > 8 maximum")),
    (
        ErrorKind.CONTEXT_EXCEEDED,
        400,
        said("input length and `max_tokens` exceed context limit: 9 + 8 > 10"),
    ),
    (ErrorKind.CONTEXT_EXCEEDED, 400, said("max_tokens must be at least 1, got -186")),
    (ErrorKind.CONTEXT_EXCEEDED, 500, said("Context size has been exceeded.", type="server_error")),
    (
        ErrorKind.CONTEXT_EXCEEDED,
        400,
        said("request (9 tokens) exceeds the available context size (8 tokens)"),
    ),
    (ErrorKind.CONTEXT_EXCEEDED, 413, b""),
    (ErrorKind.UNSUPPORTED_PARAMETER, 400, said("Unsupported parameter: 'top_k'.")),
    (ErrorKind.UNSUPPORTED_PARAMETER, 400, said("temperature is deprecated for this model")),
    (ErrorKind.UNSUPPORTED_PARAMETER, 422, {"detail": [{"loc": ["body", "x"], "msg": "Extra"}]}),
    (ErrorKind.UNSUPPORTED_PARAMETER, 400, said("This model does not support that.")),
    (ErrorKind.UNSUPPORTED_PARAMETER, 400, b"nonsense"),
    (ErrorKind.REFUSED, 403, said("Flagged.", metadata={"reasons": ["violence"]})),
    (ErrorKind.REFUSED, 400, said("No.", code="content_filter")),
    (ErrorKind.REFUSED, 400, said("No.", code="invalid_prompt")),
    (ErrorKind.NOT_AUTHORISED, 401, b""),
    (ErrorKind.NOT_AUTHORISED, 403, said("Not for you.")),
    (ErrorKind.NOT_AUTHORISED, 404, said("The model `x` does not exist.", code="model_not_found")),
    (ErrorKind.NOT_AUTHORISED, 404, b"404 page not found"),
    (ErrorKind.NOT_AUTHORISED, 400, [said("API key not valid.", status="INVALID_ARGUMENT")]),
    (ErrorKind.NOT_AUTHORISED, 301, b""),
]


@pytest.mark.parametrize(("kind", "status", "body"), ROWS)
def test_every_signal_has_its_kind(kind: ErrorKind, status: int, body: object) -> None:
    """providers 1.2."""
    assert error_from_response(status, {}, body).kind is kind


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "7"}, b"", 7.0),
        ({"retry-after": "0.5"}, b"", 0.5),
        ({"Retry-After-Ms": "1500", "Retry-After": "9"}, b"", 1.5),
        (
            {
                "Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT",
                "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            b"",
            30.0,
        ),
        (
            {},
            said(
                "x",
                details=[
                    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}
                ],
            ),
            34.0,
        ),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT"}, b"", None),
        ({"Retry-After": "soon"}, b"", None),
        ({"Retry-After": "nan"}, b"", None),
        ({"Retry-After": "inf"}, b"", None),
        ({"Retry-After": "-3"}, b"", 0.0),
        ({}, b"", None),
    ],
)
def test_the_delay_a_server_asks_for_is_read(
    headers: dict[str, str], body: object, seconds: float | None
) -> None:
    assert error_from_response(429, headers, body).retry_after == seconds


def test_402_with_a_delay_means_wait() -> None:
    """OpenRouter's budget for calls in flight."""
    body = said("Wait.", metadata={"limit_source": "openrouter_in_flight_budget"})
    error = error_from_response(402, {"Retry-After": "3"}, body)
    assert (error.kind, error.retry_after) == (ErrorKind.RATE_LIMITED, 3.0)


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        (said("x", param="response_format"), "response_format"),
        (said("x", param="response_format.json_schema"), "response_format"),
        (said("Unsupported parameter: 'max_tokens' is not supported."), "max_tokens"),
        (said("structured output is not supported"), "response_format"),
        ({"detail": [{"loc": ["body", "stream_options"], "msg": "Extra"}]}, "stream_options"),
        (said("Unsupported parameter: 'top_k'."), None),
        (said("x", param="provider"), None),
    ],
)
def test_the_parameter_to_leave_out_is_found(body: object, parameter: str | None) -> None:
    error = error_from_response(400, {}, body, DROPPABLE)
    assert (error.kind, error.parameter) == (ErrorKind.UNSUPPORTED_PARAMETER, parameter)


def test_a_long_prompt_is_not_blamed_on_a_parameter() -> None:
    body = said("max_tokens is too large: the maximum context length is 8", param="max_tokens")
    error = error_from_response(400, {}, body, DROPPABLE)
    assert (error.kind, error.parameter) == (ErrorKind.CONTEXT_EXCEEDED, None)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 502, "message": "Upstream."}, ErrorKind.NETWORK),
        ({"code": "429", "message": "Slow down."}, ErrorKind.RATE_LIMITED),
        ({"code": 402, "message": "Wallet empty."}, ErrorKind.OUT_OF_MONEY),
        ({"type": "overloaded_error"}, ErrorKind.OVERLOADED),
        ({"code": "server_error"}, ErrorKind.NETWORK),
        ({"message": "maximum context length"}, ErrorKind.CONTEXT_EXCEEDED),
        ("just text", ErrorKind.NETWORK),
        ({}, ErrorKind.NETWORK),
    ],
)
def test_errors_inside_a_stream_have_the_same_kinds(error: object, kind: ErrorKind) -> None:
    assert error_from_event({"error": error}).kind is kind


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"error": {"message": "x"}}, True),
        ({"object": "error", "message": "x"}, True),
        ({"error": None, "choices": []}, False),
        ({"choices": []}, False),
        (None, False),
    ],
)
def test_an_error_among_chunks_is_recognised(event: object, expected: bool) -> None:
    assert holds_error(event) is expected


@pytest.mark.parametrize(
    "body", [b"\xff\xfe", b"[" * 100_000, b"[]", b"null", b"7", {"error": {"code": [], "param": 3}}]
)
def test_any_body_gives_an_error_and_never_a_crash(body: object) -> None:
    assert error_from_response(500, {}, body).kind is ErrorKind.NETWORK


def test_the_text_quotes_the_server_in_one_short_line() -> None:
    error = error_from_response(500, {}, said("line one\nline two \x1b[31m" + "long " * 200))
    assert str(error).startswith(
        "The provider failed; try again in a moment. (HTTP 500) It said: line one line two [31m"
    )
    assert len(str(error)) < 300


SECRET = "my-own-secret-value"
LEAKS = [
    f"Your key {SECRET} is bad",
    "Incorrect: sk-proj-abc123def456",
    "Incorrect: sk-ab****************wxyz",
    "Authorization: Bearer abcdef123456",
    "x-api-key=abcdef123456",
    "api key: abcdef123456",
    "see https://user:abcdef123456@host/path",
    "see https://host/path?key=abcdef123456",
    "AIzaabcdef123456",
    "abcdef123456" * 4,
]


@pytest.mark.parametrize("message", LEAKS)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_keys_and_links_never_reach_the_text(message: str, status: int) -> None:
    text = str(error_from_response(status, {}, said(message), secrets=[SECRET]))
    for leak in (SECRET, "abc", "wxyz", "://"):
        assert leak not in text


def test_a_key_at_the_edge_of_the_excerpt_is_not_half_shown() -> None:
    text = str(error_from_response(500, {}, said("word " * 38 + SECRET), secrets=[SECRET]))
    assert SECRET[:4] not in text
