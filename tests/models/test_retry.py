"""What is tried again, how often, after what wait, and what a reader sees of it."""

import asyncio
import random
from contextlib import aclosing
from dataclasses import replace

import pytest

from bot.models.breaker import CircuitOpenError
from bot.models.collect import collect
from bot.models.retry import RetryingPort, RetryPolicy, Sleep
from bot.types.model_port import (
    Delta,
    ErrorKind,
    FailedAttempt,
    Finished,
    ModelError,
    ModelEvent,
    ModelRequest,
    Started,
    Usage,
)
from tests.models.scripted_port import HELLO, FakeTime, Play, ScriptedPort, failing, request

OVERLOADED = failing(ErrorKind.OVERLOADED)
NETWORK = failing(ErrorKind.NETWORK)


class Table:
    """A retrying port over a script, and what came of it."""

    def __init__(self, *plays: Play, sleep: Sleep | None = None) -> None:
        self.time = FakeTime()
        self.port = ScriptedPort(self.time, *plays)
        self.told: list[FailedAttempt] = []
        self.broke = False
        """Whether whoever pays has no money for another try."""
        self.retrying = RetryingPort(
            self.port,
            clock=self.time,
            sleep=sleep or self.time.sleep,
            rng=random.Random(7),
        )

    async def hear(self, asked: ModelRequest | None = None) -> list[ModelEvent]:
        return [event async for event in self.retrying.stream(self._heard(asked))]

    def _heard(self, asked: ModelRequest | None) -> ModelRequest:
        return replace(asked or request(), on_retry=self._hear_failure)

    async def _hear_failure(self, failed: FailedAttempt) -> bool:
        self.told.append(failed)
        return not self.broke

    async def fail(self, asked: ModelRequest | None = None) -> ModelError:
        return (await self.until_error(asked))[1]

    async def until_error(
        self, asked: ModelRequest | None = None
    ) -> tuple[list[ModelEvent], ModelError]:
        """What a call that fails says before, and how it fails."""
        heard: list[ModelEvent] = []
        try:
            async for event in self.retrying.stream(self._heard(asked)):
                heard.append(event)  # noqa: PERF401 (kept when the stream raises)
        except ModelError as error:
            return heard, error
        raise AssertionError("the call did not fail")

    @property
    def tries(self) -> int:
        return len(self.port.requests)


async def test_an_answer_at_once_needs_no_second_try() -> None:
    table = Table(Play())
    assert await table.hear() == list(HELLO)
    assert (table.tries, table.time.slept) == (1, [])


@pytest.mark.parametrize(
    ("kind", "tries"),
    [
        (ErrorKind.RATE_LIMITED, 3),
        (ErrorKind.OVERLOADED, 3),
        (ErrorKind.NETWORK, 2),
        (ErrorKind.TIMEOUT, 1),
        (ErrorKind.OUT_OF_MONEY, 1),
        (ErrorKind.CONTEXT_EXCEEDED, 1),
        (ErrorKind.UNSUPPORTED_PARAMETER, 1),
        (ErrorKind.REFUSED, 1),
        (ErrorKind.NOT_AUTHORISED, 1),
        (ErrorKind.BAD_OUTPUT, 1),
    ],
)
async def test_each_kind_is_tried_as_often_as_it_may(kind: ErrorKind, tries: int) -> None:
    """providers 1.2; a timeout has no second try inside a round (2.2#24)."""
    table = Table(failing(kind))
    assert (await table.fail()).kind is kind
    assert table.tries == tries


async def test_without_money_for_another_try_the_failure_stands() -> None:
    table = Table(failing(ErrorKind.OVERLOADED))
    table.broke = True
    assert (await table.fail()).kind is ErrorKind.OVERLOADED
    assert (table.tries, len(table.told), table.time.slept) == (1, 1, [])


def test_every_kind_of_failure_has_a_rule_of_its_own_or_is_final() -> None:
    assert {kind for kind in ErrorKind if RetryPolicy().tries.get(kind, 1) > 1} == {
        ErrorKind.RATE_LIMITED,
        ErrorKind.OVERLOADED,
        ErrorKind.NETWORK,
    }


async def test_a_later_try_that_answers_is_the_answer() -> None:
    table = Table(OVERLOADED, OVERLOADED, Play())
    assert await table.hear() == list(HELLO)
    assert table.tries == 3


async def test_tries_are_counted_over_all_kinds() -> None:
    table = Table(OVERLOADED, NETWORK, Play())
    assert (await table.fail()).kind is ErrorKind.NETWORK
    assert table.tries == 2


async def test_waits_grow_and_are_jittered_in_full() -> None:
    policy = RetryPolicy(tries={ErrorKind.OVERLOADED: 9}, kept=0.0)
    rng = random.Random(1)
    waits = [[policy.wait_after(_overloaded(), tries, rng) for _ in range(200)] for tries in (1, 4)]
    for drawn, ceiling in zip(waits, (0.5, 4.0), strict=True):
        known = [wait for wait in drawn if wait is not None]
        assert len(known) == 200
        assert 0 <= min(known) < 0.1 * ceiling
        assert 0.9 * ceiling < max(known) <= ceiling


def test_a_wait_has_a_ceiling() -> None:
    policy = RetryPolicy(tries={ErrorKind.OVERLOADED: 99})
    rng = random.Random(1)
    waits = [policy.wait_after(_overloaded(), 50, rng) or 0.0 for _ in range(200)]
    assert 15 < max(waits) <= 20


async def test_the_wait_a_server_asks_for_is_kept() -> None:
    table = Table(failing(ErrorKind.RATE_LIMITED, retry_after=7.0), Play())
    await table.hear()
    (slept,) = table.time.slept
    assert 7.0 <= slept <= 7.5


@pytest.mark.parametrize(
    ("retry_after", "deadline", "tries"),
    [(60.0, 600.0, 2), (60.1, 600.0, 1), (29.0, 60.0, 2), (31.0, 60.0, 1), (90.0, 60.0, 1)],
)
async def test_a_wait_too_long_fails_at_once_so_that_the_fallback_is_used(
    retry_after: float, deadline: float, tries: int
) -> None:
    """2.2#24: half of the time is kept for the answer or the fallback."""
    table = Table(failing(ErrorKind.RATE_LIMITED, retry_after=retry_after), Play())
    asked = request(deadline)
    if tries == 1:
        assert (await table.fail(asked)).retry_after == retry_after
        assert table.time.slept == []
    else:
        assert await table.hear(asked) == list(HELLO)
    assert table.tries == tries


async def test_a_failure_late_in_the_call_is_left_to_the_fallback() -> None:
    table = Table(failing(ErrorKind.NETWORK, after=40.0), Play())
    assert (await table.fail(request(60.0))).kind is ErrorKind.NETWORK
    assert table.tries == 1


async def test_a_later_try_gets_only_the_time_that_is_left() -> None:
    table = Table(failing(ErrorKind.OVERLOADED, after=10.0, retry_after=5.0), Play())
    await table.hear(request(60.0))
    first, second = table.port.requests
    assert first.deadline_seconds == 60.0
    assert second.deadline_seconds == pytest.approx(60.0 - 10.0 - table.time.slept[0])


async def test_nothing_is_tried_again_after_text_was_passed_on() -> None:
    table = Table(failing(ErrorKind.NETWORK, Started("m"), Delta("Hel")), Play())
    heard, _ = await table.until_error()
    assert heard == [Started("m"), Delta("Hel")]
    assert table.tries == 1


async def test_a_reader_sees_one_clean_stream() -> None:
    """The start of a try that failed is never passed on."""
    table = Table(failing(ErrorKind.OVERLOADED, Started("broken"), Usage(5, 0)), Play())
    assert await table.hear() == list(HELLO)


async def test_text_is_passed_on_as_it_comes() -> None:
    table = Table(Play((Started("m"), Delta("Hel")), hangs=True))
    async with aclosing(table.retrying.stream(request())) as events:
        assert [await anext(events), await anext(events)] == [Started("m"), Delta("Hel")]


async def test_what_the_last_failure_used_is_told_before_it() -> None:
    table = Table(failing(ErrorKind.BAD_OUTPUT, Started("m"), Usage(9, 40)))
    heard, _ = await table.until_error()
    assert heard == [Started("m"), Usage(9, 40)]


async def test_a_stream_that_ends_without_text_ends_the_same() -> None:
    table = Table(Play((Started("m"),)))
    assert await table.hear() == [Started("m")]


async def test_an_ending_without_text_is_passed_on() -> None:
    table = Table(Play((Started("m"), Finished("length"))))
    assert await table.hear() == [Started("m"), Finished("length")]


async def test_every_repeated_try_is_told_for_the_ledger() -> None:
    table = Table(failing(ErrorKind.OVERLOADED, Usage(5, 0), after=2.0), NETWORK, OVERLOADED)
    await table.fail()
    (failed,) = table.told
    assert (failed.number, failed.error.kind) == (1, ErrorKind.OVERLOADED)
    assert (failed.seconds, failed.usage, failed.wait) == (2.0, Usage(5, 0), table.time.slept[0])


async def test_a_model_that_rests_is_not_waited_for() -> None:
    error = CircuitOpenError(ErrorKind.OVERLOADED, "It rests.", 1.0)
    table = Table(Play((), error), Play())
    assert await table.fail() is error
    assert table.tries == 1


async def test_every_try_is_closed() -> None:
    table = Table(OVERLOADED, Play())
    await table.hear()
    assert table.port.open_streams == 0


async def test_leaving_early_closes_the_try() -> None:
    table = Table(Play())
    async with aclosing(table.retrying.stream(request())) as events:
        await anext(events)
        assert table.port.open_streams == 1
    assert table.port.open_streams == 0


async def test_cancelling_ends_the_wait_for_the_next_try() -> None:
    waiting = asyncio.Event()

    async def sleep(_: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    table = Table(OVERLOADED, Play(), sleep=sleep)
    task = asyncio.create_task(table.hear())
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert table.tries == 1


async def test_a_bug_is_not_tried_again() -> None:
    table = Table(Play((), RuntimeError("bug")))
    with pytest.raises(RuntimeError):
        await table.hear()
    assert table.tries == 1


async def test_collecting_gives_the_answer_of_the_try_that_worked() -> None:
    table = Table(failing(ErrorKind.OVERLOADED, Started("broken")), Play())
    answer = await collect(table.retrying, request())
    assert (answer.text, answer.model) == ("Hello.", "real-model")


async def test_closing_closes_the_port_behind() -> None:
    table = Table(Play())
    await table.retrying.close()
    assert table.port.closed


def _overloaded() -> ModelError:
    return ModelError(ErrorKind.OVERLOADED, "Busy.")
