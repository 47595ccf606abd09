"""What the validators' verdicts mean: yes, partial or no, and when it is rewritten."""

import itertools

import pytest

from bot.measures.validation import ValidationResult, after_rewrite, review_words, validation_result
from bot.prompting.validation import Validation, Verdict

RIGHT = Validation(Verdict.ACCURATE)
PARTLY = Validation(Verdict.PARTIALLY_ACCURATE, "the number", "it is 12, not 20")
WRONG = Validation(Verdict.INACCURATE, "reversed", "I was against it")
UNREADABLE = Validation(Verdict.UNKNOWN)
NO_CORRECTION = "the draft does not represent this seat, and no correction was given"


def settled(*verdicts: Validation | None) -> ValidationResult:
    return validation_result(dict(zip(("Advocate", "Analyst", "Critic"), verdicts, strict=False)))


@pytest.mark.parametrize(
    ("verdicts", "value", "rewrite"),
    [
        ((RIGHT, RIGHT, RIGHT), "yes", False),
        ((RIGHT, PARTLY, RIGHT), "partial", False),
        ((PARTLY, PARTLY, PARTLY), "partial", False),
        ((RIGHT, WRONG, RIGHT), "partial", False),
        ((PARTLY, WRONG, RIGHT), "partial", False),
        ((WRONG, WRONG, RIGHT), "no", True),
        ((WRONG, WRONG, WRONG), "no", True),
        ((None, None, None), "no", False),
        ((UNREADABLE, None, None), "no", False),
        ((), "no", False),
    ],
)
def test_the_verdicts_settle_the_value(
    verdicts: tuple[Validation | None, ...], value: str, rewrite: bool
) -> None:
    """E80-E82, 2.2#34."""
    result = settled(*verdicts)
    assert (result.value, result.rewrite) == (value, rewrite)


def test_one_misrepresented_seat_is_flagged_with_its_correction() -> None:
    """E81."""
    lines = settled(RIGHT, WRONG, PARTLY).lines
    assert lines == ("⚠️ Analyst flagged misrepresentation: I was against it",)


def test_a_partly_right_conclusion_flags_nobody() -> None:
    """E82."""
    assert settled(RIGHT, PARTLY, RIGHT).lines == ()


def test_the_corrections_of_all_seats_go_into_the_rewrite() -> None:
    """E80."""
    assert settled(WRONG, PARTLY, WRONG).corrections == (
        ("Advocate", "I was against it"),
        ("Analyst", "it is 12, not 20"),
        ("Critic", "I was against it"),
    )


def test_after_the_rewrite_it_is_not_validated_and_says_why() -> None:
    """2.2#34."""
    result = after_rewrite(settled(WRONG, PARTLY, WRONG))
    assert (result.value, result.rewrite, result.lines) == (
        "no",
        False,
        ("rewritten after 3 corrections",),
    )


def test_a_reason_stands_in_for_a_missing_correction() -> None:
    lines = settled(Validation(Verdict.INACCURATE, "my point\nis reversed")).lines
    assert lines == ("⚠️ Advocate flagged misrepresentation: my point is reversed",)


def test_a_bare_inaccurate_still_asks_for_something() -> None:
    bare = Validation(Verdict.INACCURATE)
    assert settled(bare, bare).corrections == (
        ("Advocate", NO_CORRECTION),
        ("Analyst", NO_CORRECTION),
    )


def test_a_bare_partial_asks_for_nothing() -> None:
    assert settled(Validation(Verdict.PARTIALLY_ACCURATE)).corrections == ()


def test_silent_validators_are_named_and_the_others_decide() -> None:
    """E103."""
    result = settled(RIGHT, None, UNREADABLE)
    assert (result.value, result.lines) == ("yes", ("No verdict from Analyst, Critic",))


def test_the_silent_are_still_named_after_a_rewrite() -> None:
    lines = after_rewrite(settled(WRONG, WRONG, None)).lines
    assert lines == ("rewritten after 2 corrections", "No verdict from Critic")


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict.ACCURATE, ("approved", None)),
        (Verdict.PARTIALLY_ACCURATE, ("changes_requested", "minor")),
        (Verdict.INACCURATE, ("changes_requested", "major")),
        (Verdict.UNKNOWN, None),
    ],
)
def test_a_verdict_is_stored_as_a_review(
    verdict: Verdict, words: tuple[str, str | None] | None
) -> None:
    """2.2#33."""
    assert review_words(verdict) == words


def test_only_two_or_more_inaccurate_verdicts_lead_to_a_rewrite() -> None:
    """E80, over every panel of three."""
    for panel in itertools.product((RIGHT, PARTLY, WRONG, UNREADABLE, None), repeat=3):
        assert settled(*panel).rewrite is (panel.count(WRONG) >= 2)
