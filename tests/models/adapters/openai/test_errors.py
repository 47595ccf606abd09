"""How calls fail over a real connection."""

import pytest
from pydantic import SecretStr

from bot.models.adapters.openai import OpenAIPort
from bot.types.model_port import Delta, ErrorKind, Usage
from tests.models.adapters.openai.conftest import KEY, MakePort, error_of, events_of, until_error
from tests.models.test_failures import ROWS
from tests.support.model_server import ModelServer, Script


@pytest.mark.parametrize(("kind", "status", "body"), ROWS)
async def test_an_http_error_has_its_kind(
    server: ModelServer, port: OpenAIPort, kind: ErrorKind, status: int, body: object
) -> None:
    """providers 1.2."""
    server.script("model", Script(status=status, body=body))
    assert (await error_of(port)).kind is kind


async def test_the_delay_of_a_limit_is_passed_on(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(status=429, headers={"Retry-After": "90"}))
    assert (await error_of(port)).retry_after == 90.0


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 402, "message": "Wallet empty."}, ErrorKind.OUT_OF_MONEY),
        ({"type": "overloaded_error", "message": "Busy."}, ErrorKind.OVERLOADED),
        ({"message": "Something."}, ErrorKind.NETWORK),
    ],
)
@pytest.mark.parametrize("after", [0, 2])
async def test_an_error_inside_the_stream_ends_it(
    server: ModelServer, port: OpenAIPort, error: dict[str, object], kind: ErrorKind, after: int
) -> None:
    server.script("model", Script(text="A long answer.", trouble="error", error=error, after=after))
    assert (await error_of(port)).kind is kind


@pytest.mark.parametrize(
    "chunk",
    [
        b'{"choices": [{"delta": {}, "finish_reason": "error"}]}',
        b'{"choices": [{"error": {"code": 502, "message": "x"}, "finish_reason": "error"}]}',
        b'{"object": "error", "message": "x"}',
        b'{"choices": [{"delta": {}, "finish_reason": "abort"}]}',
        b"not json",
        b"[]",
    ],
)
async def test_a_chunk_that_reports_or_is_a_failure_is_one(
    server: ModelServer, port: OpenAIPort, chunk: bytes
) -> None:
    server.script("model", Script(raw=b"data: " + chunk + b"\n\ndata: [DONE]\n\n"))
    assert (await error_of(port)).kind is ErrorKind.NETWORK


async def test_an_event_called_error_is_one(server: ModelServer, port: OpenAIPort) -> None:
    raw = b'event: error\ndata: {"message": "Busy.", "type": "overloaded_error"}\n\n'
    server.script("model", Script(raw=raw))
    assert (await error_of(port)).kind is ErrorKind.OVERLOADED


async def test_a_stream_without_a_finish_failed(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(text="A long answer.", trouble="cut", after=2))
    assert (await error_of(port)).kind is ErrorKind.NETWORK


async def test_done_alone_is_no_finish(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(finish=None))
    assert (await error_of(port)).kind is ErrorKind.NETWORK


@pytest.mark.parametrize("after", [-1, 0, 2])
async def test_a_reset_is_a_network_error(
    server: ModelServer, port: OpenAIPort, after: int
) -> None:
    server.script("model", Script(text="A long answer.", trouble="reset", after=after))
    assert (await error_of(port)).kind is ErrorKind.NETWORK


async def test_a_server_that_is_not_there_is_a_network_error(make_port: MakePort) -> None:
    async with ModelServer() as gone:
        url = gone.url
    assert (await error_of(make_port(base_url=url))).kind is ErrorKind.NETWORK


@pytest.mark.parametrize("script", [Script(finish="content_filter"), Script(refusal="I can't.")])
async def test_a_model_that_declines_refused(
    server: ModelServer, port: OpenAIPort, script: Script
) -> None:
    server.script("model", script)
    assert (await error_of(port)).kind is ErrorKind.REFUSED


async def test_a_whole_answer_may_refuse_too(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(whole=True, refusal="I can't."))
    assert (await error_of(port)).kind is ErrorKind.REFUSED


@pytest.mark.parametrize(
    "script",
    [Script(finish="tool_calls"), Script(text=""), Script(text=" \n"), Script(text="", whole=True)],
)
async def test_no_usable_text_is_bad_output(
    server: ModelServer, port: OpenAIPort, script: Script
) -> None:
    server.script("model", script)
    assert (await error_of(port)).kind is ErrorKind.BAD_OUTPUT


async def test_an_empty_answer_still_tells_what_it_used(
    server: ModelServer, port: OpenAIPort
) -> None:
    """Thinking that used up the output was paid for."""
    server.script("model", Script(text="", finish="length", cost=0.5))
    heard, error = await until_error(port)
    assert "more output" in str(error)
    assert [event.cost_usd for event in heard if isinstance(event, Usage)] == [0.5]


async def test_a_whole_error_object_with_200_is_an_error(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(body={"error": {"code": 402, "message": "Wallet empty."}}))
    assert (await error_of(port)).kind is ErrorKind.OUT_OF_MONEY


async def test_a_web_page_instead_of_an_api_is_a_wrong_address(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(body="<html>Welcome</html>"))
    error = await error_of(port)
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert "baseUrl" in str(error)


async def test_what_came_before_a_failure_was_told(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(pieces=["One ", "two"], trouble="cut", after=1))
    heard, _ = await until_error(port)
    assert heard[-1] == Delta("One ")


@pytest.mark.parametrize("key", ["sk-with\nnewline", "sk-ünïcode", "sk-with\x00nul"])
async def test_a_key_no_header_can_hold_is_named_as_the_problem(
    make_port: MakePort, key: str
) -> None:
    error = await error_of(make_port(api_key=SecretStr(key)))
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert "sk-" not in str(error)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
async def test_an_error_never_shows_the_key(
    server: ModelServer, port: OpenAIPort, status: int
) -> None:
    echo = f"Authorization: Bearer {KEY} was sent to {server.url}?key={KEY}"
    server.script("model", Script(status=status, body={"error": {"message": echo}}))
    error = await error_of(port)
    for leak in (KEY, KEY[:8], "Bearer", "://", server.url):
        assert leak not in f"{error} {error!r} {error.args}"


async def test_an_error_inside_a_stream_never_shows_the_key(
    server: ModelServer, port: OpenAIPort
) -> None:
    server.script("model", Script(trouble="error", error={"message": f"Bad key {KEY}"}))
    assert KEY not in str(await error_of(port))


async def test_a_broken_connection_hides_what_httpx_knew(
    server: ModelServer, port: OpenAIPort
) -> None:
    """The original holds the request and with it the key."""
    server.script("model", Script(trouble="reset", after=-1))
    error = await error_of(port)
    assert error.__cause__ is None
    assert error.__suppress_context__


async def test_a_call_after_a_failure_works(server: ModelServer, port: OpenAIPort) -> None:
    server.script("model", Script(trouble="reset", after=0), Script(status=503), Script())
    for _ in range(2):
        await error_of(port)
    assert len(await events_of(port)) > 2
