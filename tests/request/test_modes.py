"""Mode detection from the words of a topic."""

import pytest

from bot.request import Mode, detect_mode


@pytest.mark.parametrize(
    ("topic", "mode"),
    [
        ("Should we move to a four-day week?", Mode.DEBATE),
        ("pros/cons of remote work", Mode.DEBATE),
        ("implement a rate limiter", Mode.BUILD),
        ("what is the biggest threat to our login?", Mode.REDTEAM),
        ("which one fits: Postgres, SQLite", Mode.VOTE),
        ("recommend   between tea and coffee", Mode.VOTE),
        ("the colour of autumn", Mode.DEFAULT),
    ],
)
def test_a_mode_is_detected_from_its_words(topic: str, mode: Mode) -> None:
    """E55 E56 E57 E58 E59."""
    assert detect_mode(topic) is mode


def test_only_whole_words_count() -> None:
    """2.2#43: 'encode' is not 'code', 'breakfast' is not 'break'."""
    assert detect_mode("encode breakfast asterisks") is Mode.DEFAULT


def test_the_mode_with_most_hits_wins() -> None:
    """2.2#43."""
    assert detect_mode("should we build and design and develop it?") is Mode.BUILD


def test_a_tie_goes_to_debate_before_build() -> None:
    """2.2#43: debate, build, redteam, vote."""
    assert detect_mode("should we build it?") is Mode.DEBATE
    assert detect_mode("select a threat") is Mode.REDTEAM
