"""Reads the body of a successful answer, streamed or whole, as long as patience lasts."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Final

import httpx
from httpx_sse import EventSource, ServerSentEvent

from bot.models.bounded import pieces_of, read_body
from bot.models.port import ErrorKind, ModelError, ModelEvent
from bot.models.reading import AnswerReader
from bot.models.sizes import EVENT_BYTES, STREAM_BYTES, WHOLE_BYTES
from bot.models.wire import Patience
from bot.words import model_errors

STEP: Final = 4 * 1024
"""After so many bytes that came together other tasks get a turn."""
_EVENT_STREAM: Final = "text/event-stream"


async def answer_events(
    response: httpx.Response, reader: AnswerReader, patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    """Read a successful answer to its end, also from servers that ignore `stream: true`."""
    content_type = response.headers.get("content-type", "").casefold()
    if _EVENT_STREAM in content_type:
        async with aclosing(_streamed(response, reader, patience)) as events:
            async for event in events:
                yield event
    elif "json" in content_type:
        body = await patience.wait(read_body(response, WHOLE_BYTES))
        for event in reader.read_whole(body):
            yield event
    else:
        raise ModelError(ErrorKind.NOT_AUTHORISED, model_errors.WRONG_KIND)
    for event in reader.finish():
        yield event


async def _streamed(
    response: httpx.Response, reader: AnswerReader, patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    body = _BoundedBody(response)
    # Server-sent events are UTF-8, whatever the server's own header says.
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
    """The next server-sent event; whatever goes wrong after a whole answer just ends it."""
    try:
        return await patience.wait(anext(arriving, None))
    except (ModelError, httpx.HTTPError):
        if not reader.whole:
            raise
        return None


class _BoundedBody:
    """The unpacked bytes of a stream; neither it nor an unfinished event grows beyond its limit."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._bytes = 0
        self._unfinished = 0

    def event_ended(self) -> None:
        """An event is whole, so nothing before it is kept any longer."""
        self._unfinished = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async with aclosing(pieces_of(self._response)) as pieces:
            async for piece in pieces:
                for start in range(0, len(piece), STEP):
                    if start:
                        await asyncio.sleep(0)
                    part = piece[start : start + STEP]
                    self._count(part)
                    yield part

    def _count(self, part: bytes) -> None:
        self._bytes += len(part)
        self._unfinished += len(part)
        if self._bytes > STREAM_BYTES or self._unfinished > EVENT_BYTES:
            raise ModelError(ErrorKind.BAD_OUTPUT, model_errors.TOO_LONG)
