"""Which id a pattern means, on the lists the providers gave."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.panels.newest import newest_first
from bot.panels.price_list import known_ids
from tests.keys.record import CATALOGUES
from tests.keys.recorded_lists import recorded


def taken(patterns: str, listed: tuple[str, ...], created: dict[str, float] | None = None) -> str:
    return newest_first(patterns.split(), listed, created)[0]


@pytest.mark.parametrize(
    ("provider", "patterns", "expected"),
    [
        ("anthropic", "claude-opus-*", "claude-opus-5-5"),
        ("anthropic", "claude-sonnet-*", "claude-sonnet-5-5"),
        ("anthropic", "claude-haiku-*", "claude-haiku-5-5"),
        ("openai", "gpt-*-sol gpt-*", "gpt-6.1-sol"),
        ("openai", "gpt-*", "gpt-5.5"),
        ("openai", "gpt-*-terra gpt-*-mini", "gpt-6.1-terra"),
        ("openai", "gpt-*-codex", "gpt-5.3-codex"),
        ("gemini", "gemini-*-argon gemini-*-pro*", "gemini-4-argon"),
        ("gemini", "gemini-*-pro*", "gemini-3.1-pro-preview"),
        ("gemini", "gemini-*-flash*", "gemini-3.8-flash"),
        ("gemini", "gemini-*-flash-lite*", "gemini-3.5-flash-lite"),
        ("xai", "grok-*", "grok-4.7"),
        ("mistral", "mistral-large-*", "mistral-large-4"),
        ("mistral", "mistral-medium-*", "mistral-medium-3-5"),
        ("mistral", "mistral-small-*", "mistral-small-2603"),
        ("deepseek", "deepseek-*-pro", "deepseek-v4-pro"),
        ("openrouter", "anthropic/claude-opus-*", "anthropic/claude-opus-5.5"),
        ("openrouter", "openai/gpt-*-sol openai/gpt-*", "openai/gpt-6.1-sol"),
        ("openrouter", "google/gemini-*-pro*", "google/gemini-3.1-pro-preview"),
        ("openrouter", "x-ai/grok-*", "x-ai/grok-4.7"),
        ("openrouter", "mistralai/mistral-large-*", "mistralai/mistral-large-4-0"),
        ("openrouter", "deepseek/deepseek-*-flash", "deepseek/deepseek-v4.1-flash"),
        ("blockrun", "anthropic/claude-opus-*", "anthropic/claude-opus-5.5"),
        ("blockrun", "google/gemini-*-pro*", "google/gemini-3.1-pro"),
        ("blockrun", "xai/grok-*", "xai/grok-4.5"),
    ],
)
def test_a_pattern_takes_the_newest_of_a_recorded_list(
    provider: str, patterns: str, expected: str
) -> None:
    assert taken(patterns, recorded(provider)) == expected


@pytest.mark.parametrize("provider", [path.stem for path in CATALOGUES.glob("*.json")])
def test_every_recorded_list_says_where_and_when_it_was_read(provider: str) -> None:
    told = json.loads((CATALOGUES / f"{provider}.json").read_text(encoding="utf-8"))
    assert told["sources"]
    assert told["date"] > "2026"


def test_a_kind_of_model_nobody_asked_for_is_never_taken() -> None:
    listed = (
        *("gpt-9-mini", "gpt-9-nano", "gpt-9-codex", "gpt-9-audio", "gpt-9-image"),
        *("gpt-9-search", "gpt-9:free", "gpt-9-deep-research", "gpt-9-pro", "gpt-9:batch"),
    )
    assert newest_first(["gpt-*"], listed) == []
    assert newest_first(["gpt-*"], (*listed, "gpt-8")) == ["gpt-8"]
    assert taken("gpt-*-mini", listed) == "gpt-9-mini"


def test_an_id_with_a_word_nobody_knows_is_the_last_resort() -> None:
    assert newest_first(["gpt-*"], ("gpt-7-health", "gpt-6.2")) == ["gpt-6.2", "gpt-7-health"]


def test_the_time_the_provider_gives_decides_before_the_number() -> None:
    """grok-4.20 came before 4.3; a number alone could also be read the other way."""
    created = {"gpt-5.9": 1.0, "gpt-5.10": 2.0}
    assert taken("gpt-*", ("gpt-5.9", "gpt-5.10"), created) == "gpt-5.10"
    assert taken("grok-*", ("grok-4.20", "grok-4.3")) == "grok-4.3"


def test_times_that_are_all_the_same_say_nothing() -> None:
    """Blockrun gives the time of the question."""
    created = {"claude-opus-5": 7.0, "claude-opus-5-5": 7.0}
    assert taken("claude-opus-*", ("claude-opus-5", "claude-opus-5-5"), created) == (
        "claude-opus-5-5"
    )


def test_a_stable_id_comes_before_previews_and_snapshots_of_the_same_version() -> None:
    listed = ("gemini-5-pro-preview", "gemini-5-pro", "gemini-5-pro-preview-03-25")
    created = {"gemini-5-pro-preview": 1.0, "gemini-5-pro": 2.0, "gemini-5-pro-preview-03-25": 3.0}
    assert newest_first(["gemini-*-pro*"], listed, created)[:2] == [
        "gemini-5-pro",
        "gemini-5-pro-preview",
    ]
    assert taken("gpt-*", ("gpt-5.5-2026-04-23", "gpt-5.5")) == "gpt-5.5"
    assert (
        taken("claude-opus-*", ("claude-opus-4-20250514", "claude-opus-4-1")) == "claude-opus-4-1"
    )


def test_a_newer_preview_comes_before_an_older_stable_id() -> None:
    assert taken("gemini-*-pro*", ("gemini-2.5-pro", "gemini-3.1-pro-preview")) == (
        "gemini-3.1-pro-preview"
    )


def test_what_is_left_out_by_name_is_left_out() -> None:
    listed = ("claude-opus-5", "claude-opus-6")
    assert newest_first(["claude-opus-*"], listed, without=["*-6"]) == ["claude-opus-5"]


def test_of_several_patterns_the_newest_wins_and_then_the_first() -> None:
    patterns = ["gpt-*-sol", "gpt-*"]
    assert newest_first(patterns, ("gpt-6", "gpt-6-sol", "gpt-7"))[:2] == ["gpt-7", "gpt-6-sol"]


@given(st.lists(st.text(max_size=40), max_size=12))
def test_any_list_is_sorted_without_a_complaint(listed: list[str]) -> None:
    found = newest_first(["*", "gpt-*"], listed, dict.fromkeys(listed[:3], 1.0))
    assert set(found) <= set(listed)
    assert (
        newest_first(["*", "gpt-*"], list(reversed(listed)))[:1]
        == newest_first(["*", "gpt-*"], listed)[:1]
    )


def test_offline_the_price_list_knows_the_ids_of_the_vendors() -> None:
    assert taken("claude-opus-*", known_ids("https://api.anthropic.com")) == "claude-opus-5-5"
    assert taken("grok-*", known_ids("https://api.x.ai/v1")) == "grok-4.7"
    assert known_ids("https://models.example/v1") == ()
