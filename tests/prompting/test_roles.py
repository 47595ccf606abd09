"""Roles in prose, however somebody decorates them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.prompting.roles import Mention, Roles, level, roles_of
from tests.prompting.sample_texts import ANY_TEXT

ROLES = ("Devil's Advocate", "Advocate", "Red_Teamer", "Team 2", "R&D: Ops/Lead")
DECORATED = st.lists(
    st.sampled_from(
        [
            *ROLES,
            *" '_*[]`\"“”«»<>’‘ʼ´′＇：／｜２x",
            "devil’s**advocate",
            "TEAM__２",
            "R&D： ops／lead",
        ]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("**Devil’s_Advocate**: no", "Devil's Advocate"),
        ("the DEVILʼS  ADVOCATE", "Devil's Advocate"),
        ("an advocate", "Advocate"),
        ("“red teamer”", "Red_Teamer"),
        ("team ２", "Team 2"),
        ("r&d：ops／lead", None),
        ("R&D： ops／lead", "R&D: Ops/Lead"),
        ("advocates", None),
    ],
)
def test_a_role_is_recognised_under_its_decoration(text: str, role: str | None) -> None:
    mention = Roles(ROLES).first(text)
    assert (mention.role if mention else None) == role


@given(text=DECORATED)
def test_decoration_changes_neither_the_roles_nor_their_places(text: str) -> None:
    roles = Roles(ROLES)
    assert list(roles.mentions(text)) == list(roles.mentions(level(text)))


@given(text=st.one_of(DECORATED, ANY_TEXT))
def test_the_leading_role_is_the_first_one_at_the_start(text: str) -> None:
    roles = Roles(ROLES)
    first = roles.first(text)
    assert roles.leading(text) == (first if first and first.start == 0 else None)


@given(text=st.one_of(DECORATED, ANY_TEXT))
def test_levelling_keeps_the_length_and_is_done_once(text: str) -> None:
    assert len(level(text)) == len(text)
    assert level(level(text)) == level(text)


def test_no_roles_are_never_mentioned() -> None:
    assert Roles(["", "**"]).first("anything, ** or nothing") is None


def test_the_roles_of_a_panel_are_made_ready_once() -> None:
    assert roles_of(*ROLES) is roles_of(*ROLES)
    assert roles_of("Advocate").first("x Advocate") == Mention("Advocate", 2, 10)
