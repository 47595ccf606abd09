"""Names that models invent are fit for Discord and unlike each other."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.meeting.design.seating import fit_role, free_role, is_taken, seat_slug
from bot.panels.names import role_fault
from bot.prompting.text import is_plain


@pytest.mark.parametrize(
    ("written", "role"),
    [
        ("Cost Hawk", "Cost Hawk"),
        ("  Cost\n Hawk ", "Cost Hawk"),
        ("<Cost> [Hawk]", "Cost Hawk"),
        ("Adversário", "Adversário"),
        ("x" * 60, "x" * 40),
        ("Discord Expert", None),
        ("everyone", None),
        ("Coordinator", None),
        ("@here", None),
        ("A: B", None),
        ("42", None),
        ("🎯", None),
        ("", None),
    ],
)
def test_a_role_is_made_fit_or_refused(written: str, role: str | None) -> None:
    assert fit_role(written) == role


def test_a_free_name_is_kept() -> None:
    assert free_role("Analyst", ["Critic"]) == "Analyst"


def test_a_taken_name_gets_a_letter() -> None:
    assert free_role("Analyst", ["analyst", "Analyst B"]) == "Analyst C"


@pytest.mark.parametrize(
    ("one", "other"),
    [("Devil's Advocate", "devils_advocate"), ("分析2", "批評2"), ("Café", "Cafe")],
)
def test_names_that_would_be_read_or_keyed_alike_are_taken(one: str, other: str) -> None:
    assert is_taken(one, [other])


def test_the_key_of_a_role_knows_no_apostrophe() -> None:
    """E61: a session is found again whichever one was typed."""
    assert seat_slug("Devil's Advocate") == seat_slug("Devil’s Advocate") == "devils-advocate"


def test_other_scripts_have_names_of_their_own() -> None:
    assert not is_taken("分析者", ["批評家"])


@settings(deadline=None)
@given(st.text(max_size=80))
def test_a_fit_role_is_accepted_by_discord_and_by_prompts(written: str) -> None:
    role = fit_role(written)
    assert role is None or (role_fault(role) is None and is_plain(role))
