"""The events of a stream are the same however its bytes are cut and whatever stands between."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

import httpx
from httpx_sse import EventSource
from hypothesis import given
from hypothesis import strategies as st

from bot.models.answer_reader import AnswerReader
from bot.models.sse import Patience, WaitLimits, answer_events
from bot.types.model_port import Finished, ModelEvent

LINES: Final = st.sampled_from(
    [
        *("data: a", 'data: {"é😀": 1}', "data:b", "data: ", "data", "data:  c", "data: d\u2028e"),
        *(": alive", "event: error", "id: 7", "retry: 9", "strange: field", "strange", " data: x"),
        "\ufeffdata: f",
    ]
)
ENDS: Final = st.sampled_from(["\n"] * 4 + ["\n\n"] * 12 + ["\r\n", "\r\n\r\n", "\r", "\r\r"])
STREAMS: Final = st.lists(st.tuples(LINES, ENDS).map("".join)).map("".join)
HEADERS: Final = {"content-type": "text/event-stream"}
CUTS: Final = st.lists(st.integers(0, 300))


class Listener(AnswerReader):
    """A reader that keeps what it is given."""

    droppable = MappingProxyType({})
    whole = True

    def __init__(self) -> None:
        super().__init__("asked")
        self.heard: list[tuple[str, str]] = []

    def read(self, data: str, kind: str) -> Iterator[ModelEvent]:
        self.heard.append((data, kind))
        yield from ()

    def finish(self) -> Iterator[ModelEvent]:
        yield Finished("stop")

    def _take(self, event: Mapping[str, Any], kind: str) -> Iterator[ModelEvent]:
        raise AssertionError(event, kind)

    def _take_whole(self, answer: Mapping[str, Any]) -> Iterator[ModelEvent]:
        raise AssertionError(answer)


def heard_of(pieces: list[bytes]) -> list[tuple[str, str]]:
    """What a reader hears of an answer that comes in these pieces."""
    listener = Listener()

    async def sent() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def listen() -> None:
        response = httpx.Response(200, headers=HEADERS, content=sent())
        events = answer_events(response, listener, Patience(WaitLimits(), 10.0))
        assert [event async for event in events] == [Finished("stop")]

    asyncio.run(listen())
    return listener.heard


def at_once(stream: bytes) -> list[tuple[str, str]]:
    """The events as httpx-sse reads them when everything is there."""
    source = EventSource(httpx.Response(200, headers=HEADERS, content=stream))
    return [(event.data, event.event) for event in source.iter_sse()]


def cut(stream: bytes, cuts: list[int]) -> list[bytes]:
    places = [0, *sorted(min(place, len(stream)) for place in cuts), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(places)]
    return [piece for piece in pieces if piece]


@given(STREAMS, CUTS)
def test_every_event_is_heard_once_and_as_it_was_sent(stream: str, cuts: list[int]) -> None:
    assert heard_of(cut(stream.encode(), cuts)) == at_once(stream.encode())
