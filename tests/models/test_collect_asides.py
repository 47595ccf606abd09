"""What is told beside an answer: time in line does not count, and a retry undoes none of it."""

from collections.abc import AsyncGenerator, Iterator

from bot.models.breaker import BreakerPort
from bot.models.collect import Asides, collect
from bot.models.retry import RetryingPort
from bot.types.model_port import (
    Activity,
    Delta,
    ErrorKind,
    Finished,
    Message,
    ModelError,
    ModelEvent,
    ModelRequest,
    Prompt,
    Queued,
    Remark,
    SessionKept,
    Started,
)

FAILURES_TO_OPEN = 5

REQUEST = ModelRequest("m", Prompt("round1", {}, (Message("user", "Speak."),)), "r1:analyst", 10.0)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Slow:
    """A port whose line takes 100 seconds, and which fails as often as it is told to."""

    def __init__(self, clock: Clock, failures: int = 0) -> None:
        self.clock = clock
        self.failures = failures

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        yield Queued(1)
        self.clock.now += 100.0
        yield Queued(0)
        yield Started("m")
        yield Remark("something was denied")
        self.clock.now += 1.0
        if self.failures:
            self.failures -= 1
            raise ModelError(ErrorKind.NETWORK, "it broke")
        yield from_harness()
        yield Activity("reading")
        yield Delta("a word")
        yield Finished("stop")

    async def close(self) -> None: ...


def from_harness() -> SessionKept:
    return SessionKept("session-1")


async def test_everything_is_kept_and_the_card_hears_of_the_line_and_the_doing() -> None:
    clock, notes = Clock(), list[str]()
    asides = Asides(notes.append, clock)
    await collect(Slow(clock), REQUEST, asides=asides)
    assert asides.settle() == asides.waited == 100.0
    assert (asides.session, asides.remarks) == ("session-1", ["something was denied"])
    assert notes == ["in the queue, 1 ahead", "", "reading"]


async def test_a_try_in_line_leaves_time_for_another_and_its_remarks_stay() -> None:
    """2.2#24: 100 seconds in line, twice, of a call that has 10."""
    clock = Clock()
    asides = Asides(clock=clock)
    port = RetryingPort(BreakerPort(Slow(clock, failures=1), clock), clock=clock, sleep=clock.sleep)
    assert (await collect(port, REQUEST, asides=asides)).text == "a word"
    assert asides.waited == 200.0
    assert asides.remarks == ["something was denied"]


async def test_leaving_soon_after_the_turn_came_is_no_timeout_of_the_model() -> None:
    """The breaker counts from the turn, so callers who had enough of the line open no circuit."""
    clock = Clock()
    port = BreakerPort(Slow(clock), clock)
    for _ in range(FAILURES_TO_OPEN + 1):
        events = port.stream(REQUEST)
        async for event in events:
            if isinstance(event, Started):
                break
        await events.aclose()
    assert port.circuit("m").resting == 0.0


def test_a_call_that_ends_in_line_has_waited_until_then() -> None:
    times: Iterator[float] = iter([5.0, 8.0, 9.0])
    asides = Asides(clock=lambda: next(times))
    asides.take(Queued(3))
    assert asides.settle() == 3.0
    assert asides.settle() == 3.0
