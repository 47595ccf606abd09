"""Cleaning, normalising and naming topics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.request import clean_topic, normalise_topic, thread_title, topic_slug
from bot.types.mode import Mode


def test_case_spaces_and_trailing_punctuation_do_not_make_a_new_topic() -> None:
    """E23."""
    assert normalise_topic("  Tabs   or SPACES?!… ") == normalise_topic("tabs or spaces")


@pytest.mark.parametrize(
    "text", ["", "   ", "🎉🎉🎉", "<@123> <@&456> @everyone", "<:wave:12345>", "?!"]
)
def test_a_topic_without_words_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no words"):
        clean_topic(text, 4000)


def test_a_topic_that_is_too_long_says_both_numbers() -> None:
    with pytest.raises(UsageError, match=r"10,000 characters and the limit is 4,000"):
        clean_topic("x" * 10_000, 4000)


def test_invisible_and_direction_marks_are_dropped_and_other_scripts_kept() -> None:
    assert clean_topic("\u202eهل نستخدم\u200b بايثون؟", 100) == "هل نستخدم بايثون؟"


def test_a_title_has_eight_words_and_the_mode_tag() -> None:
    """E29."""
    title = thread_title("one two three four five six seven eight nine ten", Mode.VOTE)
    assert title == "🎯 one two three four five six seven eight… [[VOTE]]"


def test_a_title_shows_no_markup_and_no_mentions() -> None:
    assert thread_title("**Is** `x` <@1234> ```py ok```?", Mode.DEBATE) == "🎯 Is x ok ? [[DEBATE]]"


@given(st.text(min_size=1), st.sampled_from(list(Mode)))
def test_every_title_fits_and_keeps_its_tag(topic: str, mode: Mode) -> None:
    """2.2#12."""
    title = thread_title(topic, mode)
    assert len(title) <= 100
    assert title.endswith(f" [[{mode.value.upper()}]]" if mode is not Mode.DEFAULT else "")
    assert "[[DEFAULT]]" not in thread_title("tea", mode)


@given(st.text())
def test_every_slug_is_a_safe_file_name(topic: str) -> None:
    slug = topic_slug(topic)
    assert slug
    assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert len(slug) <= 60


def test_topics_in_other_scripts_get_distinct_slugs() -> None:
    assert topic_slug("猫か犬か") != topic_slug("犬か猫か")
