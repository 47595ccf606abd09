"""Who gets the turn, and why others do not."""

from bot.floor import (
    Archived,
    Claim,
    Denied,
    DenyReason,
    Quiet,
    Sending,
    Sent,
    Stop,
    Tick,
)
from tests.floor.floor_harness import ANALYST, JUDGE, LEASE, SETTLE, SKEPTIC, FloorHarness


def reason(table: FloorHarness, agent: str) -> DenyReason:
    reply = table.tell(Claim(agent))
    assert isinstance(reply, Denied), reply
    return reply.reason


def test_one_seat_gets_the_turn_and_the_others_yield() -> None:
    """D1, D2: held by another means denied."""
    table = FloorHarness()
    table.ask_all(1)
    table.claim(ANALYST)
    assert reason(table, SKEPTIC) is DenyReason.HELD
    assert table.floor.holder == ANALYST


def test_the_holder_that_asks_again_keeps_the_same_claim() -> None:
    """D1, 3.2: re-entrant."""
    table = FloorHarness()
    table.ask_all(1)
    assert table.claim(ANALYST) == table.claim(ANALYST)


def test_a_holder_that_is_posting_is_not_given_the_turn_again() -> None:
    table = FloorHarness()
    table.ask_all(1)
    table.post(ANALYST)
    assert reason(table, ANALYST) is DenyReason.SENDING


def test_a_grant_carries_source_transcript_eligible_seats_and_rule() -> None:
    """3.2, D8: numbered, speaker kind, label and message id, oldest first."""
    table = FloorHarness()
    table.ask_all(7, text="what\n[2] panelist · Judge · message 9")
    table.turn(ANALYST, "this")
    grant = table.claim(SKEPTIC)
    assert grant.source == 1000
    assert grant.eligible == ("Skeptic", "Judge")
    assert grant.open_floor
    assert grant.context == (
        "[1] person · Person 1 · message 7\n  what\n  [2] panelist · Judge · message 9\n\n"
        "[2] panelist · Analyst · message 1000\n  this\n\n"
        "Eligible to speak now: Skeptic, Judge.\n"
        "Speak only if you can add something materially distinct from what was said; "
        "otherwise write only NO_REPLY."
    )


def test_an_addressed_seat_is_told_to_answer() -> None:
    """2.2#38."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    grant = table.claim(ANALYST)
    assert not grant.open_floor
    assert grant.rule == "The latest message is addressed to you: answer it."


def test_a_stranger_gets_no_turn() -> None:
    """2.2#35: participants are the seats."""
    table = FloorHarness()
    table.ask_all(1)
    assert reason(table, "stranger") is DenyReason.UNKNOWN_AGENT


def test_a_seat_that_was_not_addressed_gets_no_turn() -> None:
    """2.2#38."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    assert reason(table, SKEPTIC) is DenyReason.NOT_A_TARGET


def test_nobody_reacts_to_its_own_message() -> None:
    """3.2: own latest message."""
    table = FloorHarness()
    table.ask_all(1)
    table.turn(ANALYST)
    assert reason(table, ANALYST) is DenyReason.OWN_MESSAGE


def test_an_addressed_seat_that_has_answered_is_not_eligible_again() -> None:
    """3.2: not eligible."""
    table = FloorHarness()
    table.ask(1, ANALYST, SKEPTIC, JUDGE)
    table.turn(ANALYST)
    table.turn(SKEPTIC)
    assert reason(table, ANALYST) is DenyReason.NOT_ELIGIBLE


def test_a_seat_that_declined_a_message_is_not_given_it_again() -> None:
    """D7, 3.2: per-message declines."""
    table = FloorHarness()
    table.ask_all(1)
    table.decline(ANALYST)
    assert reason(table, ANALYST) is DenyReason.ALREADY_DECLINED


def test_a_decline_counts_for_that_message_only() -> None:
    """D4: the next visible message may be answered."""
    table = FloorHarness()
    table.ask_all(1)
    table.decline(ANALYST)
    table.turn(SKEPTIC)
    assert table.claim(ANALYST).source == 1000


def test_after_all_declined_claims_are_denied_with_that_reason() -> None:
    """3.2: all eligible declined."""
    table = FloorHarness()
    table.ask_all(1)
    for agent in (ANALYST, SKEPTIC, JUDGE):
        table.decline(agent)
    assert reason(table, ANALYST) is DenyReason.ALL_DECLINED


def test_a_send_of_unknown_outcome_is_not_repeated() -> None:
    """2.2#36: without a confirmation the seat does not speak a second time."""
    table = FloorHarness()
    table.ask_all(1)
    grant = table.post(ANALYST)
    table.tell(Sent(ANALYST, grant.claim))
    table.wait(LEASE + 1)
    assert reason(table, ANALYST) is DenyReason.ALREADY_SENT


def test_a_closed_exchange_denies_claims_until_it_is_forgotten() -> None:
    """3.2: a closed epoch is a tombstone for epochIdleMs."""
    table = FloorHarness(epoch_idle_ms=60_000)
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    assert reason(table, SKEPTIC) is DenyReason.EPOCH_CLOSED
    table.now += 60_001
    assert table.claim(SKEPTIC).source is None


def test_before_anything_was_asked_the_first_seat_has_an_allowance() -> None:
    """D1, 3.2: a claim before any epoch exists."""
    table = FloorHarness()
    assert table.claim(ANALYST).source is None
    assert reason(table, SKEPTIC) is DenyReason.ALLOWANCE_TAKEN


def test_an_allowance_becomes_the_claim_of_the_message_that_follows() -> None:
    """D1, 3.2: a pending allowance of a targeted agent becomes the claim."""
    table = FloorHarness()
    grant = table.claim(ANALYST)
    table.ask(1, ANALYST)
    assert table.floor.holder == ANALYST
    assert table.claim(ANALYST).claim == grant.claim


def test_an_allowance_that_nobody_uses_leaves_no_trace() -> None:
    """D1, 3.2: expired allowances are dropped."""
    table = FloorHarness()
    table.claim(ANALYST)
    table.wait(LEASE + 1)
    assert table.claim(SKEPTIC).source is None


def test_silence_denies_claims_by_its_own_reason() -> None:
    """2.4(6): quiet, and Stop."""
    table = FloorHarness()
    table.tell(Quiet())
    assert reason(table, ANALYST) is DenyReason.QUIET
    table.tell(Stop())
    assert reason(table, ANALYST) is DenyReason.STOPPED


def test_an_archived_thread_denies_claims() -> None:
    table = FloorHarness()
    table.tell(Archived())
    assert reason(table, ANALYST) is DenyReason.ARCHIVED


def test_nobody_speaks_while_an_answer_of_an_ended_exchange_is_on_its_way() -> None:
    """D1, D5, 2.4(3): parts of two answers never mix."""
    table = FloorHarness()
    table.ask_all(1)
    late = table.post(ANALYST)
    table.ask(2, SKEPTIC, by=2)
    assert table.woken() == []
    assert reason(table, SKEPTIC) is DenyReason.HELD
    table.tell(Sent(ANALYST, late.claim, (50,), last=False))
    assert reason(table, SKEPTIC) is DenyReason.HELD
    table.tell(Sent(ANALYST, late.claim, (51,)))
    assert table.woken() == [SKEPTIC]


def test_a_claim_without_epoch_waits_for_the_answer_on_its_way() -> None:
    table = FloorHarness(epoch_idle_ms=60_000)
    table.ask_all(1)
    table.post(ANALYST)
    table.tell(Stop())
    table.ask(2)
    table.now += 60_001
    table.tell(Tick())
    assert reason(table, SKEPTIC) is DenyReason.HELD


def test_a_send_that_failed_for_sure_may_be_claimed_again() -> None:
    """3.2: after a send failure the claim is cleared and nothing declined."""
    table = FloorHarness()
    table.ask_all(1)
    grant = table.write(ANALYST)
    table.tell(Sending(ANALYST, grant.claim, "because"))
    table.tell(Sent(ANALYST, grant.claim, error="403 Forbidden"))
    assert table.woken() == [SKEPTIC]
    assert table.claim(ANALYST).source == 1


def test_the_turn_moves_on_only_after_the_answer_has_settled() -> None:
    """D3, D13."""
    table = FloorHarness()
    table.ask_all(1)
    table.speak(ANALYST)
    table.wait(SETTLE - 1)
    assert reason(table, SKEPTIC) is DenyReason.HELD
    table.wait(1)
    assert table.woken() == [SKEPTIC]
