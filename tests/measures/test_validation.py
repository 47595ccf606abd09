"""What the validators' verdicts mean, and when validation is recommended."""

import itertools

import pytest

from bot.measures.validation import (
    ValidationResult,
    after_rewrite,
    recommend_validation,
    review_words,
    validation_result,
)
from bot.prompting.validation import Validation, Verdict
from bot.types.mode import Mode

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


def advised(
    mode: Mode = Mode.DEFAULT,
    pct: float | None = 75.0,
    stage2: int = 0,
    topic: str = "Which queue?",
    quick: bool = False,
) -> bool:
    return recommend_validation(mode, pct, stage2, topic, quick) is not None


@pytest.mark.parametrize(("pct", "yes"), [(39.9, True), (40.0, False), (None, False)])
def test_low_consensus_is_a_reason(pct: float | None, yes: bool) -> None:
    """E76."""
    assert advised(pct=pct) is yes


def test_a_red_team_is_a_reason() -> None:
    """E76."""
    assert advised(Mode.REDTEAM, pct=90)


@pytest.mark.parametrize(
    ("mode", "stage2", "yes"),
    [(Mode.BUILD, 3, True), (Mode.BUILD, 2, False), (Mode.DEBATE, 3, False)],
)
def test_a_build_with_many_stage_2_models_is_a_reason(mode: Mode, stage2: int, yes: bool) -> None:
    """E76."""
    assert advised(mode, stage2=stage2) is yes


@pytest.mark.parametrize(
    "topic",
    [
        "This is high-stakes: which queue?",
        "High stakes!",
        "We need a final\ndecision on queues",
        "We are publishing this tomorrow",
    ],
)
def test_a_topic_that_says_it_matters_is_a_reason(topic: str) -> None:
    """E76."""
    assert advised(topic=topic)


@pytest.mark.parametrize("topic", ["The finals decisions", "stakes high", "publishing thistles"])
def test_other_words_are_none(topic: str) -> None:
    assert not advised(topic=topic)


def test_never_in_quick_mode() -> None:
    """E77."""
    assert not advised(Mode.REDTEAM, pct=10, topic="high-stakes", quick=True)


@pytest.mark.parametrize("topic", ["Your opinion: tea?", "What is the prettiest font?"])
def test_not_on_a_debate_of_taste(topic: str) -> None:
    """E77."""
    assert not advised(Mode.DEBATE, pct=20, topic=topic)


TASTE = (
    *("opinion", "opinions", "favourite", "favorites", "taste", "tastes", "prettier", "prettiest"),
    *("nicer", "nicest", "funnier", "funniest", "more beautiful", "most beautiful", "coolest"),
)
HURRY = ("ASAP", "urgent", "urgently", "in a hurry", "right now", "quick take", "quickly")


@pytest.mark.parametrize("word", TASTE)
def test_every_word_of_taste_counts_in_a_debate_and_only_there(word: str) -> None:
    """E77."""
    assert not advised(Mode.DEBATE, pct=20, topic=f"Which is it, {word}?")
    assert advised(Mode.DEBATE, pct=20, topic=f"Which is it, x{word}?")
    assert advised(Mode.REDTEAM, topic=f"Which is it, {word}?")


@pytest.mark.parametrize("word", HURRY)
def test_not_when_time_matters_more(word: str) -> None:
    """E77: in any mode, unless the stakes are said to be high."""
    assert not advised(Mode.REDTEAM, topic=f"How could this login break, {word}?")
    assert advised(Mode.REDTEAM, topic=f"How could this login break, x{word}?")
    assert advised(Mode.REDTEAM, topic=f"A high-stakes question, {word}")


def test_the_advice_is_one_sentence_that_names_the_flag() -> None:
    assert recommend_validation(Mode.DEBATE, 35.0, 0, "Which queue?", quick=False) == (
        "The panel agreed on little (35.0%): consider running it again with `--validate`."
    )
