"""Topics are taken apart as a reader would."""

import pytest

from bot.rehearsal.phrase_types import Kind
from bot.rehearsal.topic import take_apart


@pytest.mark.parametrize(
    ("topic", "options"),
    [
        ("Postgres or SQLite for a small bot?", ("Postgres", "SQLite")),
        ("Should we use Rust or Go for the new CLI?", ("Rust", "Go")),
        ("Tabs vs spaces", ("Tabs", "spaces")),
        ("Which database: Postgres, SQLite or MySQL?", ("Postgres", "SQLite", "MySQL")),
        ("Which is better, tabs or spaces?", ("tabs", "spaces")),
        ("Choose between tea and coffee", ("tea", "coffee")),
        ("Help me decide whether to learn Rust or Go this year", ("Rust", "Go")),
        ("Should we move to Postgres or stay on SQLite?", ("move to Postgres", "stay on SQLite")),
        ("Should we raise prices or not?", ()),
        ("Is remote work good?", ()),
    ],
)
def test_options_are_found(topic: str, options: tuple[str, ...]) -> None:
    assert take_apart(topic).options == options


@pytest.mark.parametrize(
    ("topic", "kind"),
    [
        ("Should we adopt a four-day week?", Kind.PLAN),
        ("Should schools ban phones?", Kind.YESNO),
        ("Is remote work good?", Kind.YESNO),
        ("What is the meaning of life?", Kind.OPEN),
        ("Design a rate limiter for our API", Kind.THING),
        ("How do we build a rate limiter?", Kind.THING),
        ("Universal basic income", Kind.SUBJECT),
        ("Universal basic income should be introduced everywhere", Kind.STATEMENT),
        ("应该迁移吗？", Kind.OPEN),
    ],
)
def test_kinds_are_told_apart(topic: str, kind: Kind) -> None:
    assert take_apart(topic, "debate").kind is kind


def test_only_systems_are_targets_and_only_for_a_red_team() -> None:
    assert take_apart("Attack our login flow", "redteam").kind is Kind.TARGET
    assert take_apart("What could go wrong with our wedding?", "redteam").kind is Kind.SUBJECT
    assert take_apart("What are the risks of our login?", "debate").kind is Kind.SUBJECT


def test_a_plan_is_told_to_the_one_who_asks() -> None:
    assert take_apart("Should I quit my job?").thing == "the plan to quit your job"


def test_a_phrase_too_long_for_a_sentence_is_shortened_at_a_joint() -> None:
    topic = take_apart("Design a rate limiter that " + "works in every single region and " * 8)
    assert topic.thing.startswith("a rate limiter that works in every single region")
    assert len(topic.thing) <= 64
    assert take_apart("Design " + "x" * 200).thing.startswith("“")


def test_one_topic_has_one_key_however_it_is_spaced() -> None:
    assert take_apart("Tabs  or\nspaces?").key == take_apart("tabs or SPACES?").key
