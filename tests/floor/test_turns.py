"""Lease, settle, hops, wakes, and how exchanges end."""

import pytest

from bot.floor import (
    AgentFailed,
    Claim,
    Closed,
    CloseReason,
    Denied,
    DenyReason,
    FloorSeat,
    Granted,
    IgnoreReason,
    Nothing,
    Observed,
    Output,
    RunStarted,
    Sent,
    Silence,
    Wake,
)
from tests.floor.floor_harness import ANALYST, JUDGE, LEASE, RUNNING, SETTLE, SKEPTIC, FloorHarness


def test_when_a_turn_settles_the_next_seat_is_woken() -> None:
    """2.4(1), 3.2 flaw 1: no lost wake."""
    table = FloorHarness()
    table.ask_all(1)
    assert table.woken() == [ANALYST]
    table.turn(ANALYST)
    assert table.heard[1:] == (Wake(SKEPTIC, 1, 1000),)


def test_the_seat_that_is_silent_for_longest_comes_first() -> None:
    """2.2#38."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    table.ask(2, SKEPTIC)
    table.turn(SKEPTIC)
    table.ask_all(3)
    assert table.woken() == [JUDGE]


def test_a_claim_without_activity_ends_with_its_lease_and_wakes_the_next() -> None:
    """D12, 2.4(5)."""
    table = FloorHarness()
    table.ask_all(1)
    table.claim(ANALYST)
    assert table.wait(LEASE)[1:] == ()
    assert table.wait(1)[1:] == (Wake(SKEPTIC, 1, 1),)


def test_a_lease_that_ran_out_is_no_decline() -> None:
    """3.2: the same agent may claim again."""
    table = FloorHarness()
    table.ask_all(1)
    table.claim(ANALYST)
    table.wait(LEASE + 1)
    assert table.claim(ANALYST).source == 1


def test_a_claim_with_a_running_call_lives_two_minutes_at_least() -> None:
    """2.2#40."""
    table = FloorHarness()
    table.ask_all(1)
    table.run(ANALYST)
    table.wait(RUNNING)
    assert table.floor.holder == ANALYST
    table.wait(1)
    assert table.floor.holder is None


def test_a_longer_lease_wins_over_the_two_minutes() -> None:
    """2.2#40: max(lease, 120 s)."""
    table = FloorHarness(lease_ms=200_000)
    table.ask_all(1)
    table.run(ANALYST)
    table.wait(200_000)
    assert table.floor.holder == ANALYST


def test_every_activity_renews_the_lease() -> None:
    """D12: counted from the last activity."""
    table = FloorHarness()
    table.ask_all(1)
    grant = table.run(ANALYST)
    table.wait(RUNNING - 1)
    table.tell(Output(ANALYST, grant.claim, "because"))
    table.wait(RUNNING)
    assert table.floor.holder == ANALYST


def test_a_woken_seat_that_does_not_come_lets_the_next_one_in() -> None:
    """2.4(5): a wake that gets lost costs a lease, not the exchange."""
    table = FloorHarness()
    table.ask_all(1)
    table.wait(LEASE + 1)
    assert table.woken() == [SKEPTIC]


def test_a_seat_that_never_comes_is_woken_twice_and_then_given_up() -> None:
    """2.4(5): every exchange ends."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    table.wait(LEASE + 1)
    assert table.woken() == [ANALYST]
    table.wait(LEASE + 1)
    assert table.heard[1:] == (Closed(1, CloseReason.NO_AGENT_LEFT, (1,)),)


def test_an_addressed_exchange_ends_after_one_answer() -> None:
    """2.2#38."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    assert table.heard[1:] == (Closed(1, CloseReason.ANSWERED, (1,), answered=True),)


def test_parts_of_one_answer_are_one_turn_and_one_hop() -> None:
    """2.4(3), D3."""
    table = FloorHarness(max_bot_hops=2)
    table.ask_all(1)
    grant = table.post(ANALYST, "first second third")
    table.tell(Sent(ANALYST, grant.claim, (11,), last=False))
    table.wait(SETTLE + 500)
    assert table.floor.holder == ANALYST
    table.tell(Sent(ANALYST, grant.claim, (12, 13)))
    assert table.wait(SETTLE)[1:] == (Wake(SKEPTIC, 1, 13),)
    line = table.claim(SKEPTIC).transcript[-1]
    assert line.message_ids == (11, 12, 13)
    assert line.text == "first second third"


def test_a_part_that_is_seen_late_renews_the_settle_time() -> None:
    """D3, D13."""
    table = FloorHarness()
    table.ask_all(1)
    table.speak(ANALYST)
    table.wait(SETTLE - 1)
    table.tell(Observed(5000, ANALYST))
    table.wait(SETTLE - 1)
    assert table.floor.holder == ANALYST
    table.wait(1)
    assert table.woken() == [SKEPTIC]


def test_the_echo_of_a_confirmed_message_delays_nothing() -> None:
    """2.2#36: the id returned by our own send is the confirmation."""
    table = FloorHarness()
    table.ask_all(1)
    table.speak(ANALYST)
    table.wait(SETTLE - 1)
    assert table.tell(Observed(1000, ANALYST)) == Nothing(IgnoreReason.DUPLICATE)
    table.wait(1)
    assert table.woken() == [SKEPTIC]


def test_after_the_last_hop_only_a_person_opens_the_floor() -> None:
    """D16, 2.4(2), 3.2 flaw 2: the tombstone."""
    table = FloorHarness(max_bot_hops=2, open_always=True, bot_reopen_cooldown_ms=0)
    table.ask_all(1)
    table.turn(ANALYST)
    table.turn(SKEPTIC)
    assert table.closed() == [CloseReason.MAX_BOT_HOPS]
    assert table.floor.silence is Silence.HOP_LIMIT
    table.now += 3_700_000
    assert table.tell(Sent(JUDGE, 0, (7000,), text="and another thing")) == Nothing(
        IgnoreReason.STALE
    )
    table.ask_all(8000)
    assert table.woken() == [JUDGE]


def test_a_claim_after_the_last_hop_is_denied() -> None:
    """2.4(2)."""
    table = FloorHarness(max_bot_hops=1)
    table.ask_all(1)
    table.turn(ANALYST)
    reply = table.floor.handle(Claim(SKEPTIC), table.now)[0]
    assert reply == Denied(SKEPTIC, DenyReason.HOP_LIMIT)


def test_all_declines_close_the_exchange() -> None:
    """3.2: all_agents_declined."""
    table = FloorHarness()
    table.ask_all(1)
    table.decline(ANALYST)
    assert table.woken() == [SKEPTIC]
    table.decline(SKEPTIC)
    table.decline(JUDGE)
    assert table.closed() == [CloseReason.ALL_AGENTS_DECLINED]


def test_failures_of_all_seats_close_the_exchange() -> None:
    """2.4 agent_failed: nobody is left, and that is said."""
    table = FloorHarness()
    table.ask_all(1)
    table.fail(ANALYST)
    table.decline(SKEPTIC)
    table.fail(JUDGE)
    assert table.heard[1:] == (Closed(1, CloseReason.NO_AGENT_LEFT, (1,)),)


def test_a_woken_seat_that_cannot_come_says_so_without_a_claim() -> None:
    table = FloorHarness()
    table.ask_all(1)
    table.tell(AgentFailed(ANALYST))
    assert table.woken() == [SKEPTIC]


def test_a_failure_of_an_older_claim_changes_nothing() -> None:
    table = FloorHarness()
    table.ask_all(1)
    grant = table.claim(ANALYST)
    assert table.tell(AgentFailed(ANALYST, grant.claim - 1)) == Nothing(IgnoreReason.STALE)
    assert table.floor.holder == ANALYST


def test_a_failure_after_the_first_part_settles_what_is_visible() -> None:
    """2.4(3): what people saw is a turn."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    grant = table.post(ANALYST)
    table.tell(Sent(ANALYST, grant.claim, (11,), last=False))
    table.tell(AgentFailed(ANALYST, grant.claim))
    table.wait(SETTLE)
    assert table.closed() == [CloseReason.ANSWERED]


def test_an_error_after_the_first_part_settles_what_is_visible() -> None:
    table = FloorHarness()
    table.ask(1, ANALYST)
    grant = table.post(ANALYST)
    table.tell(Sent(ANALYST, grant.claim, (11,), error="reset", last=False))
    table.wait(SETTLE)
    assert table.closed() == [CloseReason.ANSWERED]


def test_a_message_seen_before_its_send_returned_counts_as_visible() -> None:
    """2.2#36, D20: the echo may be faster than the answer to our request."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    grant = table.post(ANALYST)
    table.tell(Observed(11, ANALYST))
    table.tell(Sent(ANALYST, grant.claim, error="timeout"))
    table.wait(SETTLE)
    assert table.closed() == [CloseReason.ANSWERED]


def test_a_send_without_confirmation_is_waited_for_one_lease_and_is_no_hop() -> None:
    """3.2: nothing observed, the epoch stays open with no hop counted."""
    table = FloorHarness(max_bot_hops=1)
    table.ask_all(1)
    grant = table.post(ANALYST)
    table.tell(Sent(ANALYST, grant.claim))
    table.wait(LEASE)
    assert table.floor.holder == ANALYST
    table.wait(1)
    assert table.woken() == [SKEPTIC]


def test_an_exchange_without_any_message_closes_without_confirmation() -> None:
    """3.2: no_visible_confirmation."""
    table = FloorHarness()
    grant = table.post(ANALYST)
    table.tell(Sent(ANALYST, grant.claim))
    table.wait(LEASE + 1)
    assert table.closed() == [CloseReason.NO_VISIBLE_CONFIRMATION]


def test_the_call_budget_ends_the_exchange_with_a_reason_of_its_own() -> None:
    """2.2#38: maxCallsPerEpoch."""
    table = FloorHarness(max_calls=2)
    table.ask_all(1)
    table.decline(ANALYST)
    table.decline(SKEPTIC)
    assert table.closed() == [CloseReason.CALL_BUDGET_EXHAUSTED]
    assert table.tell(Claim(JUDGE)) == Denied(JUDGE, DenyReason.CALL_BUDGET)


def test_the_same_run_reported_twice_is_one_call() -> None:
    table = FloorHarness(max_calls=1)
    table.ask(1, ANALYST)
    grant = table.run(ANALYST)
    again = RunStarted(ANALYST, grant.claim)
    assert table.tell(again) == Nothing(IgnoreReason.DUPLICATE)


def test_an_idle_exchange_is_dropped() -> None:
    """D15: idle_timeout, counted by the floor's own clock (3.2 flaw 5)."""
    table = FloorHarness(epoch_idle_ms=60_000, lease_ms=500_000)
    table.ask_all(1)
    assert table.wait(60_000)[1:] == ()
    table.wait(1)
    assert table.closed() == [CloseReason.IDLE_TIMEOUT]


def test_an_exchange_is_not_idle_while_a_call_runs() -> None:
    """2.2#40: a running call outlives a short epochIdleMs, and the next seat is still woken."""
    table = FloorHarness(epoch_idle_ms=60_000)
    table.ask_all(1)
    table.run(ANALYST)
    table.wait(RUNNING + 1)
    assert table.woken() == [SKEPTIC]


def test_with_a_single_seat_an_open_question_ends_after_its_answer() -> None:
    table = FloorHarness(seats=(FloorSeat(ANALYST, "Analyst"),))
    table.ask_all(1)
    table.turn(ANALYST)
    assert table.closed() == [CloseReason.ANSWERED]


def test_a_transcript_that_is_too_long_closes_the_exchange() -> None:
    """D17, 2.2#39: promptOverflow close."""
    table = FloorHarness(max_prompt_chars=4000)
    table.ask_all(1)
    table.turn(ANALYST, "long " * 1000)
    assert table.tell(Claim(SKEPTIC)) == Denied(SKEPTIC, DenyReason.PROMPT_BUDGET)
    assert table.closed() == [CloseReason.PROMPT_BUDGET_EXCEEDED]


def test_a_transcript_of_exactly_the_limit_still_fits() -> None:
    """D17, 2.2#39."""
    asked: list[type[object]] = []
    size = 60_000
    for less in (0, 0, 1):
        table = FloorHarness(max_prompt_chars=size - less)
        table.ask_all(1)
        table.turn(ANALYST, "word " * 900)
        reply = table.tell(Claim(SKEPTIC))
        size = len(reply.context) if isinstance(reply, Granted) else size
        asked.append(type(reply))
    assert asked == [Granted, Granted, Denied]


def test_a_transcript_that_is_too_long_loses_its_oldest_messages() -> None:
    """2.2#39, 3.2 flaw 6: promptOverflow trim."""
    table = FloorHarness(max_prompt_chars=4000, trim_prompt=True)
    table.ask_all(1, text="old " * 500)
    table.turn(ANALYST, "new " * 700)
    grant = table.claim(SKEPTIC)
    assert [line.label for line in grant.transcript] == ["Analyst"]
    assert grant.transcript[0].text == "new " * 700


@pytest.mark.parametrize("text", ["x" * 9000, "line\n" * 3000])
def test_the_newest_message_is_kept_and_cut_at_its_end(text: str) -> None:
    """2.2#39: the prompt stays within its limit whatever was said."""
    table = FloorHarness(max_prompt_chars=4000, trim_prompt=True)
    table.ask_all(1)
    table.turn(ANALYST, text)
    grant = table.claim(SKEPTIC)
    assert 3950 <= len(grant.context) <= 4000
    assert grant.transcript[0].text.endswith(" […]")
