"""Collecting reads a stream to its end, in time, and always closes it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

import pytest

from bot.models.collect import collect
from bot.types.model_port import (
    Delta,
    ErrorKind,
    Finished,
    Message,
    ModelError,
    ModelEvent,
    ModelRequest,
    Prompt,
    Started,
    Usage,
)

PROMPT = Prompt("round1", {}, (Message("user", "Speak."),))
REQUEST = ModelRequest("asked-model", PROMPT, "r1:analyst", 5.0)
HURRIED = ModelRequest("asked-model", PROMPT, "r1:analyst", 0.01)


class Script:
    """A port that plays events, then perhaps fails or hangs, and notes when it was closed."""

    def __init__(
        self, *events: ModelEvent, error: Exception | None = None, hangs: bool = False
    ) -> None:
        self.events: Sequence[ModelEvent] = events
        self.error = error
        self.hangs = hangs
        self.playing = asyncio.Event()
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        try:
            for event in self.events:
                yield event
            self.playing.set()
            if self.hangs:
                await asyncio.Event().wait()
            if self.error:
                raise self.error
        finally:
            self.closed = True

    async def close(self) -> None: ...


async def test_a_whole_answer_is_put_together() -> None:
    usage = Usage(10, 2, cost_usd=0.5)
    port = Script(Started("real-model"), Delta("Hello "), Delta("there."), usage, Finished("stop"))
    times = iter([100.0, 102.5])
    answer = await collect(port, REQUEST, clock=lambda: next(times))
    assert answer.text == "Hello there."
    assert answer.model == "real-model"
    assert answer.usage == usage
    assert answer.seconds == 2.5
    assert not answer.cut_short
    assert port.closed


async def test_usage_may_come_after_the_end() -> None:
    port = Script(Delta("Hello."), Finished("stop"), Usage(1, 1))
    assert (await collect(port, REQUEST)).usage == Usage(1, 1)


async def test_without_a_start_the_asked_model_is_named() -> None:
    assert (await collect(Script(Delta("x"), Finished("stop")), REQUEST)).model == "asked-model"


async def test_an_answer_that_hit_its_limit_is_marked() -> None:
    assert (await collect(Script(Delta("x"), Finished("length")), REQUEST)).cut_short


async def test_a_stream_that_just_ends_is_a_network_failure() -> None:
    with pytest.raises(ModelError, match="stopped in the middle") as caught:
        await collect(Script(Delta("half an ans")), REQUEST)
    assert caught.value.kind is ErrorKind.NETWORK


@pytest.mark.parametrize("pieces", [(), (Delta(""),), (Delta(" \n"), Delta("\t"))])
async def test_an_answer_without_text_is_bad_output(pieces: tuple[Delta, ...]) -> None:
    with pytest.raises(ModelError, match="an empty answer") as caught:
        await collect(Script(*pieces, Finished("stop")), REQUEST)
    assert caught.value.kind is ErrorKind.BAD_OUTPUT


async def test_a_refusal_passes_through_unchanged() -> None:
    refusal = ModelError(ErrorKind.REFUSED, "I would rather not.")
    port = Script(Delta("I"), error=refusal)
    with pytest.raises(ModelError) as caught:
        await collect(port, REQUEST)
    assert caught.value is refusal
    assert port.closed


async def test_the_deadline_names_its_seconds_and_closes_the_stream() -> None:
    """E103: a silent model costs its deadline and no more."""
    port = Script(Started("slow-model"), Delta("Wait"), hangs=True)
    with pytest.raises(ModelError, match=r"slow-model .* 0\.01 seconds") as caught:
        await collect(port, HURRIED)
    assert caught.value.kind is ErrorKind.TIMEOUT
    assert port.closed


async def test_a_timeout_inside_the_port_is_not_taken_for_the_deadline() -> None:
    with pytest.raises(TimeoutError):
        await collect(Script(error=TimeoutError("socket")), REQUEST)


async def test_cancelling_stops_the_call_and_closes_the_stream() -> None:
    port = Script(Delta("x"), hangs=True)
    task = asyncio.create_task(collect(port, REQUEST))
    await port.playing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert port.closed


async def test_a_failing_listener_still_closes_the_stream() -> None:
    def listener(words: int) -> None:
        raise RuntimeError("broken card")

    port = Script(Delta("word " * 30), Delta("more"), Finished("stop"))
    with pytest.raises(RuntimeError, match="broken card"):
        await collect(port, REQUEST, listener)
    assert port.closed


async def test_progress_is_told_at_most_every_twenty_words() -> None:
    heard: list[int] = []
    pieces = [Delta(f"word{n} ") for n in range(101)]
    await collect(Script(*pieces, Finished("stop")), REQUEST, heard.append)
    assert heard == [20, 40, 60, 80, 100]


async def test_nobody_is_told_how_an_answer_grows_that_is_whole() -> None:
    heard: list[int] = []
    await collect(Script(Delta("word " * 400), Finished("stop")), REQUEST, heard.append)
    assert heard == []


async def test_a_word_cut_in_two_counts_once() -> None:
    heard: list[int] = []
    pieces = [Delta(part) for _ in range(20) for part in ("wo", "rd ")]
    await collect(Script(*pieces, Delta("end"), Finished("stop")), REQUEST, heard.append)
    assert heard == [20]
