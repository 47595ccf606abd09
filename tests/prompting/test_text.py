"""Cleaning of text, one-line text, and several voices in one value."""

import unicodedata

import pytest
from hypothesis import given

from bot.prompting.text import label_voices, one_line, plain_words, tidy
from bot.types.characters import clean
from tests.prompting.sample_texts import ANY_TEXT

PLANES = (range(0x11000), range(0x1F000, 0x20000), range(0xE0000, 0xE0200))
CHARACTERS = [chr(number) for plane in PLANES for number in plane]


def test_no_control_character_and_no_half_of_a_pair_is_left() -> None:
    left = {character for character in CHARACTERS if clean(f"“{character}”") != "“”"}
    categories = {unicodedata.category(character) for character in left - {*"\t\n\r\x0b\x0c\x85"}}
    assert "Cs" not in categories
    assert "Cc" not in categories
    assert not {*"\u200b\u200f\u202e\u2066\ufe00\ufeff\U000e0041\U000e0100"} & left
    assert {*"a é語😀\t\n\ufe0f\u0301"} <= left


def test_a_character_is_treated_alike_wherever_it_stands() -> None:
    for character in CHARACTERS:
        alone = clean(character)
        assert clean(f"a{character}b\n") == f"a{alone}b\n"
        assert clean(f"“{character}”") == f"“{alone}”"


@pytest.mark.parametrize("end", ["\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("text", ["one{}two", "“one”{}two\u200b", "“one”{}two"])
def test_every_line_end_is_unified(text: str, end: str) -> None:
    assert clean(text.format(end)) == text.format("\n").replace("\u200b", "")


@given(text=ANY_TEXT)
def test_what_is_clean_stays_as_it_is(text: str) -> None:
    for cleaned in (clean(text), tidy(text), one_line(text), plain_words(text)):
        assert clean(cleaned) == cleaned


@given(text=ANY_TEXT)
def test_one_line_holds_single_blanks_and_every_word(text: str) -> None:
    line = one_line(text)
    assert "".join(line.split()) == "".join(clean(text).split())
    assert line == " ".join(line.split())


def test_every_voice_is_labelled() -> None:
    """E64."""
    text = label_voices([("Analyst", "Thesis: a\nC1: b"), ("Red_Teamer", "Thesis: c")])
    assert text == "Analyst:\n  Thesis: a\n  C1: b\n\nRed_Teamer:\n  Thesis: c"


@given(said=ANY_TEXT)
def test_no_voice_can_open_another(said: str) -> None:
    """LLM01: only our labels begin a line."""
    lines = label_voices([("Analyst", said), ("Contrarian", "x")]).split("\n")
    assert [line for line in lines if line and not line.startswith(" ")] == [
        "Analyst:",
        "Contrarian:",
    ]
