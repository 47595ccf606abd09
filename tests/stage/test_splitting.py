"""Long text becomes messages that Discord accepts and people can read."""

from hypothesis import given
from hypothesis import strategies as st

from bot.stage.message_text import split_text

TEXTS = st.lists(
    st.sampled_from(
        ["word", "a" * 90, "\n", "\n\n", "```", "```py\n", "`", ". ", "ü", "日本", " "]
    ),
    max_size=120,
).map("".join)


def letters(text: str) -> str:
    return "".join(char for char in text if char not in " \n`")


@given(TEXTS)
def test_no_part_is_too_long_and_every_letter_stays_in_order(text: str) -> None:
    parts = split_text(text, 120)
    assert all(len(part) <= 120 for part in parts)
    assert letters("".join(parts)).replace("py", "") == letters(text).replace("py", "")


@given(TEXTS)
def test_every_part_closes_the_fences_it_opens(text: str) -> None:
    assert all(part.count("```") % 2 == 0 for part in split_text(text, 120))


@given(TEXTS)
def test_no_part_is_empty(text: str) -> None:
    assert all(part.strip() for part in split_text(text, 120))


def test_short_text_is_one_part() -> None:
    assert split_text("hello\nworld") == ["hello\nworld"]


def test_paragraphs_are_preferred_to_lines_and_words() -> None:
    first, second = split_text("one two\nthree\n\nfour five", 20)
    assert (first, second) == ("one two\nthree", "four five")


def test_a_long_code_block_is_closed_and_reopened_with_its_language() -> None:
    code = "```py\n" + "\n".join(f"line_{number} = {number}" for number in range(40)) + "\n```"
    parts = split_text(code, 200)
    assert len(parts) > 2
    assert all(part.startswith("```py\n") and part.endswith("\n```") for part in parts)


def test_a_code_block_that_does_not_fit_starts_in_the_next_part() -> None:
    parts = split_text("intro " * 12 + "\n```py\n" + "x = 1\n" * 15 + "```", 150)
    assert "```" not in parts[0]


def test_one_word_of_five_thousand_characters_is_cut_hard() -> None:
    assert [len(part) for part in split_text("x" * 5000)] == [1996, 1996, 1008]
