"""The events of a stream are the same however its bytes are cut and whatever stands between."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import pairwise
from typing import Final

import httpx
from httpx_sse._decoders import SSEDecoder, SSELineDecoder
from hypothesis import given
from hypothesis import strategies as st

from bot.models.port import Finished, ModelEvent
from bot.models.sse import Arrival, answer_events, plain_events
from bot.models.wire import Patience, WaitLimits

LINES: Final = st.sampled_from(
    [
        *("data: a", 'data: {"é😀": 1}', "data:b", "data: ", "data", "data:  c", "data: d\u2028e"),
        *(": alive", "event: error", "id: 7", "retry: 9", "strange: field", "strange", " data: x"),
        "\ufeffdata: f",
    ]
)
ENDS: Final = st.sampled_from(["\n"] * 4 + ["\n\n"] * 12 + ["\r\n", "\r\n\r\n", "\r", "\r\r"])
STREAMS: Final = st.lists(st.tuples(LINES, ENDS).map("".join)).map("".join)
CUTS: Final = st.lists(st.integers(0, 300))


class Listener:
    """A reader that keeps what it is given."""

    lively = whole = True

    def __init__(self) -> None:
        self.heard: list[Arrival] = []

    def read(self, arrivals: Sequence[Arrival]) -> Iterator[ModelEvent]:
        self.heard += arrivals
        yield from ()

    def read_whole(self, body: bytes) -> Iterator[ModelEvent]:
        raise AssertionError(body)

    def finish(self) -> Iterator[ModelEvent]:
        yield Finished("stop")


def heard_of(pieces: list[bytes]) -> list[Arrival]:
    """What a reader hears of an answer that comes in these pieces."""
    listener = Listener()

    async def sent() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def listen() -> None:
        response = httpx.Response(
            200, headers={"content-type": "text/event-stream"}, content=sent()
        )
        events = [
            event async for event in answer_events(response, listener, Patience(WaitLimits(), 10.0))
        ]
        assert events == [Finished("stop")]

    asyncio.run(listen())
    return listener.heard


def line_by_line(stream: str) -> list[Arrival]:
    """The events as httpx-sse reads them."""
    lines, decoder = SSELineDecoder(), SSEDecoder()
    whole = [*(lines.decode(stream) if stream else ()), *lines.flush()]
    events = [event for line in whole if (event := decoder.decode(line))]
    return [(event.data, event.event) for event in events]


def cut(stream: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(place, len(stream)) for place in cuts), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(places)]
    return [piece for piece in pieces if piece]


@given(STREAMS, CUTS)
def test_every_event_is_heard_once_and_as_it_was_sent(stream: str, cuts: list[int]) -> None:
    assert heard_of(cut(stream.encode(), cuts)) == line_by_line(stream)


@given(STREAMS)
def test_the_short_way_reads_plain_events_as_the_long_way_or_not_at_all(stream: str) -> None:
    assert plain_events(stream) in ([], line_by_line(stream))


class AtHand(httpx.AsyncByteStream, AsyncIterator[bytes]):
    """A body of which everything has come before it is read, in these pieces."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces = [piece for piece in pieces if piece]

    def at_hand(self) -> bytes | None:
        return self._pieces.pop(0) if self._pieces else b""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        raise AssertionError("nobody has to wait")


@given(STREAMS, CUTS)
def test_what_has_come_already_is_read_without_waiting(stream: str, cuts: list[int]) -> None:
    pieces = cut(stream.encode(), cuts)
    listener = Listener()

    async def listen() -> None:
        headers = {"content-type": "text/event-stream"}
        response = httpx.Response(200, headers=headers, stream=AtHand(pieces))
        events = answer_events(response, listener, Patience(WaitLimits(), 5.0))
        assert [event async for event in events] == [Finished("stop")]

    asyncio.run(listen())
    assert listener.heard == heard_of(pieces)


def test_plain_events_take_the_short_way() -> None:
    assert plain_events("data: a\n\ndata: {}\n\n") == [("a", "message"), ("{}", "message")]
