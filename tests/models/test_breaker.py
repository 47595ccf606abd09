"""A model that keeps failing is left alone for a while, and then tried by one call."""

import asyncio
from contextlib import aclosing

import pytest

from bot.models.breaker import BreakerPort, CircuitOpenError
from bot.models.collect import collect
from bot.types.model_port import Delta, ErrorKind, ModelError, ModelEvent, ModelRequest
from tests.models.scripted_port import HELLO, FakeTime, Play, ScriptedPort, failing, request

OVERLOADED = failing(ErrorKind.OVERLOADED)
BROKE = failing(ErrorKind.OUT_OF_MONEY)


class Table:
    """A port with breakers over a script."""

    def __init__(self, *plays: Play) -> None:
        self.time = FakeTime()
        self.port = ScriptedPort(self.time, *plays)
        self.breaker = BreakerPort(self.port, self.time)

    async def hear(self, asked: ModelRequest | None = None) -> list[ModelEvent]:
        return [event async for event in self.breaker.stream(asked or request())]

    async def fail(self, times: int = 1, asked: ModelRequest | None = None) -> ModelError:
        for _ in range(times):
            with pytest.raises(ModelError) as caught:
                await self.hear(asked)
        return caught.value

    async def rests(self) -> bool:
        """Whether the next call is not let through; asks without changing anything."""
        before = len(self.port.requests)
        try:
            await self.hear()
        except CircuitOpenError:
            return len(self.port.requests) == before
        return False

    def wait(self, seconds: float) -> None:
        self.time.now += seconds

    @property
    def called(self) -> int:
        return len(self.port.requests)


@pytest.mark.parametrize(
    "kind",
    [ErrorKind.RATE_LIMITED, ErrorKind.OVERLOADED, ErrorKind.NETWORK, ErrorKind.TIMEOUT],
)
async def test_five_failures_in_a_row_open_the_circuit(kind: ErrorKind) -> None:
    """providers 1.2."""
    table = Table(failing(kind))
    await table.fail(5)
    error = await table.fail()
    assert isinstance(error, CircuitOpenError)
    assert (error.kind, error.retry_after, table.called) == (kind, 30.0, 5)
    assert "30 s" in str(error)


async def test_one_lack_of_money_opens_the_circuit() -> None:
    table = Table(BROKE)
    await table.fail()
    error = await table.fail()
    assert isinstance(error, CircuitOpenError)
    assert error.kind is ErrorKind.OUT_OF_MONEY
    assert "out of credit" in str(error)


async def test_the_error_says_how_long_the_model_still_rests() -> None:
    table = Table(BROKE)
    await table.fail()
    table.wait(12.5)
    error = await table.fail()
    assert error.retry_after == 17.5
    assert "18 s" in str(error)


@pytest.mark.parametrize(
    "between",
    [
        Play(),
        failing(ErrorKind.REFUSED),
        failing(ErrorKind.BAD_OUTPUT),
        failing(ErrorKind.CONTEXT_EXCEEDED),
        failing(ErrorKind.NOT_AUTHORISED),
    ],
)
async def test_a_provider_that_answers_in_between_starts_the_count_anew(between: Play) -> None:
    table = Table(*[OVERLOADED] * 4, between, *[OVERLOADED] * 4, Play())
    for _ in range(9):
        await asyncio.gather(table.hear(), return_exceptions=True)
    assert await table.hear() == list(HELLO)


@pytest.mark.parametrize("kind", [ErrorKind.REFUSED, ErrorKind.NOT_AUTHORISED])
async def test_failures_a_pause_cannot_mend_never_open_it(kind: ErrorKind) -> None:
    table = Table(failing(kind))
    await table.fail(20)
    assert table.called == 20


async def test_models_fail_on_their_own() -> None:
    table = Table(*[BROKE], Play())
    await table.fail(1, request(model="one"))
    assert await table.hear(request(model="two")) == list(HELLO)
    assert isinstance(await table.fail(1, request(model="one")), CircuitOpenError)


async def test_after_its_rest_a_trial_that_answers_closes_it() -> None:
    table = Table(*[OVERLOADED] * 5, Play())
    await table.fail(5)
    table.wait(30.0)
    for _ in range(3):
        assert await table.hear() == list(HELLO)


async def test_each_failed_trial_doubles_the_rest_up_to_five_minutes() -> None:
    table = Table(OVERLOADED)
    await table.fail(5)
    for rest in (30.0, 60.0, 120.0, 240.0, 300.0, 300.0):
        table.wait(rest - 0.1)
        assert await table.rests(), f"opened before {rest} s"
        table.wait(0.1)
        assert not isinstance(await table.fail(), CircuitOpenError)


async def test_a_circuit_that_closed_begins_with_a_short_rest_again() -> None:
    table = Table(BROKE, BROKE, Play(), BROKE)
    await table.fail()
    table.wait(30.0)
    await table.fail()
    table.wait(60.0)
    await table.hear()
    await table.fail()
    assert (await table.fail()).retry_after == 30.0


async def test_while_a_trial_is_under_way_others_fail_at_once() -> None:
    table = Table(BROKE, Play((), hangs=True), Play())
    await table.fail()
    table.wait(30.0)
    trial = asyncio.create_task(table.hear())
    await table.port.hanging.wait()
    assert "a test call" in str(await table.fail())
    trial.cancel()
    await asyncio.gather(trial, return_exceptions=True)


async def test_a_trial_that_was_cancelled_makes_room_for_the_next() -> None:
    table = Table(BROKE, Play((), hangs=True), Play())
    await table.fail()
    table.wait(30.0)
    trial = asyncio.create_task(table.hear())
    await table.port.hanging.wait()
    trial.cancel()
    await asyncio.gather(trial, return_exceptions=True)
    assert await table.hear() == list(HELLO)


async def test_a_trial_that_hit_a_bug_makes_room_for_the_next() -> None:
    table = Table(BROKE, Play((), RuntimeError("bug")), Play())
    await table.fail()
    table.wait(30.0)
    with pytest.raises(RuntimeError):
        await table.hear()
    assert await table.hear() == list(HELLO)


async def test_calls_that_were_under_way_do_not_lengthen_the_rest() -> None:
    """Seats that fail together are one outage."""
    table = Table(failing(ErrorKind.OVERLOADED, Delta("Hel")))
    streams = [table.breaker.stream(request()) for _ in range(8)]
    for stream in streams:
        assert await anext(stream) == Delta("Hel")
    await asyncio.gather(*(anext(stream) for stream in streams[:5]), return_exceptions=True)
    table.wait(10.0)
    await asyncio.gather(*(anext(stream) for stream in streams[5:]), return_exceptions=True)
    assert table.breaker.circuit("model-1").resting == 20.0


async def test_an_answer_of_a_call_that_was_under_way_closes_it() -> None:
    table = Table(Play((Delta("Hel"), *HELLO)), BROKE, Play())
    async with aclosing(table.breaker.stream(request())) as events:
        await anext(events)
        await table.fail()
        assert table.breaker.circuit("model-1").resting == 30.0
        rest = [event async for event in events]
    assert rest == list(HELLO)
    assert await table.hear() == list(HELLO)


async def test_a_stream_without_an_end_counts_as_a_failure() -> None:
    table = Table(Play((Delta("Hel"),)))
    for _ in range(5):
        await table.hear()
    assert await table.rests()


async def test_a_caller_who_ends_the_call_at_its_deadline_saw_a_timeout() -> None:
    """E103: a model that hangs is noticed although its caller ends the call."""
    port = BreakerPort(ScriptedPort(FakeTime(), Play((), hangs=True)))
    for _ in range(5):
        with pytest.raises(ModelError):
            await collect(port, request(0.01))
    with pytest.raises(CircuitOpenError) as caught:
        await collect(port, request(0.01))
    assert caught.value.kind is ErrorKind.TIMEOUT


async def test_a_caller_who_stops_early_says_nothing_about_the_model() -> None:
    table = Table(Play((Delta("Hel"),), hangs=True))
    for _ in range(6):
        async with aclosing(table.breaker.stream(request())) as events:
            assert await anext(events) == Delta("Hel")
    assert table.breaker.circuit("model-1").resting == 0.0


async def test_a_timeout_while_others_were_answered_was_only_a_queue() -> None:
    """A provider that takes one call at a time works, however many wait for it."""
    table = Table(*[Play((), hangs=True)] * 6, Play())
    waiting = [asyncio.create_task(table.hear(request(5.0))) for _ in range(6)]
    await table.port.hanging.wait()
    table.wait(5.0)
    await table.hear()
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert table.breaker.circuit("model-1").resting == 0.0


async def test_every_stream_is_closed() -> None:
    table = Table(OVERLOADED, Play())
    await table.fail()
    await table.hear()
    assert table.port.open_streams == 0


async def test_closing_closes_the_port_behind() -> None:
    table = Table(Play())
    await table.breaker.close()
    assert table.port.closed
