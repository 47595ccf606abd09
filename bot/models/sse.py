"""Reads the body of a successful answer, streamed or whole, as long as patience lasts."""

from codecs import getincrementaldecoder
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from typing import Final, Protocol

import httpx
from httpx_sse._decoders import SSEDecoder, SSELineDecoder

from bot.models.bounded import pieces_of, read_body
from bot.models.closing import closed_after
from bot.models.port import Delta, ErrorKind, ModelError, ModelEvent
from bot.models.sizes import EVENT_BYTES, STREAM_BYTES, WHOLE_BYTES
from bot.models.wire import Patience
from bot.words import model_errors

PLAIN: Final = "message"
"""The kind of an event that names none."""
_BEFORE, _AFTER = "data: ", "\n\n"

Arrival = tuple[str, str]
"""The data of one server-sent event, and its kind."""


class Reader(Protocol):
    """What turns the data of one wire format into events."""

    lively: bool
    """Whether what was read last held anything the model wrote, thoughts included."""

    @property
    def whole(self) -> bool:
        """Whether the model has finished; only usage and the end mark may still follow."""
        ...

    def read(self, arrivals: Sequence[Arrival]) -> Iterator[ModelEvent]:
        """Read what came at once; what was said before a failure is told before it."""
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
    """Read a successful answer to its end, also from servers that ignore `stream: true`."""
    content_type = response.headers.get("content-type", "").casefold()
    if "text/event-stream" in content_type:
        async with closed_after(pieces_of(response)) as pieces:
            source = _Source(pieces)
            while not source.ended:
                arrived = _Arrived(await _arrivals(source, reader, patience), reader, patience)
                for event in arrived.events:
                    yield event
                if arrived.failure is not None:
                    raise arrived.failure
    elif "json" in content_type:
        body = await patience.wait(read_body(response, WHOLE_BYTES))
        for event in reader.read_whole(body):
            yield event
    else:
        raise ModelError(ErrorKind.NOT_AUTHORISED, model_errors.WRONG_KIND)
    for event in reader.finish():
        yield event


class _Source:
    """The server-sent events of an answer, all that a network read brought at once.

    httpx-sse's own iterator hands out one event at a time through three generators. Neither the
    stream nor an event that does not end may grow beyond its limit.
    """

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        # Not every body can say what has come without waiting for more.
        self._at_hand: Callable[[], bytes | None] | None = getattr(pieces, "at_hand", None)
        self._utf8 = getincrementaldecoder("utf-8")("replace")
        self._lines = SSELineDecoder()
        self._decoder = SSEDecoder()
        self._between_events = True
        self._bytes = 0
        self._waiting = 0
        """Bytes since the last whole event, all of which may be kept for the next."""
        self.ended = False

    async def arrivals(self) -> list[Arrival]:
        """Wait for the next bytes and return the events they complete, often none."""
        return self._completed(await anext(self._pieces, b""))

    def at_hand(self) -> list[Arrival] | None:
        """The same for bytes that need not be waited for; None where there are none."""
        piece = self._at_hand() if self._at_hand else None
        return None if piece is None else self._completed(piece)

    def _completed(self, piece: bytes) -> list[Arrival]:
        self.ended = not piece
        self._count(piece)
        text = self._utf8.decode(piece, final=self.ended)
        if self._between_events and (plain := plain_events(text)):
            self._waiting = 0
            return plain
        self._between_events = text.endswith(_AFTER)
        return self._decoded(text)

    def _decoded(self, text: str) -> list[Arrival]:
        lines = self._lines.decode(text) if text else []
        if self.ended:
            lines += self._lines.flush()
        decoded = [sse for line in lines if (sse := self._decoder.decode(line)) is not None]
        if decoded:
            self._waiting = 0
        return [(sse.data, sse.event) for sse in decoded]

    def _count(self, piece: bytes) -> None:
        self._bytes += len(piece)
        self._waiting += len(piece)
        if self._bytes > STREAM_BYTES or self._waiting > EVENT_BYTES:
            raise ModelError(ErrorKind.BAD_OUTPUT, model_errors.TOO_LONG)


def plain_events(text: str) -> list[Arrival]:
    """The events of a text that is nothing but whole events of one line of data, as most are.

    Anything else gives none and is left to the decoders, which look at every line.
    """
    if "\r" in text or not (text.startswith(_BEFORE) and text.endswith(_AFTER)):
        return []
    datas = text[len(_BEFORE) : -len(_AFTER)].split(_AFTER + _BEFORE)
    if text.count("\n") != len(datas) * len(_AFTER):
        return []
    return [(data, PLAIN) for data in datas]


class _Arrived:
    """What one network read says: pieces of text that follow each other become one.

    Everybody above pays for each event, and nobody can see pieces that came together. What came
    before a failure is told before it.
    """

    def __init__(self, arrivals: Sequence[Arrival], reader: Reader, patience: Patience) -> None:
        self.events: list[ModelEvent] = []
        self.failure: ModelError | None = None
        self._pieces: list[str] = []
        try:
            self._take(reader.read(arrivals))
        except ModelError as error:
            self.failure = error
        self._end_text()
        if reader.whole and arrivals:
            patience.wind_down()
        elif reader.lively:
            patience.alive()

    def _take(self, events: Iterator[ModelEvent]) -> None:
        for event in events:
            if type(event) is Delta:
                self._pieces.append(event.text)
            else:
                self._end_text()
                self.events.append(event)

    def _end_text(self) -> None:
        if self._pieces:
            self.events.append(Delta("".join(self._pieces)))
            self._pieces.clear()


async def _arrivals(source: _Source, reader: Reader, patience: Patience) -> list[Arrival]:
    """The next server-sent events; whatever goes wrong after a whole answer just ends it."""
    if (at_hand := source.at_hand()) is not None:
        return at_hand
    try:
        return await patience.wait(source.arrivals())
    except (ModelError, httpx.HTTPError):
        if not reader.whole:
            raise
        source.ended = True
        return []
