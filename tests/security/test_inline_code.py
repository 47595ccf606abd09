"""Inline code stays code in every message, so that nothing in it pings, links or is formatted."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.stage.message_text import split_text

MESSAGE_LIMIT = 2000

PIECES = st.sampled_from(["`", "``", "word ", "**bold** ", "x" * 70, "\n", "\n\n", ". ", "é"])
TEXTS = st.lists(PIECES, max_size=150).map("".join)


def outside_code(part: str) -> str:
    """What a client reads as text and formats."""
    return re.sub(r"(?<!`)(`{1,2})(?!`)(.*?)(?<!`)\1(?!`)", "", part, flags=re.DOTALL)


@pytest.mark.parametrize("ticks", ["`", "``"])
@pytest.mark.parametrize("code", ["*x* [a](b) " * 500, "y" * 5000, "a. b\n" * 900])
def test_inline_code_over_the_limit_is_code_in_every_part(ticks: str, code: str) -> None:
    parts = split_text(f"See {ticks}{code}{ticks} there")
    assert len(parts) > 2
    assert all(len(part) <= MESSAGE_LIMIT for part in parts)
    assert "".join(map(outside_code, parts)).split() == ["See", "there"]


def test_code_that_a_cut_would_split_begins_in_the_next_part() -> None:
    first, second = split_text("word " * 370 + "`" + "**x** " * 40 + "` end")
    assert "`" not in first
    assert outside_code(second).strip() == "end"


def test_a_stray_tick_begins_no_code() -> None:
    parts = split_text("it`s " + "word " * 900)
    assert "".join(parts).count("`") == 1


@given(TEXTS)
def test_what_is_code_before_a_split_is_code_after_it(text: str) -> None:
    """Text outside of code stays outside, and nothing else comes out."""
    text = text.replace("```", "`` `")
    before = re.sub(r"[\s`]", "", outside_code(text.strip("\n")))
    after = re.sub(r"[\s`]", "", "".join(map(outside_code, split_text(text, 150))))
    assert after == before
