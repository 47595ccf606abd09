"""Reads the body of a successful response, streamed or whole, within its time limits."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final, TypeVar

import httpx
from httpx_sse import EventSource, ServerSentEvent

from bot.http.bounded import pieces_of, read_body
from bot.http.client import CONNECT_SECONDS
from bot.messages.models import ModelErrorText
from bot.models.answer_reader import AnswerReader
from bot.types.model_port import ErrorKind, ModelError, ModelEvent

_STREAM_BYTES: Final = 32 * 1024 * 1024
"""The limit of a decoded stream: some 100,000 tokens, each in its own event."""
_EVENT_BYTES: Final = 1024 * 1024
"""The limit of one event or one line of a stream."""
_WHOLE_BYTES: Final = 2 * 1024 * 1024
"""The limit of a response that comes as one JSON object."""
ERROR_BYTES: Final = 64 * 1024
"""How much of an error's body is read."""


_STEP: Final = 4 * 1024
"""After so many bytes at once other tasks get a turn."""
_T = TypeVar("_T")
_EVENT_STREAM: Final = "text/event-stream"


@dataclass(frozen=True, slots=True)
class WaitLimits:
    """How long a call may wait, in seconds, apart from its deadline."""

    connect: float = CONNECT_SECONDS
    first_token: float = 90.0
    silence: float = 60.0
    tail: float = 2.0
    """For usage and the end of the stream after the answer is complete."""


class Patience:
    """The time limits of one call: its deadline, and how long it may be silent.

    Only time spent waiting for the server counts as silence, and only `alive` resets it, so neither
    a slow reader nor a keep-alive changes the outcome.
    """

    def __init__(
        self,
        limits: WaitLimits,
        deadline_seconds: float,
        linger_seconds: float = 0.0,
        first_word_seconds: float | None = None,
    ) -> None:
        self._limits = limits
        self._first_word = first_word_seconds or limits.first_token
        self._linger = linger_seconds
        self._seconds = deadline_seconds
        self._deadline = asyncio.get_running_loop().time() + deadline_seconds
        self._left = self._granted = deadline_seconds
        self._queueing = True
        self._complaint: Callable[[float], str] = ModelErrorText.did_not_begin

    def sent(self) -> None:
        """The request is sent now: wait for the first token, and linger past the deadline."""
        self._queueing = False
        self._deadline += self._linger
        self._linger = 0.0
        self._left = self._granted = self._first_word
        self._complaint = ModelErrorText.did_not_begin

    def alive(self) -> None:
        """Content arrived: reset the silence."""
        self._left = self._granted = self._limits.silence
        self._complaint = ModelErrorText.fell_silent

    def wind_down(self) -> None:
        """The answer is complete: wait only briefly for what follows."""
        self._left = self._limits.tail

    async def wait(self, step: Awaitable[_T]) -> _T:
        """Await a step within the time limits; raises ModelError with kind TIMEOUT."""
        now = asyncio.get_running_loop().time
        began = now()
        try:
            async with asyncio.timeout_at(min(began + self._left, self._deadline)):
                return await step
        except TimeoutError:
            raise self._failure(now()) from None
        finally:
            self._left -= now() - began

    def _failure(self, now: float) -> ModelError:
        error = ModelError(ErrorKind.TIMEOUT, self._verdict(now))
        waits = self._complaint is ModelErrorText.did_not_begin and not self._queueing
        error.stalled = waits and now < self._deadline
        return error

    def _verdict(self, now: float) -> str:
        if self._queueing:
            return ModelErrorText.TOO_MANY_CALLS
        if now < self._deadline:
            return self._complaint(self._granted)
        return ModelErrorText.did_not_finish(self._seconds)


async def answer_events(
    response: httpx.Response, reader: AnswerReader, patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    """Read a successful response to its end, also from servers that ignore `stream: true`."""
    content_type = response.headers.get("content-type", "").casefold()
    if _EVENT_STREAM in content_type:
        async with aclosing(_streamed(response, reader, patience)) as events:
            async for event in events:
                yield event
    elif "json" in content_type:
        body = await patience.wait(read_body(response, _WHOLE_BYTES))
        for event in reader.read_whole(body):
            yield event
    else:
        raise ModelError(ErrorKind.NOT_AUTHORISED, ModelErrorText.WRONG_KIND)
    for event in reader.finish():
        yield event


async def _streamed(
    response: httpx.Response, reader: AnswerReader, patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    body = _BoundedBody(response)
    # Server-sent events are UTF-8, whatever charset the header names.
    headers = {"Content-Type": f"{_EVENT_STREAM}; charset=utf-8"}
    source = EventSource(httpx.Response(200, headers=headers, content=body))
    async with aclosing(source.aiter_sse()) as arriving:
        while (sse := await _next(arriving, reader, patience)) is not None:
            body.event_ended()
            for event in reader.read(sse.data, sse.event):
                yield event
            if reader.whole:
                patience.wind_down()
            elif reader.lively:
                patience.alive()


async def _next(
    arriving: AsyncIterator[ServerSentEvent], reader: AnswerReader, patience: Patience
) -> ServerSentEvent | None:
    """The next server-sent event; errors after a complete answer just end the stream."""
    try:
        return await patience.wait(anext(arriving, None))
    except (ModelError, httpx.HTTPError):
        if not reader.whole:
            raise
        return None


class _BoundedBody:
    """The decompressed bytes of a stream; it and each unfinished event have a size limit."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._bytes = 0
        self._unfinished = 0

    def event_ended(self) -> None:
        """An event is complete, so the buffer may be dropped."""
        self._unfinished = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(pieces_of(self._response)) as pieces:
            async for piece in pieces:
                for start in range(0, len(piece), _STEP):
                    if start:
                        await asyncio.sleep(0)
                    part = piece[start : start + _STEP]
                    self._count(part)
                    yield part

    def _count(self, part: bytes) -> None:
        self._bytes += len(part)
        self._unfinished += len(part)
        if self._bytes > _STREAM_BYTES or self._unfinished > _EVENT_BYTES:
            raise ModelError(ErrorKind.BAD_OUTPUT, ModelErrorText.TOO_LONG)
