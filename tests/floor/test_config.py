"""Settings, the off switch, the trace, and what happens when the arbiter itself fails."""

from typing import Any

import pytest

from bot.floor import (
    Allow,
    Archived,
    Cancel,
    CancelReason,
    Claim,
    CloseReason,
    Dropped,
    Event,
    Faulted,
    Floor,
    FloorConfig,
    Granted,
    Human,
    IgnoreReason,
    Nothing,
    Opened,
    Quiet,
    Sending,
    Sent,
    Stop,
    Tick,
    Wake,
)
from bot.panels import Arbiter
from bot.panels.sections import Followups
from tests.floor.floor_harness import ANALYST, JUDGE, SEATS, SKEPTIC, FloorHarness


def test_every_setting_comes_from_the_panels_file() -> None:
    """D10-D19, 2.2#38, 2.2#39."""
    arbiter = Arbiter.model_validate(
        {
            "enabledChannels": (5,),
            "leaseMs": 2000,
            "settleMs": 300,
            "botReopenCooldownMs": 0,
            "epochIdleMs": 70_000,
            "maxBotHops": 3,
            "maxPromptChars": 5000,
            "failOpen": False,
            "debug": True,
            "promptOverflow": "trim",
        }
    )
    followups = Followups.model_validate({"openFloor": "always", "maxCallsPerEpoch": 4})
    assert FloorConfig.of(arbiter, followups) == FloorConfig(
        enabled=True,
        enabled_channels=frozenset({5}),
        lease_ms=2000,
        settle_ms=300,
        bot_reopen_cooldown_ms=0,
        epoch_idle_ms=70_000,
        max_bot_hops=3,
        max_prompt_chars=5000,
        fail_open=False,
        debug=True,
        trim_prompt=True,
        open_always=True,
        max_calls=4,
    )


def test_the_defaults_are_those_of_the_panels_file() -> None:
    """D12-D19."""
    assert FloorConfig() == FloorConfig.of(Arbiter(), Followups())


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("lease_ms", 1000),
        ("settle_ms", 250),
        ("bot_reopen_cooldown_ms", 0),
        ("epoch_idle_ms", 60_000),
        ("max_bot_hops", 1),
        ("max_prompt_chars", 4000),
        ("max_calls", 1),
    ],
)
def test_values_below_their_least_are_raised(name: str, least: int) -> None:
    """3.2: clamps."""
    settings: dict[str, Any] = {name: -5}
    assert getattr(FloorConfig(**settings), name) == least


def test_hops_are_whole_numbers() -> None:
    """3.2: maxBotHops is floored."""
    settings: dict[str, Any] = {"max_bot_hops": 2.9}
    assert FloorConfig(**settings).max_bot_hops == 2


def test_no_list_of_channels_means_all_of_them() -> None:
    """D10, D11."""
    assert FloorConfig().in_channel((7,)).enabled


def test_a_thread_counts_by_its_own_id_or_its_parents() -> None:
    """D10, D11."""
    config = FloorConfig(enabled_channels=frozenset({5}))
    assert config.in_channel((7, 5)).enabled
    assert not config.in_channel((7, 8)).enabled


def test_switched_off_the_arbiter_has_no_effect_at_all() -> None:
    """D10: everybody addressed is woken, everything passes, nothing is remembered."""
    table = FloorHarness(enabled=False)
    assert table.ask_all(1) == Opened(0, 1)
    assert table.woken() == [ANALYST, SKEPTIC, JUDGE]
    assert isinstance(table.tell(Claim(ANALYST)), Granted)
    assert isinstance(table.tell(Claim(SKEPTIC)), Granted)
    assert table.tell(Sending(JUDGE, 0, "anything")) == Allow(JUDGE, 0)
    assert table.tell(Archived()) == Nothing(IgnoreReason.SWITCHED_OFF)
    assert table.floor.next_deadline(table.now) is None
    assert table.floor.is_idle(table.now)


@pytest.mark.parametrize(
    ("event", "reason"), [(Stop(), CloseReason.STOPPED), (Quiet(), CloseReason.QUIET)]
)
def test_switched_off_people_can_still_end_what_is_under_way(
    event: Event, reason: CloseReason
) -> None:
    """D10, 2.4: a person's word is no arbitration."""
    table = FloorHarness(enabled=False)
    table.ask_all(1)
    table.tell(event)
    assert table.closed() == [reason]


def test_switched_off_an_addressed_message_still_wakes_only_its_seat() -> None:
    """D10, 2.2#38."""
    table = FloorHarness(enabled=False)
    table.ask(1, JUDGE)
    assert table.woken() == [JUDGE]
    assert table.ask(2) == Nothing(IgnoreReason.NOT_ADDRESSED)


def test_a_trace_tells_every_decision_in_a_sentence() -> None:
    """D19."""
    table = FloorHarness(debug=True)
    table.ask(41, ANALYST, by=1, text="secret")
    table.ask(42, SKEPTIC, by=2)
    table.post(ANALYST)
    table.tell(Claim(SKEPTIC))
    table.tell(Stop())
    assert table.lines == [
        "Human: exchange 1 is open, about message 41.",
        "Human: analyst is next, about message 41.",
        "Human: message 42 is queued behind 0 others.",
        "Claim: analyst has the turn as claim 2, about message 41.",
        "RunStarted: nothing to do: it was noted.",
        "Output: nothing to do: it was noted.",
        "Sending: analyst may post under claim 2.",
        "Claim: skeptic may not speak: it was not addressed.",
        "Stop: nothing to do: it was noted.",
        "Stop: exchange 1 is over: stopped.",
        "Stop: 1 queued messages are dropped: stopped.",
    ]


def test_a_trace_also_tells_of_passing_cancelling_and_taking_up_again() -> None:
    """D19."""
    table = FloorHarness(debug=True)
    table.ask_all(1, by=1)
    table.decline(ANALYST)
    table.tell(Sending(ANALYST, 2, "because"))
    table.ask(2, JUDGE, by=2)
    assert "Output: analyst passes, about message 1." in table.lines
    assert (
        "Sending: analyst must not post: another seat holds the turn, or the lease expired."
        in table.lines
    )
    assert "Human: exchange 1 is over: superseded; its question is retried later." in table.lines


def test_without_debug_nothing_is_traced() -> None:
    """D19."""
    table = FloorHarness()
    table.ask_all(1)
    assert table.lines == []


def broken_floor(*, fail_open: bool = True) -> Floor:
    """A floor whose bookkeeping fails on every event."""

    def trace(_: str) -> None:
        raise RuntimeError("lost")

    return Floor(FloorConfig(debug=True, fail_open=fail_open), SEATS, trace=trace)


def test_failing_open_means_to_post_anyway_and_say_so() -> None:
    """D18, 2.4(8)."""
    decisions = broken_floor().handle(Sending(ANALYST, 3, "because"), 0)
    assert decisions == (Allow(ANALYST, 3, "RuntimeError: lost"),)


def test_failing_closed_means_to_hold_back() -> None:
    """D18."""
    decisions = broken_floor(fail_open=False).handle(Sending(ANALYST, 3, "because"), 0)
    assert decisions == (Cancel(ANALYST, CancelReason.ARBITER_ERROR),)


def test_no_reply_is_not_posted_even_when_the_arbiter_fails() -> None:
    """2.4(9)."""
    decisions = broken_floor().handle(Sending(ANALYST, 3, "NO_REPLY"), 0)
    assert decisions == (Cancel(ANALYST, CancelReason.NO_REPLY),)


def test_a_question_survives_a_failure_of_the_arbiter() -> None:
    """2.4(8): never dropped silently."""
    asked = Human(1, 1, "Ada", "why?", (SKEPTIC,))
    fault = Faulted("RuntimeError: lost")
    assert broken_floor().handle(asked, 0) == (fault, Wake(SKEPTIC, 0, 1))
    to_all = Human(1, 1, "Ada", "why?", for_all=True)
    assert broken_floor().handle(to_all, 0) == (fault, Wake(ANALYST, 0, 1))


def test_other_events_report_the_failure() -> None:
    """2.4(8)."""
    fault = (Faulted("RuntimeError: lost"),)
    assert broken_floor().handle(Tick(), 0) == fault
    asked = Human(1, 1, "Ada", "why?", (SKEPTIC,))
    lost = Dropped((1,), CloseReason.ARBITER_FAILED)
    assert broken_floor(fail_open=False).handle(asked, 0) == (*fault, lost)
    assert broken_floor().handle(Sent(ANALYST, 1, (5,)), 0) == fault


def faulty_once(*, fail_open: bool) -> FloorHarness:
    """A table whose floor failed while an answer was being written."""
    table = FloorHarness(debug=True, fail_open=fail_open)
    table.ask(1, ANALYST)
    table.write(ANALYST)
    floor, trace = table.floor, table.floor.trace
    floor.trace = broken_floor().trace
    floor.handle(Tick(), table.now)
    floor.trace = trace
    return table


def test_an_answer_whose_claim_was_lost_in_a_failure_is_posted_all_the_same() -> None:
    """D18, 2.4(8): never dropped silently."""
    table = faulty_once(fail_open=True)
    reply = table.tell(Sending(ANALYST, 2, "because"))
    assert reply == Allow(ANALYST, 2, "RuntimeError: lost")


def test_failing_closed_holds_such_an_answer_back() -> None:
    """D18."""
    table = faulty_once(fail_open=False)
    reply = table.tell(Sending(ANALYST, 2, "because"))
    assert reply == Cancel(ANALYST, CancelReason.ARBITER_ERROR)


@pytest.mark.parametrize(("fail_open", "lost"), [(True, (2,)), (False, (1, 2))])
def test_questions_that_a_failure_loses_are_given_up_aloud(
    *, fail_open: bool, lost: tuple[int, ...]
) -> None:
    """D18, 2.4(8): what waited, and what will not be posted."""
    table = FloorHarness(debug=True, fail_open=fail_open)
    table.ask(1, ANALYST, by=1)
    table.ask(2, SKEPTIC, by=2)
    table.run(ANALYST)
    table.floor.trace = broken_floor().trace
    assert table.floor.handle(Tick(), table.now) == (
        Faulted("RuntimeError: lost"),
        Dropped(lost, CloseReason.ARBITER_FAILED),
    )


def test_after_a_failure_the_next_question_is_arbitrated_again() -> None:
    """2.4(8)."""
    table = faulty_once(fail_open=True)
    table.ask(3, SKEPTIC)
    reply = table.tell(Sending(ANALYST, 2, "because"))
    assert reply == Cancel(ANALYST, CancelReason.SUPERSEDED)


def test_a_deadline_is_told_in_the_callers_time() -> None:
    table = FloorHarness()
    assert table.floor.next_deadline(table.now) is None
    table.ask_all(1)
    assert table.floor.next_deadline(table.now) == table.now + 15_001
    table.now -= 500
    assert table.floor.next_deadline(table.now) == table.now + 15_001


def test_a_deadline_that_has_passed_is_now() -> None:
    table = FloorHarness()
    table.ask_all(1)
    table.now += 99_999
    assert table.floor.next_deadline(table.now) == table.now
