"""Ballots."""

import pytest

from bot.prompting.closing_lines import Ballot, match_option, parse_ballot
from tests.prompting.samples import prompt_texts

OPTIONS = ("Postgres", "SQLite", "My SQL")


def test_a_ballot_has_option_confidence_and_reason() -> None:
    ballot = parse_ballot("…\n[BALLOT: Postgres | 80 | it survives two writers]", OPTIONS)
    assert ballot == Ballot("Postgres", 80, "it survives two writers")


@pytest.mark.parametrize(
    "written", ["postgres", "**Postgres**", "'POSTGRES'", "Option: Postgres", "postgres."]
)
def test_an_option_is_known_in_any_case_and_punctuation(written: str) -> None:
    assert parse_ballot(f"[BALLOT: {written} | 5 | x]", OPTIONS).option == "Postgres"


@pytest.mark.parametrize("written", ["Oracle", "not Postgres", "Postgres or SQLite", "", "*"])
def test_anything_else_is_no_vote(written: str) -> None:
    assert parse_ballot(f"[BALLOT: {written} | 80 | x]", OPTIONS) == Ballot()


@pytest.mark.parametrize(("written", "option"), [("c++", "C++"), ("C", "C"), ("c#", "C#")])
def test_punctuation_counts_where_it_is_all_that_differs(written: str, option: str) -> None:
    assert match_option(written, ("C", "C++", "C#")) == option


@pytest.mark.parametrize(
    ("written", "confidence"),
    [
        ("80%", 80),
        ("80/100", 80),
        ("0.8", 80),
        ("150", 100),
        ("-5", 0),
        ("0", 0),
        ("about 70", 70),
        ("high", None),
        ("8/10", None),
        ("", None),
        ("9" * 5000, 100),
    ],
)
def test_confidence_is_clamped_or_none(written: str, confidence: int | None) -> None:
    assert parse_ballot(f"[BALLOT: SQLite | {written} | x]", OPTIONS).confidence == confidence


def test_a_short_ballot_still_counts() -> None:
    assert parse_ballot("[ballot: my sql]", OPTIONS) == Ballot("My SQL")


def test_a_reason_may_hold_brackets_and_bars() -> None:
    ballot = parse_ballot("[BALLOT: SQLite | 60 | see [E1] | really]", OPTIONS)
    assert ballot.reason == "see [E1] | really"


def test_the_last_readable_ballot_counts() -> None:
    text = "[BALLOT: SQLite|1|a] [BALLOT: Postgres|2|b]\n[BALLOT: option | confidence | reason]"
    assert parse_ballot(text, OPTIONS).option == "Postgres"


def test_no_prompt_of_ours_holds_a_ballot() -> None:
    """An echo of the instruction is no vote, not even for an option of that name."""
    options = (*OPTIONS, "option", "tabs", "X")
    assert {parse_ballot(text, options) for text in prompt_texts()} == {Ballot()}
