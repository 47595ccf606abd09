"""The time of a run: rounds, the tail for the conclusion, and an end for everything."""

from bot.meeting.context import TimeBudget
from bot.panels import Timeouts

LEAST_SECONDS = 5.0


class Clock:
    """Time that passes when told."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def budget(clock: Clock, *, validate: bool = False) -> TimeBudget:
    plain = Timeouts.model_validate({"tiers": {}})
    return TimeBudget(plain, validate=validate, clock=clock)


def test_the_whole_run_grows_with_the_slowest_tier() -> None:
    """2.2#22: what is reserved for the conclusion grows, too."""
    time = TimeBudget(Timeouts(), validate=False, clock=Clock())
    assert time.left() == 3 * (600 - 180 - 30)
    assert time.cap_tail(10_000) == 3 * 600


def test_rounds_leave_time_for_the_conclusion_and_its_check() -> None:
    """A30 2.2#22."""
    assert budget(Clock()).left() == 600 - 180 - 30
    assert budget(Clock(), validate=True).left() == 600 - 180 - 30 - 60


def test_a_step_of_the_rounds_ends_before_the_tail() -> None:
    """A29 A31: a seat's own limit, and the meeting's where that is shorter."""
    clock = Clock()
    time = budget(clock)
    clock.now = 360.0
    assert time.cap(60) == 30
    assert time.allows(30)
    assert not time.allows(31)
    assert time.cap(20) == 20


def test_a_second_writer_gets_what_the_first_left_of_the_whole_run() -> None:
    """A30: two writers one after the other do not outlast the meeting."""
    clock = Clock()
    time = budget(clock)
    clock.now = 390.0
    assert time.cap_tail(180) == 180
    clock.now = 570.0
    assert time.cap_tail(180) == 30


def test_nobody_is_asked_without_time_to_answer() -> None:
    """A29 A31."""
    clock = Clock()
    time = budget(clock)
    clock.now = 10_000.0
    assert time.left() == 0
    assert time.cap(60) == time.cap_tail(60) == LEAST_SECONDS
