"""The rehearsal streams like a model: in order, in time, for free, and badly when told to."""

import asyncio

import pytest

from bot.errors import ConfigError
from bot.models.collect import collect
from bot.rehearsal import RehearsalPort, Trouble
from bot.types.model_port import (
    Delta,
    ErrorKind,
    Finished,
    ModelError,
    ModelEvent,
    ModelRequest,
    Started,
    Usage,
)
from tests.rehearsal.sample_meeting import request_for

VALUES = {"PROMPT": "Should we adopt a four-day week?", "MODE": "debate", "ROLE": "Analyst"}
REQUEST = request_for("round1", VALUES, label="r1:analyst")


class Naps:
    """A sleep that notes how long was asked for and returns at once."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


async def events_of(port: RehearsalPort, request: ModelRequest = REQUEST) -> list[ModelEvent]:
    return [event async for event in port.stream(request)]


async def test_events_come_in_order() -> None:
    events = await events_of(RehearsalPort(7, 0))
    assert events[0] == Started("claude-opus")
    assert all(isinstance(event, Delta) for event in events[1:-2])
    assert isinstance(events[-2], Usage)
    assert events[-1] == Finished("stop")


async def test_pieces_hold_a_few_words_each() -> None:
    deltas = [e.text for e in await events_of(RehearsalPort(7, 0)) if isinstance(e, Delta)]
    assert len(deltas) > 20
    assert all(len(piece.split()) <= 6 for piece in deltas)


async def test_it_is_free_and_says_so() -> None:
    usage = next(e for e in await events_of(RehearsalPort(7, 0)) if isinstance(e, Usage))
    assert usage.cost_usd == 0.0
    assert usage.input_tokens > 0
    assert usage.output_tokens > 100


async def test_without_seconds_it_never_sleeps() -> None:
    naps = Naps()
    await events_of(RehearsalPort(7, 0, sleep=naps))
    assert naps.taken == []


async def test_time_is_spread_over_the_pieces_around_the_seconds_given() -> None:
    totals = []
    for number in range(30):
        naps = Naps()
        request = request_for("round1", {**VALUES, "PROMPT": f"Should we try plan {number}?"})
        events = await events_of(RehearsalPort(7, 2.0, sleep=naps), request)
        assert len(naps.taken) == sum(isinstance(event, Delta) for event in events)
        totals.append(sum(naps.taken))
    assert all(0.999 <= total <= 3.001 for total in totals)
    assert max(totals) - min(totals) > 1.0


async def test_the_same_request_takes_the_same_time() -> None:
    one, other = Naps(), Naps()
    await events_of(RehearsalPort(7, 2.0, sleep=one))
    await events_of(RehearsalPort(7, 2.0, sleep=other))
    assert one.taken == other.taken


async def test_an_output_limit_cuts_the_answer_short() -> None:
    request = request_for("round1", VALUES, max_output_tokens=50)
    answer = await collect(RehearsalPort(7, 0), request)
    assert answer.cut_short
    assert len(answer.text) <= 200


@pytest.mark.parametrize("kind", list(ErrorKind))
async def test_every_kind_of_failure_can_be_rehearsed(kind: ErrorKind) -> None:
    port = RehearsalPort(7, 0, troubles={"r1:analyst": Trouble(kind.value, retry_after=3.0)})
    with pytest.raises(ModelError) as caught:
        await collect(port, REQUEST)
    assert caught.value.kind is kind
    assert caught.value.retry_after == 3.0


async def test_a_hanging_call_runs_into_its_deadline() -> None:
    port = RehearsalPort(7, 0, troubles={"r1:analyst": Trouble("hang")})
    request = ModelRequest(REQUEST.model, REQUEST.prompt, REQUEST.label, 0.01)
    with pytest.raises(ModelError) as caught:
        await collect(port, request)
    assert caught.value.kind is ErrorKind.TIMEOUT


async def test_garbage_is_text_without_structure() -> None:
    port = RehearsalPort(7, 0, troubles={"r1:analyst": Trouble("garbage")})
    answer = await collect(port, REQUEST)
    assert "**" not in answer.text
    assert "[STANCE" not in answer.text


@pytest.mark.parametrize(
    ("trouble", "kind"), [("empty", ErrorKind.BAD_OUTPUT), ("cut", ErrorKind.NETWORK)]
)
async def test_empty_and_broken_answers_fail_when_collected(trouble: str, kind: ErrorKind) -> None:
    port = RehearsalPort(7, 0, troubles={"r1:analyst": Trouble(trouble)})
    with pytest.raises(ModelError) as caught:
        await collect(port, REQUEST)
    assert caught.value.kind is kind


async def test_a_slow_answer_takes_the_seconds_it_was_told() -> None:
    naps = Naps()
    port = RehearsalPort(7, 0, sleep=naps, troubles={"r1:analyst": Trouble("slow", seconds=90)})
    await collect(port, REQUEST)
    assert sum(naps.taken) == pytest.approx(90)


async def test_a_trouble_strikes_only_its_own_label() -> None:
    port = RehearsalPort(7, 0, troubles={"r1:contrarian": Trouble("network")})
    assert (await collect(port, REQUEST)).text


async def test_a_trouble_may_pass_after_some_calls() -> None:
    port = RehearsalPort(7, 0, troubles={"r1:analyst": Trouble("overloaded", times=1)})
    with pytest.raises(ModelError):
        await collect(port, REQUEST)
    assert (await collect(port, REQUEST)).text


def test_an_unknown_trouble_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match=r"use one of: .*hang.*rate limited"):
        Trouble("flood")


async def test_many_calls_at_once_do_not_disturb_each_other() -> None:
    port = RehearsalPort(7, 0)
    alone = (await collect(port, REQUEST)).text
    answers = await asyncio.gather(*(collect(port, REQUEST) for _ in range(20)))
    assert {answer.text for answer in answers} == {alone}
    await port.close()
