"""Whatever happens, in whatever order, the floor keeps its promises."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from bot.floor import sends, turns, waking
from bot.floor.state import Epoch, FloorState, Holding
from tests.floor.campaign import sequence, shortened, violation
from tests.floor.simulation import World

CHOICES = st.integers(0, 9999)
FEW = 600


class AnyOrder(RuleBasedStateMachine):
    """People, seats, failures, late and doubled events, clock jumps."""

    @initialize(seed=CHOICES)
    def begin(self, seed: int) -> None:
        self.world = World(seed)

    @rule(choice=CHOICES)
    def play(self, choice: int) -> None:
        self.world.play(choice)

    @rule(choice=CHOICES)
    def play_on(self, choice: int) -> None:
        for step in range(5):
            self.world.play(choice + step)

    @rule(choice=CHOICES)
    def person(self, choice: int) -> None:
        self.world.person(choice)

    @rule(choice=CHOICES, action=st.sampled_from([World.person_again, World.replay]))
    def again(self, choice: int, action: Callable[[World, int], None]) -> None:
        action(self.world, choice)

    @rule(choice=CHOICES, action=st.sampled_from([World.tick, World.deadline, World.jump]))
    def time(self, choice: int, action: Callable[[World, int], None]) -> None:
        action(self.world, choice)

    @rule(
        choice=CHOICES,
        action=st.sampled_from([World.meddle, World.claim, World.observe, World.stray]),
    )
    def disturb(self, choice: int, action: Callable[[World, int], None]) -> None:
        action(self.world, choice)

    @rule(choice=CHOICES)
    def fail(self, choice: int) -> None:
        self.world.fail_unclaimed(choice)

    @rule(choice=CHOICES, action=st.sampled_from([World.command, World.round]))
    def command(self, choice: int, action: Callable[[World, int], None]) -> None:
        action(self.world, choice)

    def teardown(self) -> None:
        self.world.check_end()


AnyOrder.TestCase.settings = settings(
    max_examples=200,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
test_the_floor_keeps_its_promises = AnyOrder.TestCase


def first_broken_promise() -> str | None:
    """The first promise broken in a small campaign."""
    return next(broken_promises(), None)


def broken_promises() -> Iterator[str]:
    for seed in range(FEW):
        if broken := violation(seed, sequence(seed)):
            yield str(broken).splitlines()[0]


def flawed_limits(monkeypatch: pytest.MonkeyPatch, **limits: Any) -> None:
    """Floors that take their limits for larger than they are."""
    begin = World.__post_init__

    def flawed(world: World) -> None:
        begin(world)
        world.floor.arrange(replace(world.config, **limits), world.floor.seats)

    monkeypatch.setattr(World, "__post_init__", flawed)


def test_a_small_campaign_breaks_no_promise() -> None:
    """Issue 6: at most one claim, no superseded turn, no lost wake, every exchange ends."""
    assert first_broken_promise() is None


def test_a_floor_that_forgets_the_hop_limit_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """D16: the check can see an offender."""
    flawed_limits(monkeypatch, max_bot_hops=99)
    assert first_broken_promise() == "more hops than allowed"


def test_a_floor_that_forgets_the_call_budget_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    flawed_limits(monkeypatch, max_calls=99)
    assert first_broken_promise() == "more model calls than allowed"


def test_a_lost_wake_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """2.4(1)."""
    monkeypatch.setattr(waking, "_wake_next", lambda *_: True)
    assert first_broken_promise() == "nobody was woken and the exchange is still open"


def test_a_lost_question_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def lose(state: FloorState, epoch: Epoch) -> bool:
        return epoch.question is not None

    monkeypatch.setattr(turns, "_put_back", lose)
    assert "questions were lost" in str(first_broken_promise())


def test_two_answers_on_their_way_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """D1."""
    monkeypatch.setattr(turns, "_let_out", lambda *_: None)
    assert first_broken_promise() == "two seats hold the turn"


def test_a_superseded_turn_that_becomes_visible_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """2.4(4)."""

    def any_claim(state: FloorState, agent: str, token: int) -> tuple[Epoch, Holding] | None:
        epoch = state.epoch
        claim = epoch.claim if epoch else None
        if epoch is None or claim is None or claim.agent != agent:
            return None
        return epoch, replace_token(claim, token)

    monkeypatch.setattr(sends, "_held", any_claim)
    assert "a turn of a superseded exchange became visible" in broken_promises()


def replace_token(claim: Holding, token: int) -> Holding:
    claim.token = token
    return claim


def test_an_exchange_that_never_ends_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """D15."""
    monkeypatch.setattr(turns, "_end_wake", lambda *_: None)
    monkeypatch.setattr(turns, "_is_stale", lambda *_: False)
    assert first_broken_promise() == "an exchange does not end"


def test_a_broken_promise_is_shown_with_the_fewest_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waking, "_wake_next", lambda *_: True)
    seed = next(seed for seed in range(FEW) if violation(seed, sequence(seed)))
    short = shortened(seed, sequence(seed))
    assert len(short) <= 6 < len(sequence(seed))
    assert violation(seed, short)
