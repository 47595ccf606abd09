"""Follow-ups, dissents, briefings: free text with small rules."""

import pytest
from hypothesis import given

from bot.prompting.closing_lines import strip_markers
from bot.prompting.short_answers import (
    FollowUp,
    is_empty_answer,
    is_no_reply,
    parse_dissent,
    parse_followup,
)
from bot.prompting.text import tidy
from bot.search.results import SearchDigest, parse_search_digest
from tests.prompting.sample_texts import ANY_TEXT


@pytest.mark.parametrize(
    "text", ["NO_REPLY", " no_reply\n", "`NO_REPLY`", "**NO_REPLY**", "NO_REPLY."]
)
def test_a_seat_passes_with_one_word(text: str) -> None:
    """2.4 (9)."""
    assert parse_followup(text) == FollowUp("", silent=True)


def test_the_word_inside_a_sentence_is_an_answer() -> None:
    assert parse_followup("I would not say NO_REPLY here.").silent is False


def test_an_empty_follow_up_is_silent() -> None:
    assert parse_followup(" \u200b\n").silent


def test_markers_are_stripped_from_a_follow_up() -> None:
    """2.2#6."""
    assert parse_followup("Yes.\n[STANCE: AGREE]") == FollowUp("Yes.", silent=False)


@pytest.mark.parametrize("text", ["", "NO_REPLY", "[STANCE: AGREE]", "\u200b \n"])
def test_an_answer_of_a_round_that_says_nothing_is_empty(text: str) -> None:
    """2.2#50."""
    assert is_empty_answer(text)


def test_a_real_answer_is_not_empty() -> None:
    assert not is_empty_answer("Yes. [STANCE: AGREE]")


@given(text=ANY_TEXT)
def test_an_answer_is_empty_exactly_when_nothing_is_left_of_it(text: str) -> None:
    """2.2#50."""
    assert is_empty_answer(text) is (is_no_reply(text) or not strip_markers(tidy(text)))


@pytest.mark.parametrize(
    "text", ["a [STANCE: AGREE]", "```\na\n```", "語 [STANCE: AGREE]", "[STANCE: AGREE]\n**b**"]
)
def test_one_letter_is_an_answer_wherever_it_stands(text: str) -> None:
    assert not is_empty_answer(text)


def test_a_dissent_has_at_most_eighty_words() -> None:
    assert len(parse_dissent("no " * 200).split()) == 80


def test_a_briefing_starts_with_our_date() -> None:
    """E36."""
    digest = parse_search_digest("**Searched on 1999-01-01.**\nTabs won [E1].", "2026-08-01")
    assert digest == SearchDigest("Searched on 2026-08-01.\nTabs won [E1].", useful=True)


@pytest.mark.parametrize("text", ["", "Searched on x.\nNo relevant real-time data found."])
def test_a_useless_briefing_is_the_note(text: str) -> None:
    """E37."""
    digest = parse_search_digest(text, "2026-08-01")
    assert digest == SearchDigest("No relevant real-time data found", useful=False)


def test_a_briefing_has_at_most_250_words() -> None:
    """E36."""
    assert len(parse_search_digest("fact " * 900, "d").text.split()) == 250 + 3
