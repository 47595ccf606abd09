"""Rolling summaries."""

import json

import pytest

from bot.prompting.summary import (
    SUMMARY_WORDS,
    Point,
    RoundSummary,
    compression_values,
    parse_summary,
    shorten_answer,
)
from bot.prompting.text import count_words
from bot.settings import SHIPPED_PROMPTS

ROLES = ("Analyst", "Devil's Advocate")
DATA = {
    "summary": "They talk.",
    "consensus": [{"text": "Types matter", "from": ["analyst", "Devil’s_Advocate", "Nobody"]}],
    "disagreement": [{"text": "Cost", "from": "Analyst"}],
    "new_points": ["Backups"],
}
READ = RoundSummary(
    "They talk.",
    (Point("Types matter", ROLES),),
    (Point("Cost", ("Analyst",)),),
    (Point("Backups", ()),),
    parsed=True,
)


@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "```json\n{}\n```",
        "Here it is:\n```\n{}\n```\nAnything else?",
        "Sure! {} Done. }}",
        '{{"summary": "…", "consensus": []}}\n{}',
    ],
)
def test_json_is_found_wherever_it_stands(frame: str) -> None:
    """2.2#7."""
    assert parse_summary(frame.format(json.dumps(DATA)), ROLES) == READ


def test_what_only_strangers_are_said_to_share_is_not_shared() -> None:
    """C20: as with one seat alone; a point of which nothing is said counts."""
    points = [{"text": "Ghosts exist", "from": ["Ghost"]}, {"text": "Types matter"}]
    read = parse_summary(json.dumps(DATA | {"consensus": points}), ROLES)
    assert read.consensus == (Point("Types matter", ()),)


def test_the_order_of_keys_does_not_matter() -> None:
    text = json.dumps(dict(reversed(DATA.items())))
    assert parse_summary(text, ROLES) == READ


def test_plain_text_becomes_the_summary_without_findings() -> None:
    """2.2#7."""
    assert parse_summary("They all like tabs.") == RoundSummary("They all like tabs.")


def test_a_summary_survives_json_that_was_cut_off() -> None:
    assert parse_summary('{"summary": "They talk.", "consensus": [{"te') == RoundSummary(
        "They talk."
    )


def numbered(words: int) -> str:
    return " ".join(f"word{number}" for number in range(1, words + 1))


@pytest.mark.parametrize("as_json", [True, False])
def test_a_summary_has_350_words_at_most(as_json: bool) -> None:
    """A25 2.2#8: the 350th word is kept and the 351st is not, however much the model wrote."""

    def read(words: int) -> str:
        text = numbered(words)
        return parse_summary(json.dumps({"summary": text}) if as_json else text).summary

    assert read(350) == numbered(350)
    assert read(351) == read(2000) == f"{numbered(350)}…"
    assert count_words(read(2000)) == SUMMARY_WORDS == 350


def test_a_summary_that_is_cut_keeps_its_points() -> None:
    """2.2#8: the limit is the summary's; what was agreed and what was not stand beside it."""
    point = [{"text": "Price matters.", "from": ["Critic", "Judge"]}]
    findings = {"consensus": point, "disagreement": point, "new_points": point}
    read = parse_summary(json.dumps({"summary": numbered(2000), **findings}), ("Critic", "Judge"))
    assert read.summary == f"{numbered(350)}…"
    kept = (read.consensus, read.disagreement, read.new_points)
    assert [[found.text for found in points] for points in kept] == [["Price matters."]] * 3


def test_the_model_is_asked_for_the_350_words_that_are_kept() -> None:
    """A25."""
    prompt = (SHIPPED_PROMPTS / "rolling-summary.md").read_text(encoding="utf-8")
    assert "at most 350 words that replace it" in " ".join(prompt.split())


def test_the_input_of_a_compression_is_the_summary_so_far_and_this_round() -> None:
    """A26."""
    answers = [("Critic", "Too dear."), ("Judge", numbered(2000))]
    first = compression_values("Tea?", 1, 3, answers[:1], "")
    later = compression_values("Tea?", 2, 3, answers, "They met.")
    assert first == {
        "PROMPT": "Tea?",
        "ROUND": "1",
        "MAX_ROUNDS": "3",
        "ROUND_ANSWERS": "Critic:\n  Too dear.",
    }
    assert later["ROLLING_SUMMARY"] == "They met."
    assert "Judge:\n  word1 word2 " in later["ROUND_ANSWERS"]
    assert shorten_answer(numbered(2000)) == f"{numbered(350)}…"


@pytest.mark.parametrize("value", [None, 3, {"a": 1}, [None, 3, {"text": 7}, {"from": []}]])
def test_findings_of_another_shape_are_left_out(value: object) -> None:
    assert parse_summary(json.dumps({"summary": "x", "consensus": value})).consensus == ()
