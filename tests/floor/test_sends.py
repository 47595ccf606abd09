"""What may be posted, what never, and what a foreign or late message changes: nothing."""

from collections.abc import Callable

import pytest

from bot.floor import (
    Allow,
    Archived,
    Cancel,
    CancelReason,
    Claim,
    Closed,
    CloseReason,
    Declined,
    Denied,
    DenyReason,
    Event,
    IgnoreReason,
    Nothing,
    Observed,
    Opened,
    Output,
    Quiet,
    Reply,
    RoundDone,
    ScheduleRound,
    Sending,
    Sent,
    Wake,
)
from tests.floor.floor_harness import ANALYST, JUDGE, LEASE, RUNNING, SETTLE, SKEPTIC, FloorHarness

COOLDOWN = 15_000


def cancelled(table: FloorHarness, agent: str, claim: int, text: str) -> str:
    reply = table.tell(Sending(agent, claim, text))
    assert isinstance(reply, Cancel), reply
    return reply.reason


def test_what_the_model_wrote_may_be_posted() -> None:
    """D8: before send."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    table.post(ANALYST, "Because of the costs.")


def test_the_same_answer_is_not_let_through_twice() -> None:
    """Part 4 (double replies)."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    grant = table.post(ANALYST)
    assert cancelled(table, ANALYST, grant.claim, "because") == CancelReason.ALREADY_SENT
    table.tell(Sent(ANALYST, grant.claim, (5,)))
    assert cancelled(table, ANALYST, grant.claim, "because") == CancelReason.ALREADY_SENT


def test_a_text_the_model_did_not_write_is_held_back() -> None:
    """3.2: approved text."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    grant = table.write(ANALYST, "because")
    assert cancelled(table, ANALYST, grant.claim, "despite") == CancelReason.NOT_APPROVED


def test_nothing_is_posted_before_the_model_has_written() -> None:
    """3.2: no approved text."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    grant = table.run(ANALYST)
    assert cancelled(table, ANALYST, grant.claim, "because") == CancelReason.NOT_APPROVED


def test_an_empty_message_is_not_posted_even_with_a_picture() -> None:
    """3.2 flaw 7: nothing skips the text check."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    grant = table.write(ANALYST)
    assert cancelled(table, ANALYST, grant.claim, " \n") == CancelReason.NO_REPLY


@pytest.mark.parametrize("text", ["NO_REPLY", " no_reply \n", "No_Reply"])
def test_no_reply_is_never_posted_and_counts_as_a_decline(text: str) -> None:
    """2.4(9)."""
    table = FloorHarness()
    table.ask_all(1)
    grant = table.write(ANALYST)
    assert cancelled(table, ANALYST, grant.claim, text) == CancelReason.NO_REPLY
    assert table.woken() == [SKEPTIC]
    assert table.tell(Claim(ANALYST)) == Denied(ANALYST, DenyReason.ALREADY_DECLINED)


def test_no_reply_as_output_ends_the_turn_so_that_typing_stops() -> None:
    """2.4(9)."""
    table = FloorHarness()
    table.ask_all(1)
    assert table.decline(ANALYST) == Declined(ANALYST, 1)
    assert table.floor.holder is None


def test_words_around_no_reply_make_it_an_answer() -> None:
    """2.4(9): exact only."""
    table = FloorHarness()
    table.ask_all(1)
    table.post(ANALYST, "NO_REPLY is what others would say.")


def test_an_empty_output_passes_like_no_reply() -> None:
    """2.4(9): there is nothing to post, so nobody waits for the lease."""
    table = FloorHarness()
    table.ask_all(1)
    grant = table.run(ANALYST)
    assert table.tell(Output(ANALYST, grant.claim, "  ")) == Declined(ANALYST, 1)
    assert table.woken() == [SKEPTIC]


def test_who_does_not_hold_the_turn_may_not_post() -> None:
    """D2, 3.2: not holder."""
    table = FloorHarness()
    table.ask_all(1)
    grant = table.write(ANALYST)
    assert cancelled(table, SKEPTIC, grant.claim, "because") == CancelReason.NOT_HOLDER


def test_who_was_not_addressed_may_not_post() -> None:
    """3.2: not a target."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    assert cancelled(table, SKEPTIC, 99, "because") == CancelReason.NOT_A_TARGET


def test_without_any_exchange_a_seat_may_not_post() -> None:
    """3.2: no epoch and no allowance."""
    assert cancelled(FloorHarness(), ANALYST, 0, "because") == CancelReason.NO_CLAIM


def test_an_answer_that_outlived_its_lease_may_not_be_posted() -> None:
    """D12."""
    table = FloorHarness()
    table.ask_all(1)
    grant = table.write(ANALYST)
    table.wait(RUNNING + 1)
    assert cancelled(table, ANALYST, grant.claim, "because") == CancelReason.NOT_HOLDER


def test_who_is_no_seat_is_not_arbitrated() -> None:
    """3.2: unknown agent, allowed; the bot's own lines pass."""
    table = FloorHarness()
    table.ask_all(1)
    assert table.tell(Sending("roundtable", 0, "Stopped.")) == Allow("roundtable", 0)


def test_an_answer_that_is_confirmed_after_its_lease_opens_nothing() -> None:
    """D5, 2.2#36: it is known as ours, counted as a hop, and stale."""
    table = FloorHarness(max_bot_hops=2)
    table.ask_all(1)
    late = table.post(ANALYST)
    table.wait(RUNNING + 1)
    assert table.woken() == [SKEPTIC]
    assert table.tell(Sent(ANALYST, late.claim, (70,))) == Nothing(IgnoreReason.STALE)
    assert table.tell(Observed(70, ANALYST)) == Nothing(IgnoreReason.DUPLICATE)
    table.turn(SKEPTIC)
    assert table.closed() == [CloseReason.MAX_BOT_HOPS]


def stray(table: FloorHarness, message_id: int, agent: str, text: str = "hello") -> Reply:
    """An answer became visible without a claim, as after a failure of the arbiter."""
    return table.tell(Sent(agent, 0, (message_id,), text=text))


@pytest.mark.parametrize("agent", [None, "stranger"])
def test_other_bots_and_foreign_webhooks_never_open_an_exchange(agent: str | None) -> None:
    """Issue 6.5, design 6."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    assert table.tell(Observed(5, agent)) == Nothing(IgnoreReason.FOREIGN)
    assert table.heard[1:] == ()
    assert stray(table, 6, "stranger") == Nothing(IgnoreReason.STALE)


def test_others_react_to_a_late_answer_only_when_its_last_part_is_out() -> None:
    """D14: whoever took the turn earlier would speak between its parts."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    first = Sent(ANALYST, 0, (5,), last=False, text="hello, in two parts")
    assert table.tell(first) == Nothing(IgnoreReason.STALE)
    assert table.tell(Sent(ANALYST, 0, (6,), text="hello, in two parts")) == Opened(1, 6)


def test_an_echo_never_opens_an_exchange() -> None:
    """2.2#36: the id returned by our own send is the confirmation; the echo only refreshes."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    assert table.tell(Observed(5, ANALYST)) == Nothing(IgnoreReason.STALE)
    assert stray(table, 5, ANALYST) == Opened(1, 5)


def test_a_panelists_message_without_a_turn_opens_nothing_by_default() -> None:
    """D4, D5, 2.2#38."""
    table = FloorHarness()
    assert stray(table, 5, ANALYST) == Nothing(IgnoreReason.STALE)


def test_where_the_floor_is_always_open_others_may_react_to_it() -> None:
    """D4, D20, 3.2: a new epoch rooted at it, targets are the others."""
    table = FloorHarness(open_always=True)
    assert stray(table, 5, ANALYST) == Opened(1, 5)
    assert table.woken() == [SKEPTIC]
    assert table.tell(Claim(ANALYST)) == Denied(ANALYST, DenyReason.OWN_MESSAGE)
    assert [line.text for line in table.claim(SKEPTIC).transcript] == ["hello"]


def test_what_has_no_text_is_nothing_to_react_to() -> None:
    """The answers of a round are posted without one: the round goes on, and nobody reacts."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    assert stray(table, 5, ANALYST, "") == Nothing(IgnoreReason.STALE)


def test_late_messages_of_panelists_open_nothing_during_the_cooldown() -> None:
    """D14."""
    table = FloorHarness(open_always=True)
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    table.now += LEASE - SETTLE
    table.now -= 1
    assert stray(table, 5000, SKEPTIC) == Nothing(IgnoreReason.GUARDED)
    table.now += SETTLE + 1
    assert isinstance(stray(table, 5001, SKEPTIC), Opened)


def _a_person_speaks(table: FloorHarness) -> None:
    table.ask(1)


def _an_answer_comes_late(table: FloorHarness) -> None:
    table.ask(1, ANALYST)
    table.wait(COOLDOWN)
    table.turn(ANALYST)


def _a_round_ends(table: FloorHarness) -> None:
    table.tell(ScheduleRound((ANALYST,)))
    table.fail(ANALYST)
    table.now += LEASE
    table.tell(RoundDone())


def _nobody_reacts_to_a_late_message(table: FloorHarness) -> None:
    assert isinstance(stray(table, 2, ANALYST), Opened)
    table.decline(SKEPTIC)
    table.decline(JUDGE)
    assert table.closed() == [CloseReason.ALL_AGENTS_DECLINED]


@pytest.mark.parametrize(
    "root",
    [
        _a_person_speaks,
        _an_answer_comes_late,
        _a_round_ends,
        _nobody_reacts_to_a_late_message,
    ],
)
def test_the_cooldown_begins_with_whatever_became_visible(
    root: Callable[[FloorHarness], None],
) -> None:
    """D14: 15 seconds, to the millisecond, after each new root."""
    table = FloorHarness(open_always=True)
    root(table)
    table.now += COOLDOWN - 1
    assert stray(table, 5000, SKEPTIC) == Nothing(IgnoreReason.GUARDED)
    table.now += 1
    assert isinstance(stray(table, 5001, SKEPTIC), Opened)


def test_a_cooldown_of_nothing_is_no_guard() -> None:
    """D14, 3.2: 0 disables."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    assert isinstance(stray(table, 5000, SKEPTIC), Opened)


@pytest.mark.parametrize("event", [Quiet(), Archived()])
def test_late_messages_open_nothing_in_a_thread_that_is_quiet_or_archived(event: Event) -> None:
    """D5 D14: also after the cooldown."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    table.tell(event)
    assert stray(table, 5000, SKEPTIC) == Nothing(IgnoreReason.STALE)


def test_late_messages_open_nothing_once_the_calls_are_used_up() -> None:
    """D14 D16: a person has to speak first."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0, max_calls=1)
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    assert stray(table, 5000, SKEPTIC) == Nothing(IgnoreReason.STALE)


def test_a_message_older_than_the_newest_one_is_never_a_root() -> None:
    """D5: by id, so that a late send cannot restart anything."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    table.ask(900, ANALYST)
    table.turn(ANALYST)
    assert stray(table, 950, SKEPTIC) == Nothing(IgnoreReason.STALE)
    assert table.tell(Observed(950, SKEPTIC)) == Nothing(IgnoreReason.DUPLICATE)


def test_limits_go_on_counting_over_exchanges_that_no_person_opened() -> None:
    """D4, D16, 2.4(2), 3.2 flaw 2."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0, max_bot_hops=2)
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    stray(table, 5000, JUDGE, "and I?")
    table.turn(SKEPTIC)
    assert table.closed() == [CloseReason.MAX_BOT_HOPS]


def test_at_the_last_hop_no_message_of_a_panelist_opens_another_exchange() -> None:
    """D14 D16: the limit itself is a hop too many, also where the exchange ended by itself."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0, max_bot_hops=1)
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    assert stray(table, 5000, JUDGE) == Nothing(IgnoreReason.STALE)


def test_a_message_of_another_seat_does_not_disturb_the_holder() -> None:
    """D5, 3.2: agent is not the holder."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    table.ask_all(1)
    table.claim(ANALYST)
    assert stray(table, 5000, JUDGE) == Nothing(IgnoreReason.STALE)
    assert table.floor.holder == ANALYST


def test_a_stray_message_replaces_an_answered_exchange_that_nobody_holds() -> None:
    """D14, 3.2 inbound rule 5."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    table.ask_all(1)
    table.turn(ANALYST)
    assert isinstance(stray(table, 5000, JUDGE), Opened)
    assert table.heard[1:] == (
        Closed(1, CloseReason.SUPERSEDED, (1,), answered=True),
        Wake(SKEPTIC, 3, 5000),
    )


def test_a_stray_message_never_replaces_a_persons_unanswered_question() -> None:
    """D5 D14."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    table.ask_all(1)
    assert stray(table, 5000, JUDGE) == Nothing(IgnoreReason.STALE)


def test_a_stray_message_never_replaces_a_question_to_two_of_whom_one_has_answered() -> None:
    """D5 D14: the other one was addressed, too, and answers the person."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    table.ask(1, ANALYST, SKEPTIC)
    table.turn(ANALYST)
    assert stray(table, 5000, JUDGE) == Nothing(IgnoreReason.STALE)
    assert table.claim(SKEPTIC).agent == SKEPTIC


def test_a_stray_message_opens_nothing_while_an_answer_of_a_round_that_ended_is_posted() -> None:
    """D5 D14: whoever reacted to it would speak between the parts of that answer."""
    table = FloorHarness(open_always=True, bot_reopen_cooldown_ms=0)
    table.tell(ScheduleRound((ANALYST,)))
    grant = table.post(ANALYST)
    table.tell(RoundDone())
    assert stray(table, 5000, JUDGE) == Nothing(IgnoreReason.STALE)
    table.tell(Sent(ANALYST, grant.claim, (5001,)))
    assert isinstance(stray(table, 5002, JUDGE), Opened)
