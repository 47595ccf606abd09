"""Titles are compared like topics."""

import pytest

from bot.stage.discord_stage import same_title


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("🎯 Tea or coffee? [[VOTE]]", "🎯 tea or  COFFEE [[VOTE]]", True),
        ("🎯 tea or coffee [[VOTE]]", "🎯 tea or coffee [[DEBATE]]", False),
        ("🎯 tea or coffee [[VOTE]]", "🎯 tea or milk [[VOTE]]", False),
        ("our talk", "🎯 our talk [[VOTE]]", False),
    ],
)
def test_case_and_punctuation_do_not_make_another_title(one: str, other: str, same: bool) -> None:
    """E25 E27."""
    assert same_title(one, other) is same
