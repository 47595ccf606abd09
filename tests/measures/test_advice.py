"""Validation is recommended where it is worth its time."""

import pytest

from bot.measures.validation import recommend_validation
from bot.types.mode import Mode


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


def test_not_when_time_matters_more() -> None:
    """E77."""
    assert not advised(Mode.REDTEAM, topic="Urgent: how could this login break?")


def test_the_advice_is_one_sentence_that_names_the_flag() -> None:
    assert recommend_validation(Mode.DEBATE, 35.0, 0, "Which queue?", quick=False) == (
        "The panel agreed on little (35.0%): consider running it again with `--validate`."
    )
