"""What stances are about: something one can agree with, whatever was typed."""

import pytest

from bot.prompting.short_answers import needs_phrasing, parse_proposition, stated
from bot.request import Request
from bot.types.mode import Mode


@pytest.mark.parametrize(
    ("topic", "proposition"),
    [
        ("Should we adopt **uv**?", "We should adopt uv."),
        ("should we ship it, or not?", "We should ship it."),
        ("Is it so?", "It is so."),
        ("We must leave Oracle", "We must leave Oracle"),
        (
            "Postgres or SQLite for our queue?",
            "The better choice is Postgres rather than SQLite; to disagree is to choose SQLite.",
        ),
        (
            "Rust, Go or C?",
            "The better choice is Rust rather than Go or C; to disagree is to choose Go or C.",
        ),
    ],
)
def test_a_topic_of_a_plain_shape_states_its_proposition_itself(
    topic: str, proposition: str
) -> None:
    """2.2#6."""
    assert stated(topic) == proposition
    assert not needs_phrasing(Request(topic, Mode.DEBATE))


@pytest.mark.parametrize(
    "topic", ["tea", "What makes a good meeting?", "Sollen wir umziehen?", "should we go or stay?"]
)
def test_others_need_somebody_to_phrase_it(topic: str) -> None:
    assert stated(topic) == ""
    assert needs_phrasing(Request(topic, Mode.DEFAULT))
    assert not needs_phrasing(Request(topic, Mode.VOTE))


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ("We should drink tea.", "We should drink tea."),
        ("**PROPOSITION:** We should drink tea.", "We should drink tea."),
        ("“We should\ndrink tea.”\n\nThat is what you asked.", "We should drink tea."),
        ("Should we drink tea?", None),
        ("<one sentence of yours>", None),
        ("Tea", None),
        ("", None),
        ("tea " * 61, None),
    ],
)
def test_only_a_whole_sentence_is_taken_from_the_coordinator(answer: str, read: str | None) -> None:
    assert parse_proposition(answer) == read
