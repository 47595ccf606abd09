"""Agreement scores: the ladder of E71-E75 and 2.2#16."""

import pytest

from bot.prompting.scores import How, parse_scores
from tests.prompting.sample_texts import ROUND2, prompt_texts

PEERS = ("Analyst", "Devil's Advocate", "Advocate")


def read(text: str, peer: str = "Analyst", own: str = "") -> tuple[int, How]:
    scores = {score.peer: score for score in parse_scores(text, PEERS, own).scores}
    return scores[peer].value, scores[peer].how


@pytest.mark.parametrize(
    "line",
    [
        "- Analyst: 4/5 — close",
        "- **Analyst:** 4/5",
        "- **Analyst**: 4/5",
        "* analyst : 4 / 5.",
        "1. [Analyst]: 4/5",
        "Analyst: **4/5** good",
        "- ANALYST：４／５",
    ],
)
def test_a_clean_line_is_read(line: str) -> None:
    """E72."""
    assert read(f"SCORES:\n{line}") == (4, How.CLEAN)


@pytest.mark.parametrize(
    "name", ["Devil's_Advocate", "Devil’s Advocate", "**DEVIL'S ADVOCATE**", "devil's  advocate"]
)
def test_a_role_is_known_however_it_is_spelled(name: str) -> None:
    """3.1."""
    text = f"SCORES:\n- Advocate: 5/5\n- {name}: 2/5 — bleak"
    assert read(text, "Devil's Advocate") == (2, How.CLEAN)
    assert read(text, "Advocate") == (5, How.CLEAN)


@pytest.mark.parametrize(
    "heading", ["SCORES:", "**SCORES:**", "### Scores", "**AGREEMENT SCORES**"]
)
def test_the_heading_may_be_decorated(heading: str) -> None:
    """E71."""
    assert read(f"{heading}\n\n- Analyst: 5/5") == (5, How.CLEAN)


def test_only_the_last_block_counts() -> None:
    """E71, part 4, score parsing."""
    assert read("SCORES:\n- Analyst: 1/5\n\nSCORES:\n- Analyst: 5/5") == (5, How.CLEAN)


def test_numbers_in_the_reasoning_do_not_count() -> None:
    """E65 E71, part 4, score parsing."""
    text = "Analyst scores 2 of 3.\nSCORES:\n- Analyst: 4/5\n[STANCE: AGREE]\nAnalyst: 1/5"
    assert read(text) == (4, How.CLEAN)


@pytest.mark.parametrize(
    "number", ["3.5/5", "10/5", "0/5", "6/5", "45/5", "4/50", "80%", "C2", "¾"]
)
def test_what_is_not_clean_is_not_guessed_from_its_digits(number: str) -> None:
    """2.2#16."""
    assert read(f"SCORES:\n- Analyst: {number}") == (3, How.INFERRED)


@pytest.mark.parametrize(
    "block",
    [
        "- Analyst — 4",
        "- Analyst (C2 was weak): 4 out of 5",
        "| Analyst | 4 | fine |",
        "Analyst:\n4/5 — fine",
        "4/5 Analyst, 2/5 Advocate",
        "Advocate 2, Analyst 4",
        "Analyst: 2 of 3 claims hold, so 4/5",
    ],
)
def test_the_nearest_digit_is_the_second_best(block: str) -> None:
    """E65 E73."""
    assert read(f"SCORES:\n{block}") == (4, How.NEAREST)


def test_a_missing_peer_is_inferred_as_three() -> None:
    """E74."""
    scores = parse_scores("SCORES:\n- Advocate: 5/5", PEERS)
    assert scores.inferred == ("Analyst", "Devil's Advocate")
    assert scores.readable


@pytest.mark.parametrize("text", ["", "SCORES:", "no scores here", "SCORES:\n\n---\nAnalyst: 4"])
def test_nothing_readable_is_said_to_be_so(text: str) -> None:
    """E75, 2.2#16."""
    scores = parse_scores(text, PEERS)
    assert not scores.readable
    assert {score.value for score in scores.scores} == {3}


def test_a_score_for_oneself_is_ignored() -> None:
    """2.2#16."""
    scores = parse_scores("SCORES:\n- Analyst: 5/5\n- Advocate: 2/5", PEERS, own_role="analyst")
    assert [score.peer for score in scores.scores] == ["Devil's Advocate", "Advocate"]


def test_a_score_behind_the_heading_itself_is_read() -> None:
    """E71."""
    assert read("SCORES: Analyst: 4/5") == (4, How.CLEAN)


def test_clean_lines_without_a_heading_are_trusted() -> None:
    """E65 E71."""
    assert read("I am done.\n- Analyst: 4/5 — fine") == (4, How.CLEAN)


def test_the_documented_answer_is_clean() -> None:
    """E65."""
    assert read(ROUND2) == (4, How.CLEAN)
    assert read(ROUND2, "Devil's Advocate") == (2, How.CLEAN)


@pytest.mark.parametrize("text", prompt_texts())
def test_no_prompt_of_ours_holds_a_score(text: str) -> None:
    """An echo of the instructions scores nobody."""
    peers = ("Analyst", "Contrarian", "role", "number", "member", "one")
    assert not parse_scores(text, peers).readable
