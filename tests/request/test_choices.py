"""The options of a vote are found in the topic, or honestly not."""

import pytest

from bot.request.modes import options_in


@pytest.mark.parametrize(
    ("topic", "options"),
    [
        ("Postgres or SQLite for our queue?", ("Postgres", "SQLite")),
        ("tabs or spaces?", ("tabs", "spaces")),
        ("Should we use tabs or spaces in Python files?", ("tabs", "spaces")),
        ("Which one: red, green, or dark blue?", ("red", "green", "dark blue")),
        ("We need a queue. Redis vs Kafka vs NATS!", ("Redis", "Kafka", "NATS")),
        ("Rust or Go for the new command line tool?", ("Rust", "Go")),
        ("Should our club meet on Tuesdays or on Saturdays?", ("Tuesdays", "Saturdays")),
        ("should we adopt Rust or Go?", ("Rust", "Go")),
        ("Which is better, tea or coffee?", ("tea", "coffee")),
        ("What colour is best?", ()),
        ("Where should the orca swim?", ()),
    ],
)
def test_options_are_read_from_the_topic(topic: str, options: tuple[str, ...]) -> None:
    assert options_in(topic) == options


def test_one_option_named_twice_is_no_choice() -> None:
    assert options_in("tea or tea?") == ()
