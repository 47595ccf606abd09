"""The floors of many threads, and how they are forgotten."""

from bot.floor import Claim, Denied, DenyReason, FloorConfig, FloorRegistry, Human, Quiet, Tick
from tests.floor.floor_harness import ANALYST, SEATS

ASKED = Human(1, 1, "Ada", "why?", (ANALYST,))
CONFIG = FloorConfig(epoch_idle_ms=60_000)


def test_a_thread_keeps_its_floor() -> None:
    registry = FloorRegistry()
    floor = registry.floor(7, CONFIG, SEATS)
    assert registry.floor(7, CONFIG, SEATS) is floor
    assert registry.get(7) is floor
    assert registry.get(8) is None


def test_idle_floors_are_forgotten() -> None:
    """D7, D15: no memory for what is over."""
    registry = FloorRegistry()
    registry.floor(7, CONFIG, SEATS)
    registry.floor(8, CONFIG, SEATS).handle(ASKED, 0)
    assert registry.forget_idle(0) == 1
    assert registry.get(7) is None
    assert len(registry) == 1
    assert registry.get(8) is not None


def test_a_floor_is_kept_while_its_last_exchange_still_denies_claims() -> None:
    """3.2: closed epochs are deleted epochIdleMs after closing."""
    registry = FloorRegistry()
    floor = registry.floor(7, CONFIG, SEATS)
    floor.handle(ASKED, 0)
    floor.handle(Tick(), 60_001)
    assert registry.forget_idle(120_001) == 0
    assert registry.forget_idle(120_002) == 1


def test_silence_outlives_the_floor() -> None:
    """2.4(2), 2.4(6): only a person lifts it."""
    registry = FloorRegistry()
    registry.floor(7, CONFIG, SEATS).handle(Quiet(), 0)
    assert registry.forget_idle(0) == 1
    again = registry.floor(7, CONFIG, SEATS)
    assert again.handle(Claim(ANALYST), 0) == (Denied(ANALYST, DenyReason.QUIET),)


def test_a_deleted_thread_leaves_nothing() -> None:
    """Issue 6.6."""
    registry = FloorRegistry()
    registry.floor(7, CONFIG, SEATS).handle(Quiet(), 0)
    registry.drop(7)
    assert registry.floor(7, CONFIG, SEATS).silence is None


def test_changed_settings_reach_a_floor_that_is_awake() -> None:
    registry = FloorRegistry()
    floor = registry.floor(7, CONFIG, SEATS)
    registry.floor(7, FloorConfig(lease_ms=5000), SEATS[:1])
    assert floor.config.lease_ms == 5000
    assert floor.seats == SEATS[:1]


def test_claims_of_all_threads_have_different_numbers() -> None:
    """2.4(4): a claim of a forgotten floor fits nowhere."""
    registry = FloorRegistry()
    first = registry.floor(7, CONFIG, SEATS).handle(Claim(ANALYST), 0)
    second = registry.floor(8, CONFIG, SEATS).handle(Claim(ANALYST), 0)
    assert first != second


def test_a_trace_names_the_thread() -> None:
    """D19."""
    said: list[tuple[int, str]] = []
    registry = FloorRegistry(lambda thread_id, text: said.append((thread_id, text)))
    registry.floor(7, FloorConfig(debug=True), SEATS).handle(Tick(), 0)
    assert said == [(7, "Tick: nothing to do: it was noted.")]
