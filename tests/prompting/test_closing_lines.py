"""Stance markers and ballots."""

import pytest
from hypothesis import given

from bot.prompting.closing_lines import (
    Ballot,
    Stance,
    match_option,
    parse_ballot,
    parse_stance,
    strip_markers,
)
from tests.prompting.sample_texts import ANY_TEXT, prompt_texts

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


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("[STANCE: AGREE]", Stance.AGREE),
        ("x\n**[stance:disagree]**", Stance.DISAGREE),
        ("[STANCE:\t Neutral] bye", Stance.NEUTRAL),
        ("[STANCE: DİSAGREE]", Stance.DISAGREE),
    ],
)
def test_a_marker_is_read_in_any_case(text: str, stance: Stance) -> None:
    """A12."""
    assert parse_stance(text) is stance


@pytest.mark.parametrize("text", ["", "I agree.", "STANCE: AGREE", "[STANCE: MAYBE]"])
def test_no_or_another_marker_is_unknown(text: str) -> None:
    """A14, A15."""
    assert parse_stance(text) is Stance.UNKNOWN


@pytest.mark.parametrize(
    "text", ["[STANCE: AGREE/DISAGREE/NEUTRAL]", "[STANCE: AGREE | DISAGREE | NEUTRAL]"]
)
def test_an_echoed_choice_is_unknown(text: str) -> None:
    """A16."""
    assert parse_stance(text) is Stance.UNKNOWN


def test_the_last_marker_counts() -> None:
    """2.2#6."""
    assert parse_stance("[STANCE: AGREE] hm [STANCE: DISAGREE]\nend") is Stance.DISAGREE


def test_no_prompt_of_ours_holds_a_stance() -> None:
    """A16: a model that echoes its instructions takes none."""
    assert {parse_stance(text) for text in prompt_texts()} == {Stance.UNKNOWN}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Yes.\n[STANCE: AGREE]", "Yes."),
        ("Yes.\n**[STANCE: AGREE]**\n", "Yes."),
        ("Yes. [STANCE: MAYBE] Or no.", "Yes.  Or no."),
        ("Yes.\n[BALLOT: a | 8 | see [E1]]", "Yes."),
        ("Yes.\n[BALLOT: a | 8 | cut off", "Yes."),
        ("Yes.\n```\n[STANCE: AGREE]\n```", "Yes."),
        ("See [E1] and [stances].", "See [E1] and [stances]."),
    ],
)
def test_markers_are_stripped_and_nothing_else(text: str, left: str) -> None:
    """2.2#6."""
    assert strip_markers(text) == left


@given(text=ANY_TEXT)
def test_stripped_text_holds_no_marker(text: str) -> None:
    """2.2#6."""
    assert parse_stance(strip_markers(text)) is Stance.UNKNOWN
