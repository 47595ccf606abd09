"""The driver obeys the floor: seats think, speak one at a time, and time passes as it is told."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from bot.floor import (
    Claim,
    Closed,
    CloseReason,
    Dropped,
    Floor,
    FloorConfig,
    FloorSeat,
    Human,
    Quiet,
    ScheduleRound,
    Stop,
    Tick,
)
from bot.threads.driver import ThreadDriver, Timer
from bot.threads.threads import Threads, floor_for_rounds, round_floor
from bot.threads.turn import SpokenTurn, Turn, TurnFailedError

SWEEP_MS = 600_000

SEATS = (FloorSeat("rt_1:analyst", "Analyst"), FloorSeat("rt_1:critic", "Critic"))
ANALYST, CRITIC = (seat.key for seat in SEATS)
THREAD = 5


@dataclass
class ManualTimer:
    due: int
    action: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class ManualClock:
    """Time that passes when a test says so."""

    time: int = 0
    timers: list[ManualTimer] = field(default_factory=list)

    def now(self) -> int:
        return self.time

    def call_later(self, milliseconds: int, action: Callable[[], None]) -> Timer:
        self.timers.append(ManualTimer(self.time + milliseconds, action))
        return self.timers[-1]

    async def pass_ms(self, milliseconds: int) -> None:
        self.time += milliseconds
        for timer in [t for t in self.timers if t.due <= self.time and not t.cancelled]:
            timer.cancel()
            timer.action()
        await rest()


@dataclass
class FakePanelists:
    """Panelists whose answers a test decides."""

    thoughts: dict[str, "asyncio.Future[str]"] = field(default_factory=dict)
    shown: list[tuple[str, str]] = field(default_factory=list)
    ended: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    asked: list[tuple[int, ...]] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    refuses: bool = False
    posting: asyncio.Event = field(default_factory=asyncio.Event)
    numbers: int = 1000

    def __post_init__(self) -> None:
        self.posting.set()

    async def think(self, turn: Turn) -> SpokenTurn:
        return SpokenTurn(await self.thought(turn.seat))

    def thought(self, seat: str) -> "asyncio.Future[str]":
        if seat not in self.thoughts:
            self.thoughts[seat] = asyncio.get_running_loop().create_future()
        return self.thoughts[seat]

    async def show(self, turn: Turn, said: SpokenTurn) -> tuple[int, ...]:
        await self.posting.wait()
        if self.refuses:
            raise TurnFailedError("Discord says no")
        return self.post(turn.seat, said.text)

    def post(self, seat: str, text: str) -> tuple[int, ...]:
        self.shown.append((seat, text))
        self.numbers += 1
        return (self.numbers,)

    async def after(self, turn: Turn, said: SpokenTurn) -> None:
        """Nothing waits."""

    async def close(self, thread_id: int, closed: Closed, failures: tuple[str, ...]) -> None:
        assert thread_id == THREAD
        self.ended.append((closed.reason.value, failures))
        self.asked.append(closed.asked)

    async def abandon(self, thread_id: int, dropped: Dropped) -> None:
        assert thread_id == THREAD
        self.dropped.append(dropped)


async def rest() -> None:
    """Let every task that can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)


def seated(**config: int | bool) -> tuple[Threads, FakePanelists, ManualClock]:
    clock, panelists = ManualClock(), FakePanelists()
    threads = Threads(clock)
    threads.serve(panelists)
    threads.open(THREAD, FloorConfig(**config), SEATS)  # type: ignore[arg-type]
    return threads, panelists, clock


def ask(threads: Threads, message_id: int, *seats: str, author: int = 1, **config: int) -> object:
    driver = threads.open(THREAD, FloorConfig(**config), SEATS)  # type: ignore[arg-type]
    return driver.tell(Human(message_id, author, "Ada", "why?", seats, for_all=not seats))


async def test_an_answer_is_posted_settles_and_leaves_nothing_behind() -> None:
    """D7 D13: after the settle time the driver is gone, after an hour the floor is, too."""
    threads, panelists, clock = seated(max_calls=7)
    ask(threads, 1, ANALYST, max_calls=7)
    await rest()
    panelists.thought(ANALYST).set_result("Because.")
    await rest()
    assert panelists.shown == [(ANALYST, "Because.")]
    assert len(threads) == 1
    await clock.pass_ms(1500)
    assert panelists.ended == [("answered", ())]
    assert len(threads) == 0
    await clock.pass_ms(SWEEP_MS)
    assert threads.config(THREAD).max_calls == 7
    await clock.pass_ms(3_600_000)
    await clock.pass_ms(SWEEP_MS)
    assert threads.config(THREAD) == FloorConfig()


async def test_seats_think_at_once_in_a_round_and_speak_one_at_a_time() -> None:
    """D6 2.2#10: generation is parallel, and a slot is kept until its own seat has failed."""
    threads, panelists, _ = seated()
    driver = threads.open(THREAD, FloorConfig(), SEATS)

    async def speak(seat: str) -> None:
        async def post() -> tuple[int, ...]:
            await panelists.posting.wait()
            return panelists.post(seat, "said")

        await floor.speak(seat, "said", post)

    async with floor_for_rounds(lambda: driver):
        floor = round_floor(driver, (ANALYST, CRITIC), in_order=True)
        panelists.posting.clear()
        second = asyncio.create_task(speak(CRITIC))
        await rest()
        first = asyncio.create_task(speak(ANALYST))
        await rest()
        assert panelists.shown == []
        panelists.posting.set()
        await asyncio.gather(first, second)
        assert [seat for seat, _ in panelists.shown] == [ANALYST, CRITIC]
    async with floor_for_rounds(lambda: driver):
        floor = round_floor(driver, (ANALYST, CRITIC), in_order=True)
        waiting = asyncio.create_task(speak(CRITIC))
        await rest()
        assert not waiting.done()
        floor.skip(ANALYST, "timeout")
        await waiting
    assert len(threads) == 0


async def test_a_question_during_rounds_is_taken_up_when_the_last_is_done() -> None:
    """2.2#37: between two rounds nobody begins an answer that the next one would cut off."""
    threads, panelists, clock = seated()
    driver = threads.open(THREAD, FloorConfig(), SEATS)
    async with floor_for_rounds(lambda: driver):
        first = round_floor(driver, (ANALYST,), in_order=True)
        ask(threads, 1, CRITIC)
        first.skip(ANALYST, "timeout")
        await rest()
        assert panelists.thoughts == {}
        round_floor(driver, (ANALYST,), in_order=True)
        await rest()
        assert panelists.thoughts == {}
    await rest()
    panelists.thought(CRITIC).set_result("Now I answer.")
    await rest()
    assert panelists.shown == [(CRITIC, "Now I answer.")]
    await clock.pass_ms(1500)
    assert len(threads) == 0


async def test_what_is_thought_for_a_superseded_exchange_is_never_shown() -> None:
    """D6 2.4: stopped in the middle of a thought; the answer that comes later is dropped."""
    threads, panelists, _ = seated()
    ask(threads, 1, ANALYST)
    ask(threads, 2, CRITIC, author=2)
    await rest()
    driver = threads.live(THREAD)
    assert driver is not None
    driver.tell(Stop())
    await rest()
    assert panelists.shown == []
    assert panelists.ended == [("stopped", ())]
    assert [dropped.message_ids for dropped in panelists.dropped] == [(2,)]
    assert len(threads) == 0


async def test_failures_are_told_with_the_end_of_the_exchange() -> None:
    """A seat that fails, one that breaks, and a post that Discord does not take."""
    threads, panelists, clock = seated()
    ask(threads, 1, ANALYST)
    await rest()
    panelists.thought(ANALYST).set_exception(TurnFailedError("Analyst is ill"))
    await rest()
    ask(threads, 2, CRITIC)
    await rest()
    panelists.thought(CRITIC).set_exception(ValueError("a bug"))
    await rest()
    panelists.thoughts.clear()
    panelists.refuses = True
    ask(threads, 3, ANALYST)
    await rest()
    panelists.thought(ANALYST).set_result("Because.")
    await rest()
    await clock.pass_ms(1500)
    assert [failures for _, failures in panelists.ended] == [
        ("Analyst is ill",),
        ("internal error in the bot",),
        ("Discord says no",),
    ]
    assert len(threads) == 0


async def test_a_post_that_waits_for_discord_keeps_its_claim() -> None:
    """D12 2.2#40: the lease counts from the last activity, and posting is activity."""
    threads, panelists, clock = seated(lease_ms=3000)
    panelists.posting.clear()
    ask(threads, 1, lease_ms=3000)
    await rest()
    panelists.thought(ANALYST).set_result("A long post.")
    await rest()
    for _ in range(150):
        await clock.pass_ms(1000)
    driver = threads.live(THREAD)
    assert driver is not None
    assert driver.floor.holder == ANALYST
    panelists.posting.set()
    await rest()
    assert panelists.shown == [(ANALYST, "A long post.")]
    await threads.close()


async def test_a_seat_that_thinks_for_long_keeps_its_claim_until_its_own_deadline() -> None:
    """D12 2.2#40: a slow call, such as a harness's, is no silence; only the call's end ends it."""
    threads, panelists, clock = seated()
    ask(threads, 1, ANALYST)
    await rest()
    for _ in range(30):
        await clock.pass_ms(20_000)
    driver = threads.live(THREAD)
    assert driver is not None
    assert driver.floor.holder == ANALYST
    panelists.thought(ANALYST).set_result("After ten minutes.")
    await rest()
    assert panelists.shown == [(ANALYST, "After ten minutes.")]
    await clock.pass_ms(1500)
    assert panelists.ended == [("answered", ())]
    assert len(threads) == 0


async def test_a_claim_that_was_renewed_outlives_the_timer_of_its_first_lease() -> None:
    """The timer that is set already goes off too early, and then waits for the rest."""
    threads, _, clock = seated()
    driver = threads.open(THREAD, FloorConfig(lease_ms=15_000), SEATS)
    driver.tell(ScheduleRound((ANALYST, CRITIC)))
    driver.tell(Claim(ANALYST))
    await clock.pass_ms(10_000)
    driver.tell(Claim(ANALYST))
    await clock.pass_ms(15_000)
    assert driver.floor.holder == ANALYST
    await clock.pass_ms(1)
    assert driver.floor.holder is None


class SlowToLeave(FakePanelists):
    """Panelists whose calls are not over at once when they are cancelled."""

    async def think(self, turn: Turn) -> SpokenTurn:
        try:
            return await super().think(turn)
        finally:
            await rest()


async def test_closing_starts_nothing_new() -> None:
    """D21: a restart leaves everything where it is, and no task or timer behind.

    What is still told to it begins nothing, either.
    """
    clock, panelists = ManualClock(), SlowToLeave()
    threads = Threads(clock)
    threads.serve(panelists)
    ask(threads, 1)
    driver = threads.live(THREAD)
    assert driver is not None
    resting = asyncio.create_task(threads.at_rest())
    await rest()
    await threads.close()
    await resting
    assert asyncio.all_tasks() == {asyncio.current_task()}
    driver.tell(Human(2, 2, "Ben", "and now?", (), for_all=True))
    await rest()
    assert all(timer.cancelled for timer in clock.timers)
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert (len(threads), panelists.shown, panelists.ended) == (0, [], [])


@pytest.mark.parametrize(("word", "reason"), [(Stop(), "stopped"), (Quiet(), "quiet")])
async def test_without_the_arbiter_a_stop_ends_what_is_being_thought(
    word: Stop | Quiet, reason: str
) -> None:
    """D10: the calls are cancelled, and every question is closed as stopped."""
    threads, panelists, _ = seated(enabled=False)
    ask(threads, 1, ANALYST, enabled=False)
    ask(threads, 2, author=2, enabled=False)
    await rest()
    driver = threads.live(THREAD)
    assert driver is not None
    driver.tell(word)
    await rest()
    assert panelists.thought(ANALYST).cancelled()
    assert panelists.thought(CRITIC).cancelled()
    assert panelists.ended == [(reason, ())]
    assert panelists.asked == [(1, 2)]
    assert (len(threads), panelists.shown) == (0, [])


async def test_without_the_arbiter_what_is_being_posted_is_posted() -> None:
    """D10: a post that has begun is never interrupted, and its question is answered."""
    threads, panelists, _ = seated(enabled=False)
    panelists.posting.clear()
    ask(threads, 1, ANALYST, enabled=False)
    await rest()
    panelists.thought(ANALYST).set_result("Yes.")
    await rest()
    threads.note(THREAD, Stop())
    panelists.posting.set()
    await rest()
    assert panelists.shown == [(ANALYST, "Yes.")]
    assert panelists.ended == [("answered", ())]


async def test_without_the_arbiter_one_answer_does_not_end_those_of_others() -> None:
    """D10: nothing is held back, and a question is closed when the last seat has ended."""
    threads, panelists, _ = seated(enabled=False)
    ask(threads, 1, enabled=False)
    await rest()
    panelists.thought(ANALYST).set_result("Yes.")
    await rest()
    assert panelists.ended == []
    panelists.thought(CRITIC).set_exception(TurnFailedError("Critic is out"))
    await rest()
    assert panelists.shown == [(ANALYST, "Yes.")]
    assert panelists.ended == [("answered", ("Critic is out",))]


async def test_others_may_react_to_what_was_posted_although_the_arbiter_failed() -> None:
    """D4 D14 D18: after the cooldown the talk goes on from there, during it nothing opens."""
    for thought_ms, woken in ((14_000, False), (16_000, True)):
        settings = {"open_always": True, "debug": True, "lease_ms": 60_000}
        threads, panelists, clock = seated(**settings)
        driver = ask_driver(threads, 1, ANALYST, **settings)
        await rest()
        await clock.pass_ms(thought_ms)
        fail_next(driver.floor)
        driver.tell(Tick())
        panelists.thought(ANALYST).set_result("Yes.")
        await rest()
        assert panelists.shown == [(ANALYST, "Yes.")]
        assert (CRITIC in panelists.thoughts) is woken
        await threads.close()


async def test_a_question_that_a_failure_loses_is_told_and_the_answer_under_way_is_posted() -> None:
    """D18, 2.4(8): never dropped silently."""
    threads, panelists, _ = seated(debug=True)
    driver = ask_driver(threads, 1, ANALYST, debug=True)
    ask(threads, 2, CRITIC, author=2, debug=True)
    await rest()
    fail_next(driver.floor)
    driver.tell(Tick())
    panelists.thought(ANALYST).set_result("Yes.")
    await rest()
    assert panelists.shown == [(ANALYST, "Yes.")]
    assert panelists.dropped == [Dropped((2,), CloseReason.ARBITER_FAILED)]
    await threads.close()


@pytest.mark.parametrize(("word", "reason"), [(Stop(), "stopped"), (Quiet(), "quiet")])
async def test_a_stop_ends_what_is_thought_about_although_the_arbiter_failed(
    word: Stop | Quiet, reason: str
) -> None:
    """D18 2.4: a question that came while it failed is cancelled like others."""
    threads, panelists, _ = seated(debug=True)
    driver = threads.open(THREAD, FloorConfig(debug=True), SEATS)
    fail_next(driver.floor)
    driver.tell(Human(1, 7, "Ines", "why?", (ANALYST,), for_all=False))
    await rest()
    driver.tell(word)
    await rest()
    assert panelists.thought(ANALYST).cancelled()
    assert (panelists.ended, panelists.asked) == ([(reason, ())], [(1,)])
    await threads.close()


async def test_switching_the_arbiter_off_waits_for_the_exchange_and_loses_no_question() -> None:
    """D10: also what waits is answered before the switch counts."""
    threads, panelists, clock = seated()
    driver = ask_driver(threads, 1, ANALYST)
    ask(threads, 2, CRITIC, author=2)
    await rest()
    threads.open(THREAD, FloorConfig(enabled=False), SEATS)
    panelists.thought(CRITIC).set_result("No.")
    panelists.thought(ANALYST).set_result("Yes.")
    await rest()
    await clock.pass_ms(FloorConfig().settle_ms)
    assert panelists.shown == [(ANALYST, "Yes."), (CRITIC, "No.")]
    await clock.pass_ms(FloorConfig().settle_ms)
    assert driver.at_rest
    assert not threads.open(THREAD, FloorConfig(enabled=False), SEATS).floor.config.enabled
    await threads.close()


def ask_driver(threads: Threads, message_id: int, *seats: str, **config: int) -> ThreadDriver:
    ask(threads, message_id, *seats, **config)
    driver = threads.live(THREAD)
    assert driver is not None
    return driver


def fail_next(floor: Floor) -> None:
    """Let a floor fail at its next decision."""
    trace = floor.trace

    def fail(_: str) -> None:
        floor.trace = trace
        raise RuntimeError("lost")

    floor.trace = fail
