"""Rolling summaries."""

import json

import pytest

from bot.prompting.summary import Point, RoundSummary, parse_summary
from bot.prompting.text import count_words

SUMMARY_WORDS = 350

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


@pytest.mark.parametrize("text", ["{}", "one " * 2000, json.dumps({"summary": "one " * 2000})])
def test_a_summary_has_a_hard_limit(text: str) -> None:
    """2.2#8."""
    assert count_words(parse_summary(text).summary.removesuffix("…")) <= SUMMARY_WORDS


@pytest.mark.parametrize("value", [None, 3, {"a": 1}, [None, 3, {"text": 7}, {"from": []}]])
def test_findings_of_another_shape_are_left_out(value: object) -> None:
    assert parse_summary(json.dumps({"summary": "x", "consensus": value})).consensus == ()
