"""Every adapter under every fault: one table, the same cases that pytest runs.

python -m tests.models.conformance    prints adapter x fault; exit 1 unless all are green
"""

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx

from bot.models.port import (
    Delta,
    ErrorKind,
    Finished,
    ModelError,
    ModelEvent,
    ModelRequest,
    Started,
    Usage,
)
from bot.models.retrying import RetryingPort
from bot.models.wire import WaitLimits, make_client
from tests.models.dialects import ANSWERED, DIALECTS, KEY, Dialect, request
from tests.models.plays import FakeTime, joined
from tests.models.replay_server import ReplayServer, Reply, cut, refusing

NEVER_BEGUN = WaitLimits(first_token=0.15)
ONCE_BEGUN = WaitLimits(first_token=5.0, silence=0.15, tail=0.1)
UNHURRIED = WaitLimits(first_token=5.0, silence=1.0)
STRIDES = (7, 64)
SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
SEPARATORS = "one\u2028two\u2029three\u0085four\x0b\x0c\x1cfive"
SHORT = ("Añ😀", "\u2028z")


@dataclass(slots=True)
class Bench:
    """One adapter on its replay server."""

    dialect: Dialect
    server: ReplayServer
    client: httpx.AsyncClient

    async def hear(
        self,
        *replies: Reply,
        limits: WaitLimits | None = None,
        asked: ModelRequest | None = None,
        key: str = KEY,
    ) -> tuple[list[ModelEvent], ModelError | None]:
        """What a call says, and how it fails if it does."""
        self.server.play(*replies)
        port = self.dialect.port(self.server.url, self.client, key, limits)
        heard: list[ModelEvent] = []
        try:
            async for event in port.stream(asked or request()):
                heard.append(event)  # noqa: PERF401 (kept when the stream raises)
        except ModelError as error:
            return heard, error
        return heard, None

    async def text(self, *replies: Reply, limits: WaitLimits | None = None) -> str:
        """The text of an answer that must be whole."""
        heard, error = await self.hear(*replies, limits=limits)
        assert error is None, f"failed: {error}"
        assert isinstance(heard[-1], Finished), "no finish"
        return "".join(event.text for event in heard if isinstance(event, Delta))

    async def failure(self, *replies: Reply, limits: WaitLimits | None = None) -> ModelError:
        """The error of a call that must fail."""
        heard, error = await self.hear(*replies, limits=limits)
        assert error is not None, f"did not fail: {heard}"
        return error


Check = Callable[[Bench], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Case:
    """One fault, and what every adapter must make of it."""

    name: str
    check: Check


def streamed(*events: bytes) -> Reply:
    return Reply(parts=events)


async def whole_answer(bench: Bench) -> None:
    heard, error = await bench.hear(streamed(*bench.dialect.events("Use ", "tabs.")))
    assert error is None, f"failed: {error}"
    assert joined(heard) == [
        Started(ANSWERED),
        Delta("Use tabs."),
        Usage(9, 5, cached_tokens=4),
        Finished("stop"),
    ]


def cut_everywhere(line_end: str) -> Check:
    """Combs of cuts, shifted until every byte was a boundary, in small chunks and in large ones."""

    async def check(bench: Bench) -> None:
        stream = bench.dialect.stream(*SHORT, line_end=line_end)
        combs = [(first, stride) for stride in STRIDES for first in range(1, stride + 1)]
        for first, stride in combs:
            said = await bench.text(cut(stream, *range(first, len(stream), stride)))
            assert said == "".join(SHORT), f"cut every {stride} bytes from {first}"

    return check


def byte_by_byte(line_end: str) -> Check:
    async def check(bench: Bench) -> None:
        stream = bench.dialect.stream(*SHORT, line_end=line_end)
        assert await bench.text(cut(stream, *range(len(stream)))) == "".join(SHORT)

    return check


async def separators(bench: Bench) -> None:
    assert await bench.text(streamed(*bench.dialect.events(SEPARATORS))) == SEPARATORS


async def slow_tokens(bench: Bench) -> None:
    """The answer takes longer than the silence allowed, but is never silent that long."""
    events = bench.dialect.events(*["word "] * 22)
    said = await bench.text(Reply(parts=events, pause=0.05), limits=UNHURRIED)
    assert said == "word " * 22


async def thoughts(bench: Bench) -> None:
    said = await bench.text(streamed(*bench.dialect.events("Yes.", thought="Hm.")))
    assert said == "Yes."


async def thoughts_are_life(bench: Bench) -> None:
    thinking = bench.dialect.events("x", thought="Hm.", ending="none")[:-1]
    error = await bench.failure(Reply(parts=thinking, end="hang"), limits=ONCE_BEGUN)
    assert error.kind is ErrorKind.TIMEOUT
    assert "fell silent" in str(error)


async def cut_short(bench: Bench) -> None:
    heard, error = await bench.hear(streamed(*bench.dialect.events("Half", ending="length")))
    assert (error, heard[-1]) == (None, Finished("length"))


def never_answers(after: int, beating: bool) -> Check:
    async def check(bench: Bench) -> None:
        begun = bench.dialect.events("word", ending="none") if after else []
        beat = bench.dialect.keep_alive if beating else b""
        limits = ONCE_BEGUN if after else NEVER_BEGUN
        error = await bench.failure(Reply(parts=begun, end="hang", beat=beat), limits=limits)
        assert error.kind is ErrorKind.TIMEOUT, error
        assert ("fell silent" if after else "did not begin") in str(error)

    return check


async def deadline(bench: Bench) -> None:
    """2.2#24."""
    endless = Reply(parts=bench.dialect.events(*["word "] * 500), pause=0.01)
    _, error = await bench.hear(endless, asked=request(deadline_seconds=0.2))
    assert error is not None
    assert error.kind is ErrorKind.TIMEOUT
    assert "0.2 s" in str(error)


def fails_with(kind: ErrorKind, reply: Callable[[Dialect], Reply]) -> Check:
    async def check(bench: Bench) -> None:
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
    async def check(bench: Bench) -> None:
        body = bench.dialect.error("Slow down.", 429)
        error = await bench.failure(refusing(429, body, **headers))
        assert (error.kind, error.retry_after) == (ErrorKind.RATE_LIMITED, seconds)

    return check


def overloaded(seconds: float | None, **headers: str) -> Check:
    async def check(bench: Bench) -> None:
        error = await bench.failure(refusing(529, bench.dialect.error("Busy.", 529), **headers))
        assert (error.kind, error.retry_after) == (ErrorKind.OVERLOADED, seconds)

    return check


def tried_again(status: int, tries: int, asked: float, **headers: str) -> Check:
    """The retry loop over the adapter: it waits as long as the server asked, or not at all."""

    async def check(bench: Bench) -> None:
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


async def too_long(bench: Bench) -> None:
    status, body = bench.dialect.too_long()
    assert (await bench.failure(refusing(status, body))).kind is ErrorKind.CONTEXT_EXCEEDED


async def schema_rejected(bench: Bench) -> None:
    rejection = refusing(400, bench.dialect.schema_rejected())
    answer = streamed(*bench.dialect.events("{}"))
    heard, error = await bench.hear(rejection, answer, asked=request(json_schema=SCHEMA))
    assert error is None, f"failed: {error}"
    assert Delta("{}") in heard
    sent = [("schema" in str(call.body).casefold()) for call in bench.server.calls]
    assert sent == [True, False]


async def schema_rejected_for_ever(bench: Bench) -> None:
    rejection = refusing(400, bench.dialect.schema_rejected())
    _, error = await bench.hear(rejection, asked=request(json_schema=SCHEMA))
    assert error is not None
    assert error.kind is ErrorKind.UNSUPPORTED_PARAMETER
    assert len(bench.server.calls) == 2


async def plain_secrets_in_answers(bench: Bench) -> None:
    """A key that nothing gives away as one."""
    key = "violet harbour seventeen"
    echo = f"The value {key} is not what we expect."
    for reply in (refusing(500, bench.dialect.error(echo, 500)), error_stream(bench, echo)):
        _, error = await bench.hear(reply, key=key)
        assert error is not None
        assert "is not what we expect" in str(error)
        assert "violet" not in str(error)


def error_stream(bench: Bench, message: str) -> Reply:
    return streamed(bench.dialect.error_event(message))


async def secrets_in_answers(bench: Bench) -> None:
    echo = f"x-api-key: {KEY} was sent to {bench.server.url}?key={KEY}"
    replies = [refusing(status, bench.dialect.error(echo, status)) for status in (400, 401, 500)]
    replies += [refusing(503, echo), error_stream(bench, echo)]
    for reply in replies:
        error = await bench.failure(reply)
        for leak in (KEY, KEY[:8], "://", bench.server.url):
            assert leak not in f"{error} {error!r} {error.args}", f"{leak} in {error}"


async def secrets_in_causes(bench: Bench) -> None:
    """What httpx raises holds the request, and with it the key."""
    error = await bench.failure(Reply(end="reset"))
    assert error.__cause__ is None
    assert error.__suppress_context__


async def secrets_in_urls(bench: Bench) -> None:
    await bench.text(streamed(*bench.dialect.events("Yes.")))
    (call,) = bench.server.calls
    assert KEY not in f"{call.path}?{call.query}"
    assert KEY in " ".join(call.headers.values())


async def redirects(bench: Bench) -> None:
    """A redirect is not followed, for it would carry the key elsewhere."""
    error = await bench.failure(refusing(307, "Moved.", Location="/elsewhere"))
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert len(bench.server.calls) == 1


async def bad_key(bench: Bench) -> None:
    _, error = await bench.hear(Reply(), key="sk-with\nnewline")
    assert error is not None
    assert error.kind is ErrorKind.NOT_AUTHORISED
    assert "sk-" not in str(error)
    assert bench.server.calls == []


async def leaves_no_connection(bench: Bench) -> None:
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


K = ErrorKind
STATUSES = {
    500: K.NETWORK,
    502: K.NETWORK,
    504: K.NETWORK,
    408: K.NETWORK,
    503: K.OVERLOADED,
    529: K.OVERLOADED,
    402: K.OUT_OF_MONEY,
    401: K.NOT_AUTHORISED,
    403: K.NOT_AUTHORISED,
    404: K.NOT_AUTHORISED,
    413: K.CONTEXT_EXCEEDED,
}
CASES: tuple[Case, ...] = (
    Case("whole answer: model, text, usage, end", whole_answer),
    Case("cut at every byte, LF", cut_everywhere("\n")),
    Case("cut at every byte, CRLF", cut_everywhere("\r\n")),
    Case("byte by byte, CRLF", byte_by_byte("\r\n")),
    Case("byte by byte, CR", byte_by_byte("\r")),
    Case("U+2028, U+2029, U+0085 in the text", separators),
    Case("slow tokens", slow_tokens),
    Case("thoughts are not shown", thoughts),
    Case("thoughts are a sign of life", thoughts_are_life),
    Case("cut short by its limit", cut_short),
    Case("never begins", never_answers(0, beating=False)),
    Case("only keep-alives", never_answers(0, beating=True)),
    Case("falls silent", never_answers(1, beating=False)),
    Case("keep-alives after text", never_answers(1, beating=True)),
    Case("deadline", deadline),
    Case("reset before the answer", fails_with(K.NETWORK, reset_after(0))),
    Case("reset inside the answer", fails_with(K.NETWORK, reset_after(1))),
    Case("end without a finish", fails_with(K.NETWORK, says("Half", ending="none"))),
    Case("empty body", fails_with(K.NETWORK, lambda _: streamed())),
    Case("unreadable event", fails_with(K.NETWORK, raw(b"{not json"))),
    Case("event that is no object", fails_with(K.NETWORK, raw(b"7"))),
    Case("error first in a 200 stream", fails_with(K.NETWORK, error_after(0, busy=False))),
    Case("error later in a 200 stream", fails_with(K.NETWORK, error_after(1, busy=False))),
    Case("overload first in a 200 stream", fails_with(K.OVERLOADED, error_after(0, busy=True))),
    Case("overload later in a 200 stream", fails_with(K.OVERLOADED, error_after(1, busy=True))),
    Case("429 without a delay", limited(None)),
    Case("429 with retry-after", limited(7.0, retry_after="7")),
    Case("429 with retry-after-ms", limited(1.5, retry_after_ms="1500")),
    Case("429, then an answer after the delay asked", tried_again(429, 2, 9.0, retry_after="9")),
    Case("429 with a delay longer than a minute", tried_again(429, 1, 900.0, retry_after="900")),
    Case("529 without a delay", overloaded(None)),
    Case("529 with retry-after", overloaded(4.0, retry_after="4")),
    Case("529, then an answer after the delay asked", tried_again(529, 2, 4.0, retry_after="4")),
    Case("529 without a delay, then an answer", tried_again(529, 2, 0.0)),
    *(Case(f"{status}", fails_with(kind, http(status))) for status, kind in STATUSES.items()),
    Case("400 prompt too long", too_long),
    Case("schema rejected, then left out", schema_rejected),
    Case("schema rejected for ever", schema_rejected_for_ever),
    Case("refusal", fails_with(K.REFUSED, says("I ca", ending="refused"))),
    Case("empty answer", fails_with(K.BAD_OUTPUT, says(" ", "\n"))),
    Case("web page instead of an API", fails_with(K.NOT_AUTHORISED, page)),
    Case("redirect", redirects),
    Case("key no header can hold", bad_key),
    Case("key in an error text", secrets_in_answers),
    Case("key that looks like none in an error text", plain_secrets_in_answers),
    Case("key in an error's cause", secrets_in_causes),
    Case("key in the URL", secrets_in_urls),
    Case("connection closed after a timeout", leaves_no_connection),
)


@asynccontextmanager
async def bench_for(dialect: Dialect, tls: ssl.SSLContext) -> AsyncIterator[Bench]:
    """A server and a client for one case; the TLS context is handed in, for it is slow to make."""
    async with ReplayServer() as server, make_client(tls) as client:
        yield Bench(dialect, server, client)


async def verdict(case: Case, dialect: Dialect, tls: ssl.SSLContext) -> str:
    """Nothing when the case holds, else why not."""
    try:
        async with bench_for(dialect, tls) as bench:
            await case.check(bench)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


async def main() -> int:
    """Print the matrix; the exit code says whether all of it is green."""
    tls = ssl.create_default_context()
    wide = max(len(case.name) for case in CASES)
    print("fault".ljust(wide), *(dialect.name.ljust(9) for dialect in DIALECTS))
    problems: list[str] = []
    for case in CASES:
        found = [await verdict(case, dialect, tls) for dialect in DIALECTS]
        cells = (("RED" if problem else "green").ljust(9) for problem in found)
        print(case.name.ljust(wide), *cells, flush=True)
        named = zip(DIALECTS, found, strict=True)
        problems += [f"{one.name}, {case.name}: {problem}" for one, problem in named if problem]
    total = len(CASES) * len(DIALECTS)
    print(f"\n{total - len(problems)} of {total} green", *problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
