"""Roles without a place of their own: natural, unlike each other, and shy of their own name."""

import re

import pytest

from bot.rehearsal.dice import Dice
from bot.rehearsal.phrase_book import phrases
from tests.rehearsal.sample_meeting import TOPICS, Meeting, ask, digest_in, hold
from tests.rehearsal.test_voices import shared

COMMON = ("Integrator", "Economist", "Security Engineer", "Product Manager", "Historian")
MIXED = ("Strategist", "Analyst", "Nurse", "Economist")
TOPIC = "Should we adopt a four-day week?"


def mentions(role: str, text: str) -> int:
    """How often a text names the role, without the places where the format asks for it."""
    return len(re.findall(rf"\b{re.escape(role)}\b", text, re.IGNORECASE))


async def _answers(meeting: Meeting, role: str) -> list[str]:
    digest = digest_in(meeting.second[role])
    base = {"PROMPT": meeting.topic, "ROLE": role, "SELF_DIGEST": digest, "OWN_TURNS": digest}
    later = [
        await ask("follow-up", {**base, "QUESTION": "Who pays?", "ASKED_BY": "Mira"}),
        await ask("dissent", {**base, "CONCLUSION": "Do it."}),
        await ask("round3-validation", {**base, "SYNTHESIS_DRAFT": "Something else."}),
    ]
    return [meeting.first[role], meeting.second[role], *later]


async def test_a_guest_names_its_role_at_most_once_in_an_answer() -> None:
    for topic in TOPICS[::6]:
        meeting = await hold(topic, "debate", roles=(*COMMON[:3], "Night Porter"))
        for role in meeting.first:
            for text in await _answers(meeting, role):
                assert mentions(role, text) <= 1, text


async def test_commonly_chosen_roles_never_share_a_sentence() -> None:
    for topic in TOPICS[::3]:
        meeting = await hold(topic, "debate", roles=COMMON)
        assert not shared(meeting.first), topic
        assert not shared(meeting.second), topic


@pytest.mark.parametrize("mode", ["debate", "default", "vote"])
async def test_known_roles_away_from_home_never_share_a_sentence_with_guests(mode: str) -> None:
    for topic in TOPICS[::6]:
        meeting = await hold(topic, mode, roles=MIXED, options="Keep it\nDrop it")
        assert not shared(meeting.first), topic
        assert not shared(meeting.second), topic


async def test_what_colours_a_digest_is_left_out_where_it_is_quoted() -> None:
    meeting = await hold(TOPIC, "debate", roles=COMMON[:4])
    for text in meeting.second.values():
        for role, cid, quote in re.findall(r"^\d\. (.+?) (C\d): .*?“([^”]+)”", text, re.MULTILINE):
            assert f"{cid}: {quote}, " in meeting.first[role]


@pytest.mark.parametrize(
    ("role", "lens"),
    [
        ("Economist", "ledger"),
        ("Security Engineer", "guard"),
        ("Product Manager", "care"),
        ("Historian", "record"),
        ("Integrator", "craft"),
    ],
)
def test_a_role_looks_through_the_lens_its_name_suggests(role: str, lens: str) -> None:
    assert phrases().lens_for(role).name == lens


def test_the_perspective_colours_a_role_whose_name_says_nothing() -> None:
    assert phrases().lens_for("Zed", "counts the cost of everything").name == "ledger"
    assert phrases().lens_for("Zed", "", "protect the data of users").name == "guard"


async def test_a_perspective_that_says_what_one_does_is_taken_up() -> None:
    values = {"PROMPT": TOPIC, "MODE": "debate", "ROLE": "Night Porter"}
    text = await ask("round1", {**values, "PERSPECTIVE": "watches who comes and goes"})
    assert text.count("watches who comes and goes") == 1
    assert "a man of few words" not in await ask(
        "round1", {**values, "PERSPECTIVE": "a man of few words"}
    )


@pytest.mark.parametrize("guests", [2, 4, 8])
def test_the_shares_of_guests_are_disjoint(guests: int) -> None:
    pool = phrases().guests.manners
    shares = [pool.share(number, guests, Dice("table")) for number in range(guests)]
    said = [phrase for share in shares for phrase in (*share.defend, *share.far_score)]
    assert len(said) == len(set(said))
    assert all(share.defend for share in shares)


def test_a_crowd_of_guests_still_finds_words() -> None:
    shares = [phrases().guests.manners.share(number, 20, Dice("table")) for number in range(20)]
    assert all(share.closing and share.reasons for share in shares)
