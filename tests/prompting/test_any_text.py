"""No text makes a parser raise."""

import pytest
from hypothesis import given, settings

from bot.prompting.text import count_words, cut_words, is_plain, plain_words
from tests.prompting.hostile_texts import PARSERS, PIECES, repeated
from tests.prompting.sample_texts import ANY_TEXT, DESIGN, ROUND1, ROUND2, SYNTHESIS


@pytest.mark.parametrize("name", sorted(PARSERS))
@given(text=ANY_TEXT)
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_without_an_exception(name: str, text: str) -> None:
    """E75."""
    PARSERS[name](text)


@pytest.mark.parametrize("name", sorted(PARSERS))
@pytest.mark.parametrize("cut", range(0, 100, 9))
def test_an_answer_that_was_cut_off_is_read(name: str, cut: int) -> None:
    for answer in (ROUND1, ROUND2, DESIGN, SYNTHESIS):
        PARSERS[name](answer[: len(answer) * cut // 100])


@pytest.mark.parametrize("name", sorted(PARSERS))
@pytest.mark.parametrize(
    ("plain", "alike"), [("I", "\u0131"), ("I", "\u0130"), ("S", "\u017f"), ("K", "\u212a")]
)
def test_letters_that_only_look_alike_in_another_case_are_read(
    name: str, plain: str, alike: str
) -> None:
    """E75: such as a Turkish i in a heading or a stance."""
    for answer in (ROUND1, ROUND2, DESIGN, SYNTHESIS, "VERDICT: x", "[STANCE: DISAGREE]"):
        PARSERS[name](answer.replace(plain, alike))


@pytest.mark.parametrize("piece", PIECES)
def test_a_very_long_text_is_read(piece: str) -> None:
    """E75: whatever is repeated; bench/parsers.py shows that the time grows with the length."""
    for parse in PARSERS.values():
        parse(repeated(piece, 60_000))


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_200_kilobytes_of_noise_are_read(name: str) -> None:
    """E75."""
    PARSERS[name](repeated("".join(PIECES), 200_000))


@given(text=ANY_TEXT)
def test_plain_words_are_plain(text: str) -> None:
    assert is_plain(plain_words(text))


@given(text=ANY_TEXT)
def test_cut_words_keep_the_start_and_the_limit(text: str) -> None:
    cut = cut_words(text, 5)
    assert count_words(cut.removesuffix("…")) <= 5
    assert text.strip().startswith(cut.removesuffix("…").strip())
