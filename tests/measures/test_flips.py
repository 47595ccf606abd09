"""The flip ledger names a cause only where the seat named a real one."""

import pytest

from bot.measures.agreement import Flip, RoundPositions, flip_ledger
from bot.prompting.closing_lines import Stance
from bot.prompting.round_answers import Revision, parse_round2

CLAIMS = {"Advocate": ("C1", "C2"), "Analyst": ("C1", "C2", "C3"), "Critic": ()}
FIRST = RoundPositions(1, {"Advocate": Stance.AGREE, "Analyst": Stance.AGREE}, claims=CLAIMS)


def second(position: str | None, revision: Revision | None = None) -> RoundPositions:
    revisions = {"Advocate": revision} if revision else {}
    return RoundPositions(2, {"Advocate": position, "Analyst": Stance.AGREE}, revisions)


def only_flip(revision: Revision | None) -> Flip:
    (flip,) = flip_ledger([FIRST, second(Stance.DISAGREE, revision)])
    return flip


def test_a_change_with_its_cause_is_kept_whole() -> None:
    """Design 5."""
    text = "Because of Analyst C2: the load doubles every year."
    assert only_flip(Revision(True, "Analyst", "C2", text)) == Flip(
        "Advocate", 2, "AGREE", "DISAGREE", "Analyst", "C2", "the load doubles every year."
    )


def test_the_revise_section_as_the_prompt_asks_for_it_is_understood() -> None:
    answer = "**REVISE:** Because of Analyst C2: the load doubles.\n**SELF-DIGEST:**\nThesis: no"
    flip = only_flip(parse_round2(answer, ("Analyst", "Critic")).revision)
    assert (flip.because_role, flip.because_claim, flip.reason) == (
        "Analyst",
        "C2",
        "the load doubles.",
    )


@pytest.mark.parametrize(
    "revision",
    [
        None,
        Revision(text="No change."),
        Revision(changed=True, text="I see it differently now."),
        Revision(True, "Stranger", "C1", "Because of Stranger C1: no."),
        Revision(True, "Advocate", "C1", "Because of Advocate C1: I convinced myself."),
        Revision(True, "Analyst", "C9", "Because of Analyst C9: no such claim."),
        Revision(True, "Critic", "C1", "Because of Critic C1: made no claims."),
    ],
)
def test_without_a_real_cause_no_reason_is_given(revision: Revision | None) -> None:
    """Design 5: a cause is never invented."""
    unexplained = ("Advocate", 2, "AGREE", "DISAGREE", None, None, "no reason given")
    assert only_flip(revision) == Flip(*unexplained)


def test_a_peer_may_be_the_cause_without_a_claim() -> None:
    flip = only_flip(Revision(True, "Critic", None, "Because of Critic: the tone of it."))
    assert (flip.because_role, flip.because_claim) == ("Critic", None)


@pytest.mark.parametrize("position", [None, "", Stance.UNKNOWN, Stance.AGREE])
def test_an_unreadable_or_unchanged_position_is_no_flip(position: str | None) -> None:
    """A17."""
    assert flip_ledger([FIRST, second(position)]) == ()


def test_a_seat_that_missed_a_round_is_compared_with_its_last_position() -> None:
    """E104."""
    missed = RoundPositions(2, {"Analyst": Stance.AGREE})
    third = RoundPositions(3, {"Advocate": Stance.NEUTRAL})
    (flip,) = flip_ledger([FIRST, missed, third])
    assert (flip.round, flip.before, flip.after) == (3, "AGREE", "NEUTRAL")


def test_a_claim_written_in_the_same_round_cannot_have_been_read() -> None:
    """A4."""
    revisions = {"Advocate": Revision(True, "Analyst", "C4", "Because of Analyst C4: new.")}
    late = RoundPositions(2, {"Advocate": "DISAGREE"}, revisions, {"Analyst": ("C4",)})
    (flip,) = flip_ledger([FIRST, late])
    assert flip.because_role is None


def test_changing_back_is_a_second_flip() -> None:
    back = RoundPositions(3, {"Advocate": Stance.AGREE})
    flips = flip_ledger([back, FIRST, second(Stance.NEUTRAL)])
    assert [(flip.round, flip.after) for flip in flips] == [(2, "NEUTRAL"), (3, "AGREE")]


def test_ballots_flip_like_stances() -> None:
    rounds = [
        RoundPositions(1, {"Advocate": "Postgres"}),
        RoundPositions(2, {"Advocate": "SQLite"}),
    ]
    assert flip_ledger(rounds)[0].line == (
        "Advocate moved from Postgres to SQLite in round 2 (no reason given)"
    )


def test_people_read_the_cause_and_the_reason() -> None:
    flip = Flip("Advocate", 2, "AGREE", "NEUTRAL", "Analyst", "C2", "the load doubles")
    assert flip.line == (
        "Advocate moved from agree to neutral in round 2 because of Analyst C2: the load doubles"
    )


def test_a_cause_without_further_words_stands_alone() -> None:
    flip = only_flip(Revision(True, "Analyst", "C2", "Because of Analyst C2:"))
    assert flip.line.endswith("because of Analyst C2")


def test_a_long_reason_is_cut_to_one_short_line() -> None:
    flip = only_flip(Revision(True, "Analyst", "C2", "Because of Analyst C2: " + "word\n" * 500))
    assert len(flip.reason) < 400
    assert "\n" not in flip.reason
