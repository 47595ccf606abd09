"""What people say: it opens, pre-empts, waits, silences and lifts silence."""

from bot.floor import (
    Allow,
    Archived,
    Cancel,
    CancelReason,
    Claim,
    Closed,
    CloseReason,
    Denied,
    DenyReason,
    Dropped,
    Edited,
    Human,
    IgnoreReason,
    Nothing,
    Opened,
    Output,
    Queued,
    Quiet,
    Reopened,
    RunStarted,
    Sending,
    Stop,
    Wake,
)
from tests.floor.floor_harness import ANALYST, JUDGE, SKEPTIC, FloorHarness

MOST_QUEUED = 50


def test_a_message_to_one_seat_wakes_that_seat_only() -> None:
    """2.2#38."""
    table = FloorHarness()
    assert table.ask(1, SKEPTIC) == Opened(1, 1)
    assert table.woken() == [SKEPTIC]


def test_a_message_to_nobody_wakes_nobody() -> None:
    """2.2#38: chatter between people."""
    table = FloorHarness()
    assert table.ask(1) == Nothing(IgnoreReason.NOT_ADDRESSED)
    assert table.heard[1:] == ()


def test_a_message_to_a_seat_that_is_not_here_opens_nothing() -> None:
    table = FloorHarness()
    assert table.ask(1, "stranger") == Nothing(IgnoreReason.NO_SUCH_SEAT)


def test_chatter_does_not_disturb_an_exchange() -> None:
    """2.2#38."""
    table = FloorHarness()
    table.ask_all(1)
    table.claim(ANALYST)
    table.ask(2, by=2)
    assert table.floor.holder == ANALYST


def test_the_same_message_delivered_twice_is_one_message() -> None:
    """3.2, part 4 (double replies): dedupe by id."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    assert table.ask(1, ANALYST) == Nothing(IgnoreReason.DUPLICATE)
    assert table.woken() == []


def test_the_same_words_in_a_new_message_are_a_new_question() -> None:
    """3.2 flaw 4: identity by message id, never by text."""
    table = FloorHarness()
    table.ask(1, ANALYST)
    table.turn(ANALYST)
    assert isinstance(table.ask(2, ANALYST), Opened)
    assert table.woken() == [ANALYST]


def test_a_person_preempts_an_open_floor() -> None:
    """2.2#37, 3.2: a new epoch replaces the old one and drops any claim."""
    table = FloorHarness()
    table.ask_all(1)
    table.turn(ANALYST)
    grant = table.write(SKEPTIC)
    table.ask(2, JUDGE, by=2)
    assert table.heard[1:] == (
        Closed(1, CloseReason.SUPERSEDED, (1,), answered=True),
        Wake(JUDGE, 4, 2),
    )
    late = table.tell(Sending(SKEPTIC, grant.claim, "because"))
    assert late == Cancel(SKEPTIC, CancelReason.SUPERSEDED)


def test_a_claim_of_a_superseded_exchange_cannot_send_in_the_next() -> None:
    """2.4(4): not even by the same seat to the same words."""
    table = FloorHarness()
    table.ask_all(1)
    old = table.write(ANALYST)
    table.ask_all(2)
    table.write(ANALYST)
    late = table.tell(Sending(ANALYST, old.claim, "because"))
    assert late == Cancel(ANALYST, CancelReason.SUPERSEDED)


def test_two_open_questions_in_a_row_are_answered_together() -> None:
    """Issue 6.7: coalesced; no question is lost."""
    table = FloorHarness()
    table.ask_all(1, by=1, text="one?")
    table.ask_all(2, by=2, text="two?")
    grant = table.claim(ANALYST)
    assert [line.text for line in grant.transcript] == ["one?", "two?"]
    assert grant.source == 2


def test_one_person_asking_one_seat_twice_gets_one_answer() -> None:
    """Issue 6.7: coalesced per person."""
    table = FloorHarness()
    table.ask(1, ANALYST, text="one?")
    table.run(ANALYST)
    table.ask(2, ANALYST, text="I mean two?")
    grant = table.claim(ANALYST)
    assert [line.text for line in grant.transcript] == ["one?", "I mean two?"]


def test_another_persons_question_waits_for_the_answer_under_way() -> None:
    """Issue 6.7: queued per thread, every addressed question is answered once."""
    table = FloorHarness()
    table.ask(1, ANALYST, by=1)
    table.run(ANALYST)
    assert table.ask(2, SKEPTIC, by=2) == Queued(2, 0)
    assert table.floor.waiting == (2,)
    assert table.floor.holder == ANALYST


def test_a_waiting_question_is_opened_when_the_one_before_has_settled() -> None:
    table = FloorHarness()
    table.ask(1, ANALYST, by=1)
    table.speak(ANALYST)
    assert table.ask(2, SKEPTIC, by=2) == Opened(3, 2)
    table.ask(3, JUDGE, by=3)
    table.turn(SKEPTIC)
    assert table.heard[1:] == (
        Closed(3, CloseReason.ANSWERED, (2,), answered=True),
        Wake(JUDGE, 5, 3),
    )


def test_an_open_question_without_answer_is_taken_up_after_the_one_that_preempted_it() -> None:
    table = FloorHarness()
    table.ask_all(1, by=1)
    table.run(ANALYST)
    table.ask(2, SKEPTIC, by=2)
    assert table.closed() == [CloseReason.SUPERSEDED]
    table.turn(SKEPTIC)
    assert table.heard[-1] == Wake(ANALYST, 5, 1)


def test_a_person_who_turns_an_open_question_to_one_seat_gets_one_answer() -> None:
    table = FloorHarness()
    table.ask_all(1, by=1, text="what about costs?")
    table.ask(2, SKEPTIC, by=1, text="Skeptic, you")
    grant = table.claim(SKEPTIC)
    assert [line.text for line in grant.transcript] == ["what about costs?", "Skeptic, you"]
    assert table.floor.waiting == ()


def test_waiting_questions_of_one_person_to_one_seat_become_one() -> None:
    """Issue 6.7: coalesced per person."""
    table = FloorHarness()
    table.ask(1, ANALYST, by=1)
    table.ask(2, SKEPTIC, by=2)
    assert table.ask(3, SKEPTIC, by=2) == Queued(3, 0)
    table.turn(ANALYST)
    assert [line.source for line in table.claim(SKEPTIC).transcript] == [2, 3]


def test_the_queue_has_an_end() -> None:
    table = FloorHarness()
    table.ask(1, ANALYST, by=1)
    for number in range(MOST_QUEUED):
        table.ask(100 + number, SKEPTIC, by=100 + number)
    assert table.ask(999, SKEPTIC, by=999) == Nothing(IgnoreReason.QUEUE_FULL)


def test_an_edit_changes_what_will_be_read_and_opens_nothing() -> None:
    """3.2: a known id is refreshed, never a new root."""
    table = FloorHarness()
    table.ask(1, ANALYST, by=1)
    table.ask(2, SKEPTIC, by=2)
    assert table.tell(Edited(1, "why not?")) == Nothing(IgnoreReason.NOTED)
    assert table.tell(Edited(2, "how?")) == Nothing(IgnoreReason.NOTED)
    assert table.claim(ANALYST).transcript[0].text == "why not?"
    table.turn(ANALYST)
    assert table.claim(SKEPTIC).transcript[0].text == "how?"


def test_an_edit_of_an_old_message_is_nothing() -> None:
    """Issue 6.5."""
    table = FloorHarness()
    assert table.tell(Edited(1, "Analyst, why?")) == Nothing(IgnoreReason.STALE)


def test_quiet_ends_the_exchange_and_gives_up_what_waits() -> None:
    """2.4(6)."""
    table = FloorHarness()
    table.ask(1, ANALYST, by=1)
    table.ask(2, SKEPTIC, by=2)
    grant = table.write(ANALYST)
    table.tell(Quiet())
    assert table.heard[1:] == (
        Closed(1, CloseReason.QUIET, (1,)),
        Dropped((2,), CloseReason.QUIET),
    )
    reply = table.tell(Sending(ANALYST, grant.claim, "because"))
    assert reply == Cancel(ANALYST, CancelReason.EPOCH_CLOSED)


def test_quiet_lasts_until_a_person_speaks() -> None:
    """2.4(6)."""
    table = FloorHarness(epoch_idle_ms=60_000)
    table.ask_all(1)
    table.tell(Quiet())
    table.wait(10_000_000)
    assert table.tell(Claim(ANALYST)) == Denied(ANALYST, DenyReason.QUIET)
    table.ask_all(2)
    assert table.woken() == [ANALYST]


def test_stop_ends_everything_at_once() -> None:
    """Issue 6.4."""
    table = FloorHarness()
    table.ask_all(1)
    table.run(ANALYST)
    table.tell(Stop())
    assert table.closed() == [CloseReason.STOPPED]
    assert table.floor.holder is None


def test_an_archived_thread_closes_its_floor_and_a_person_opens_it_again() -> None:
    """Issue 6.6."""
    table = FloorHarness()
    table.ask_all(1)
    table.tell(Archived())
    assert table.closed() == [CloseReason.ARCHIVED]
    table.ask(2, JUDGE)
    assert table.woken() == [JUDGE]


def test_a_reopened_thread_wakes_nobody_by_itself() -> None:
    """Issue 6.6."""
    table = FloorHarness()
    table.tell(Archived())
    table.tell(Reopened())
    assert table.heard[1:] == ()
    assert table.claim(ANALYST).source is None


def test_an_answer_to_an_allowance_that_a_person_overtook_reads_the_message() -> None:
    """3.2: NO_REPLY to what came before a newer message is no decline."""
    table = FloorHarness()
    grant = table.claim(ANALYST)
    table.tell(RunStarted(ANALYST, grant.claim))
    table.ask(1, ANALYST)
    table.tell(Output(ANALYST, grant.claim, "NO_REPLY"))
    assert table.woken() == [ANALYST]


def test_several_addressed_seats_answer_once_each() -> None:
    """2.2#38."""
    table = FloorHarness()
    table.ask(1, ANALYST, SKEPTIC)
    table.turn(ANALYST)
    assert table.woken() == [SKEPTIC]
    table.turn(SKEPTIC)
    assert table.closed() == [CloseReason.ANSWERED]


def test_a_clock_that_is_set_back_holds_nobody_up() -> None:
    """3.2 flaw 5: time is the floor's own."""
    table = FloorHarness()
    table.ask_all(1)
    table.now -= 1_000_000
    table.claim(ANALYST)
    table.wait(15_001)
    assert table.woken() == [SKEPTIC]


def test_a_late_message_is_not_born_idle() -> None:
    """3.2 flaw 5: a message counts from when it arrives."""
    table = FloorHarness()
    table.now = 50_000_000
    table.tell(Human(1, 1, "Ada", "why?", (ANALYST,)))
    assert table.woken() == [ANALYST]
    table.write(ANALYST)
    assert isinstance(table.tell(Sending(ANALYST, 2, "because")), Allow)
