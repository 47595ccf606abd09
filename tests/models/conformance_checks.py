"""What every adapter must make of each fault."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from bot.models.retry import RetryingPort
from bot.models.sse import WaitLimits
from bot.types.model_port import Delta, ErrorKind, Finished, ModelError, ModelEvent, Started, Usage
from tests.models.adapter_harness import SCHEMA, AdapterHarness, Check, streamed
from tests.models.dialects import ANSWERED, KEY, Dialect, request
from tests.models.replay_server import Reply, cut, refusing
from tests.models.scripted_port import FakeTime, joined

NEVER_BEGUN = WaitLimits(first_token=0.15)
ONCE_BEGUN = WaitLimits(first_token=5.0, silence=0.15, tail=0.1)
UNHURRIED = WaitLimits(first_token=5.0, silence=1.0)
STRIDES = (7, 64)
SEPARATORS = "one\u2028two\u2029three\u0085four\x0b\x0c\x1cfive"
SHORT = ("Añ😀", "\u2028z")


async def whole_answer(bench: AdapterHarness) -> None:
    heard, error = await bench.hear(streamed(*bench.dialect.events("Use ", "tabs.")))
    assert error is None, f"failed: {error}"
    assert joined(heard) == [
        Started(ANSWERED),
        Delta("Use tabs."),
        Usage(
            9,
            5,
            cached_tokens=4,
            reasoning_tokens=bench.dialect.reasoning_tokens,
            kept_tokens=bench.dialect.kept_tokens,
        ),
        Finished("stop"),
    ]


def cut_everywhere(line_end: str) -> Check:
    """Combs of cuts, shifted until every byte was a boundary, in small chunks and in large ones."""

    async def check(bench: AdapterHarness) -> None:
        stream = bench.dialect.stream(*SHORT, line_end=line_end)
        combs = [(first, stride) for stride in STRIDES for first in range(1, stride + 1)]
        for first, stride in combs:
            said = await bench.text(cut(stream, *range(first, len(stream), stride)))
            assert said == "".join(SHORT), f"cut every {stride} bytes from {first}"

    return check


def byte_by_byte(line_end: str) -> Check:
    async def check(bench: AdapterHarness) -> None:
        stream = bench.dialect.stream(*SHORT, line_end=line_end)
        assert await bench.text(cut(stream, *range(len(stream)))) == "".join(SHORT)

    return check


async def separators(bench: AdapterHarness) -> None:
    assert await bench.text(streamed(*bench.dialect.events(SEPARATORS))) == SEPARATORS


async def slow_tokens(bench: AdapterHarness) -> None:
    """The answer takes longer than the silence allowed, but is never silent that long."""
    events = bench.dialect.events(*["word "] * 22)
    said = await bench.text(Reply(parts=events, pause=0.05), limits=UNHURRIED)
    assert said == "word " * 22


async def thoughts(bench: AdapterHarness) -> None:
    said = await bench.text(streamed(*bench.dialect.events("Yes.", thought="Hm.")))
    assert said == "Yes."


async def thoughts_are_life(bench: AdapterHarness) -> None:
    thinking = bench.dialect.events("x", thought="Hm.", ending="none")[:-1]
    error = await bench.failure(Reply(parts=thinking, end="hang"), limits=ONCE_BEGUN)
    assert error.kind is ErrorKind.TIMEOUT
    assert "stopped writing" in str(error)


async def cut_short(bench: AdapterHarness) -> None:
    heard, error = await bench.hear(streamed(*bench.dialect.events("Half", ending="length")))
    assert (error, heard[-1]) == (None, Finished("length"))


def never_answers(after: int, beating: bool) -> Check:
    async def check(bench: AdapterHarness) -> None:
        begun = bench.dialect.events("word", ending="none") if after else []
        beat = bench.dialect.keep_alive if beating else b""
        limits = ONCE_BEGUN if after else NEVER_BEGUN
        error = await bench.failure(Reply(parts=begun, end="hang", beat=beat), limits=limits)
        assert error.kind is ErrorKind.TIMEOUT, error
        assert ("stopped writing" if after else "did not start") in str(error)

    return check


async def deadline(bench: AdapterHarness) -> None:
    """2.2#24."""
    endless = Reply(parts=bench.dialect.events(*["word "] * 500), pause=0.01)
    _, error = await bench.hear(endless, asked=request(deadline_seconds=0.2))
    assert error is not None
    assert error.kind is ErrorKind.TIMEOUT
    assert "0.2 s" in str(error)


def fails_with(kind: ErrorKind, reply: Callable[[Dialect], Reply]) -> Check:
    async def check(bench: AdapterHarness) -> None:
        error = await bench.failure(reply(bench.dialect))
        assert error.kind is kind, f"{error.kind}: {error}"
        assert len(bench.server.calls) == 1, "was tried again inside the adapter"

    return check


def reset_after(pieces: int) -> Callable[[Dialect], Reply]:
    def reply(dialect: Dialect) -> Reply:
        said = dialect.events("One ", "two", ending="none")[: pieces and None]
        return Reply(parts=said if pieces else (), end="reset")

    return reply


def error_after(pieces: int, busy: bool) -> Callable[[Dialect], Reply]:
    def reply(dialect: Dialect) -> Reply:
        said = dialect.events("One ", ending="none") if pieces else []
        return streamed(*said, dialect.error_event("Oh no.", busy))

    return reply


def http(status: int) -> Callable[[Dialect], Reply]:
    return lambda dialect: refusing(status, dialect.error("Said so.", status))


def limited(seconds: float | None, **headers: str) -> Check:
    async def check(bench: AdapterHarness) -> None:
        body = bench.dialect.error("Slow down.", 429)
        error = await bench.failure(refusing(429, body, **headers))
        assert (error.kind, error.retry_after) == (ErrorKind.RATE_LIMITED, seconds)

    return check


def overloaded(seconds: float | None, **headers: str) -> Check:
    async def check(bench: AdapterHarness) -> None:
        error = await bench.failure(refusing(529, bench.dialect.error("Busy.", 529), **headers))
        assert (error.kind, error.retry_after) == (ErrorKind.OVERLOADED, seconds)

    return check


def tried_again(status: int, tries: int, asked: float, **headers: str) -> Check:
    """The retry loop over the adapter: it waits as long as the server asked, or not at all."""

    async def check(bench: AdapterHarness) -> None:
        refused = refusing(status, bench.dialect.error("Not now.", status), **headers)
        bench.server.play(refused, streamed(*bench.dialect.events("Now.")))
        time = FakeTime()
        port = bench.dialect.port(bench.server.url, bench.client)
        retrying = RetryingPort(port, clock=time, sleep=time.sleep)
        heard: list[ModelEvent] = []
        with suppress(ModelError):
            heard = [event async for event in retrying.stream(request(deadline_seconds=60.0))]
        assert len(bench.server.calls) == tries
        assert (Finished("stop") in heard) is (tries > 1)
        assert all(asked <= slept <= asked + 0.5 for slept in time.slept), time.slept

    return check


async def too_long(bench: AdapterHarness) -> None:
    status, body = bench.dialect.too_long()
    assert (await bench.failure(refusing(status, body))).kind is ErrorKind.CONTEXT_EXCEEDED


async def schema_rejected(bench: AdapterHarness) -> None:
    rejection = refusing(400, bench.dialect.schema_rejected())
    answer = streamed(*bench.dialect.events("{}"))
    heard, error = await bench.hear(rejection, answer, asked=request(json_schema=SCHEMA))
    assert error is None, f"failed: {error}"
    assert Delta("{}") in heard
    sent = [("schema" in str(call.body).casefold()) for call in bench.server.calls]
    assert sent == [True, False]


async def schema_rejected_for_ever(bench: AdapterHarness) -> None:
    rejection = refusing(400, bench.dialect.schema_rejected())
    _, error = await bench.hear(rejection, asked=request(json_schema=SCHEMA))
    assert error is not None
    assert error.kind is ErrorKind.UNSUPPORTED_PARAMETER
    assert len(bench.server.calls) == 2


async def unknown_model(bench: AdapterHarness) -> None:
    """The vendor's own refusal of an id it does not serve, in its own words (E100)."""
    _, error = await bench.hear(asked=request(model="model-0"))
    assert error is not None
    assert error.kind is ErrorKind.NOT_AUTHORISED, error
    assert len(bench.server.calls) == 1


async def everything_set(bench: AdapterHarness) -> None:
    """A strict server takes every parameter an adapter can send, or the adapter learns not to."""
    asked = request(max_output_tokens=300, effort="low", json_schema=SCHEMA)
    answer = streamed(*bench.dialect.events("{}"))
    heard, error = await bench.hear(answer, asked=asked)
    assert error is None, f"failed: {error}"
    assert Delta("{}") in heard
    limits = [value for value in str(bench.server.calls[-1].body).split() if "300" in value]
    assert limits, "no output limit was sent"


async def plain_secrets_in_answers(bench: AdapterHarness) -> None:
    """A key that nothing gives away as one."""
    key = "violet harbour seventeen"
    echo = f"The value {key} is not what we expect."
    for reply in (refusing(500, bench.dialect.error(echo, 500)), error_stream(bench, echo)):
        _, error = await bench.hear(reply, key=key)
        assert error is not None
        assert "is not what we expect" in str(error)
        assert "violet" not in str(error)


def error_stream(bench: AdapterHarness, message: str) -> Reply:
    return streamed(bench.dialect.error_event(message))


async def secrets_in_answers(bench: AdapterHarness) -> None:
    echo = f"x-api-key: {KEY} was sent to {bench.server.url}?key={KEY}"
    replies = [refusing(status, bench.dialect.error(echo, status)) for status in (400, 401, 500)]
    replies += [refusing(503, echo), error_stream(bench, echo)]
    for reply in replies:
        error = await bench.failure(reply)
        for leak in (KEY, KEY[:8], "://", bench.server.url):
            assert leak not in f"{error} {error!r} {error.args}", f"{leak} in {error}"


async def secrets_in_causes(bench: AdapterHarness) -> None:
    """What httpx raises holds the request, and with it the key."""
    error = await bench.failure(Reply(end="reset"))
    assert error.__cause__ is None
    assert error.__suppress_context__


async def secrets_in_urls(bench: AdapterHarness) -> None:
    await bench.text(streamed(*bench.dialect.events("Yes.")))
    (call,) = bench.server.calls
    assert KEY not in f"{call.path}?{call.query}"
    assert KEY in " ".join(call.headers.values())


async def redirects(bench: AdapterHarness) -> None:
    """A redirect is not followed, for it would carry the key elsewhere."""
    error = await bench.failure(refusing(307, "Moved.", Location="/elsewhere"))
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert len(bench.server.calls) == 1


async def bad_key(bench: AdapterHarness) -> None:
    _, error = await bench.hear(Reply(), key="sk-with\nnewline")
    assert error is not None
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert "sk-" not in str(error)
    assert bench.server.calls == []


async def leaves_no_connection(bench: AdapterHarness) -> None:
    begun = bench.dialect.events("word", ending="none")
    await bench.failure(Reply(parts=begun, end="hang"), limits=ONCE_BEGUN)
    async with asyncio.timeout(5):
        await bench.server.calls[0].left.wait()


def page(_: Dialect) -> Reply:
    return Reply(parts=[b"<html>Welcome</html>"], content_type="text/html")


def raw(data: bytes) -> Callable[[Dialect], Reply]:
    return lambda dialect: streamed(*dialect.events("x", ending="none"), b"data: " + data + b"\n\n")


def says(*pieces: str, ending: str = "stop") -> Callable[[Dialect], Reply]:
    return lambda dialect: streamed(*dialect.events(*pieces, ending=ending))  # type: ignore[arg-type]
