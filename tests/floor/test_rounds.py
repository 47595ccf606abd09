"""Scheduled rounds on the same floor: one at a time, in order, and not pre-empted."""

from bot.floor import (
    AgentFailed,
    Allow,
    Archived,
    Cancel,
    CancelReason,
    Claim,
    CloseReason,
    Denied,
    DenyReason,
    IgnoreReason,
    Nothing,
    Opened,
    Queued,
    Quiet,
    RoundDone,
    ScheduleRound,
    Sending,
    Sent,
    Stop,
    Wake,
)
from tests.floor.floor_harness import ANALYST, JUDGE, LEASE, SKEPTIC, FloorHarness

ALL = (ANALYST, SKEPTIC, JUDGE)


def a_round(*, in_order: bool = True) -> FloorHarness:
    table = FloorHarness()
    table.tell(ScheduleRound(ALL, in_order))
    return table


def show(table: FloorHarness, agent: str, *ids: int) -> None:
    grant = table.claim(agent)
    allowed = table.tell(Sending(agent, grant.claim, "an answer"))
    assert allowed == Allow(agent, grant.claim)
    table.tell(Sent(agent, grant.claim, ids))


def test_the_first_slot_is_woken_and_the_others_wait() -> None:
    """2.2#10: posted one at a time."""
    table = FloorHarness()
    assert table.tell(ScheduleRound(ALL)) == Opened(1, None)
    assert table.woken() == [ANALYST]
    assert table.floor.is_round
    assert table.tell(Claim(JUDGE)) == Denied(JUDGE, DenyReason.NOT_YOUR_SLOT)


def test_a_slot_ends_with_its_send_and_wakes_the_next() -> None:
    """D3, 2.4(1), 2.2#36: the ids are the confirmation; a round waits for nothing else."""
    table = a_round()
    show(table, ANALYST, 11, 12)
    assert table.heard[1:] == (Wake(SKEPTIC, 1, None),)
    assert table.tell(Claim(ANALYST)) == Denied(ANALYST, DenyReason.NOT_ELIGIBLE)


def test_parts_of_an_answer_keep_the_slot() -> None:
    """2.4(3)."""
    table = a_round()
    grant = table.claim(ANALYST)
    table.tell(Sending(ANALYST, grant.claim, "an answer"))
    table.tell(Sent(ANALYST, grant.claim, (11,), last=False))
    assert table.floor.holder == ANALYST


def test_a_slow_seat_delays_its_slot_until_it_is_given_up() -> None:
    """2.2#10: until its timeout only."""
    table = a_round()
    table.wait(59_000)
    assert table.woken() == []
    table.tell(AgentFailed(ANALYST, error="timeout"))
    assert table.woken() == [SKEPTIC]


def test_a_seat_that_fails_before_its_slot_is_skipped() -> None:
    table = a_round()
    table.tell(AgentFailed(SKEPTIC))
    assert table.woken() == []
    show(table, ANALYST, 11)
    assert table.woken() == [JUDGE]


def test_a_claim_in_a_round_that_is_not_used_loses_its_slot() -> None:
    """2.4(5)."""
    table = a_round()
    table.claim(ANALYST)
    table.wait(LEASE + 1)
    assert table.woken() == [SKEPTIC]


def test_in_a_free_round_whoever_is_ready_comes_first() -> None:
    """2.2#10: free."""
    table = a_round(in_order=False)
    assert table.woken() == list(ALL)
    table.claim(JUDGE)
    assert table.tell(Claim(ANALYST)) == Denied(ANALYST, DenyReason.HELD)


def test_in_a_free_round_those_who_waited_are_woken_again() -> None:
    """2.4(1)."""
    table = a_round(in_order=False)
    show(table, JUDGE, 11)
    assert table.woken() == [ANALYST, SKEPTIC]


def test_a_person_does_not_preempt_a_round() -> None:
    """2.4(7), 2.2#37: an addressed question is answered after the stage."""
    table = a_round()
    grant = table.claim(ANALYST)
    assert table.ask(5, SKEPTIC) == Queued(5, 0)
    allowed = table.tell(Sending(ANALYST, grant.claim, "an answer"))
    assert allowed == Allow(ANALYST, grant.claim)


def test_a_message_to_all_during_a_round_goes_to_the_next_round() -> None:
    """2.2#37: from the floor."""
    table = a_round()
    assert table.ask_all(5) == Nothing(IgnoreReason.FROM_THE_FLOOR)
    table.tell(RoundDone())
    assert table.woken() == []


def test_after_the_round_the_addressed_seat_answers() -> None:
    """2.2#37."""
    table = a_round()
    table.ask(5, SKEPTIC)
    table.tell(RoundDone())
    assert table.closed() == [CloseReason.ROUND_DONE]
    assert table.woken() == [SKEPTIC]


def test_a_round_interrupts_a_follow_up_that_is_answered_after_it() -> None:
    """2.4(7), 2.2#37."""
    table = FloorHarness()
    table.ask(5, SKEPTIC)
    old = table.write(SKEPTIC)
    table.tell(ScheduleRound(ALL))
    assert table.woken() == [ANALYST]
    late = table.tell(Sending(SKEPTIC, old.claim, "because"))
    assert late == Cancel(SKEPTIC, CancelReason.SUPERSEDED)
    table.tell(RoundDone())
    assert table.woken() == [SKEPTIC]


def test_a_round_waits_for_an_answer_that_is_on_its_way() -> None:
    """D1, 2.4(3)."""
    table = FloorHarness()
    table.ask(5, SKEPTIC)
    old = table.post(SKEPTIC)
    table.tell(ScheduleRound(ALL))
    assert table.woken() == []
    table.tell(Sent(SKEPTIC, old.claim, (6,)))
    assert table.woken() == [ANALYST]
    table.tell(RoundDone())
    assert table.woken() == []


def test_no_reply_in_a_round_is_a_failure() -> None:
    """2.2#50."""
    table = a_round()
    grant = table.claim(ANALYST)
    reply = table.tell(Sending(ANALYST, grant.claim, "NO_REPLY"))
    assert reply == Cancel(ANALYST, CancelReason.NO_REPLY)
    assert table.woken() == [SKEPTIC]


def test_quiet_and_an_archived_thread_let_a_round_go_on() -> None:
    """2.4(6), 2.4(7)."""
    table = a_round()
    table.tell(Quiet())
    table.tell(Archived())
    show(table, ANALYST, 11)
    assert table.woken() == [SKEPTIC]


def test_stop_ends_a_round() -> None:
    """Issue 6.4."""
    table = a_round()
    grant = table.claim(ANALYST)
    table.tell(Stop())
    assert table.closed() == [CloseReason.STOPPED]
    reply = table.tell(Sending(ANALYST, grant.claim, "an answer"))
    assert reply == Cancel(ANALYST, CancelReason.EPOCH_CLOSED)


def test_a_forgotten_round_ends_after_an_hour() -> None:
    """D15: every exchange ends, however short epochIdleMs is."""
    table = FloorHarness(epoch_idle_ms=60_000)
    table.tell(ScheduleRound(ALL))
    table.wait(3_600_000)
    assert table.closed() == []
    table.wait(1)
    assert table.closed() == [CloseReason.IDLE_TIMEOUT]


def test_the_end_of_no_round_is_nothing() -> None:
    assert FloorHarness().tell(RoundDone()) == Nothing(IgnoreReason.NO_ROUND)


def test_an_answer_in_a_round_is_let_through_once() -> None:
    table = a_round()
    grant = table.claim(ANALYST)
    table.tell(Sending(ANALYST, grant.claim, "an answer"))
    again = table.tell(Sending(ANALYST, grant.claim, "an answer"))
    assert again == Cancel(ANALYST, CancelReason.ALREADY_SENT)
