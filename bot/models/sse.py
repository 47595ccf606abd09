"""Reads the body of a successful answer, streamed or whole, as long as patience lasts."""

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Protocol

import httpx
from httpx_sse import EventSource, ServerSentEvent

from bot.models.port import ErrorKind, ModelError, ModelEvent
from bot.models.wire import Patience

LONGEST_ANSWER = 8 * 1024 * 1024


class Reader(Protocol):
    """What turns the data of one wire format into events."""

    lively: bool
    """Whether the last event held anything the model wrote, thoughts included."""

    @property
    def whole(self) -> bool:
        """Whether the model has finished; only usage and the end mark may still follow."""
        ...

    def read(self, data: str, kind: str = "message") -> Iterator[ModelEvent]:
        """Read the data of one server-sent event."""
        ...

    def read_whole(self, body: bytes) -> Iterator[ModelEvent]:
        """Read an answer that came as one JSON object instead of a stream."""
        ...

    def finish(self) -> Iterator[ModelEvent]:
        """Say how the answer ended, now that nothing more will come."""
        ...


async def answer_events(
    response: httpx.Response, reader: Reader, patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    """Read a successful answer to its end, also from servers that ignore the wish to stream."""
    response.encoding = "utf-8"
    content_type = response.headers.get("content-type", "").casefold()
    if "text/event-stream" in content_type:
        async with (
            aclosing(EventSource(response).aiter_sse()) as source,
            aclosing(_streamed(source, reader, patience)) as events,
        ):
            async for event in events:
                yield event
    elif "json" in content_type:
        for event in reader.read_whole(await read_up_to(response, LONGEST_ANSWER, patience)):
            yield event
    else:
        raise ModelError(
            ErrorKind.NOT_AUTHORISED,
            "The provider's address does not answer as its kind does; check kind and baseUrl.",
        )
    for event in reader.finish():
        yield event


async def read_up_to(response: httpx.Response, size: int, patience: Patience) -> bytes:
    """The beginning of a body, at most so many bytes."""
    body = bytearray()
    async with aclosing(response.aiter_bytes()) as pieces:  # type: ignore[type-var]
        while len(body) < size and (piece := await patience.wait(anext(pieces, None))):
            body += piece
    return bytes(body[:size])


async def _streamed(
    source: AsyncGenerator[ServerSentEvent, None], reader: Reader, patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    while (sse := await _next(source, reader, patience)) is not None:
        for event in reader.read(sse.data, sse.event):
            yield event
        if reader.whole:
            patience.wind_down()
        elif reader.lively:
            patience.alive()


async def _next(
    source: AsyncGenerator[ServerSentEvent, None], reader: Reader, patience: Patience
) -> ServerSentEvent | None:
    """The next server-sent event; whatever goes wrong after a whole answer just ends it."""
    try:
        return await patience.wait(anext(source, None))
    except (ModelError, httpx.HTTPError):
        if not reader.whole:
            raise
        return None
