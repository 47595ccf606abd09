"""The roles of the shipped panels.json have voices of their own, and votes divide them."""

import asyncio
import json
from collections import Counter
from dataclasses import dataclass

import pytest

from bot.rehearsal.phrase_book import phrases
from tests.rehearsal.sample_meeting import TOPICS, Meeting, ballot_in, hold
from tests.rehearsal.test_voices import ROOT, shared

PANELS = json.loads((ROOT / "panels.json").read_text(encoding="utf-8"))["panels"]
ROLES = {mode: tuple(agent["role"] for agent in PANELS[mode]["agents"]) for mode in PANELS}
PAIRS = ("tea or coffee", "Rust or Zig", "trains or planes", "books or films", "cats or dogs")
FOR = ("spring", "newcomers", "the club", "a long project", "the pilot", "the archive", "winter")
OCCASIONS = (*FOR, "night work", "next year", "the office")


@dataclass(frozen=True)
class Vote:
    before: Counter[str]
    after: Counter[str]
    meeting: Meeting


async def _vote(topic: str, options: str) -> Vote:
    meeting = await hold(topic, "vote", roles=ROLES["vote"], options=options)
    before = Counter(ballot_in(text)[0] for text in meeting.first.values())
    return Vote(before, Counter(ballot_in(text)[0] for text in meeting.second.values()), meeting)


@pytest.fixture(scope="module")
def votes() -> list[Vote]:
    """A vote of the shipped panel on each of fifty topics with two options."""

    async def hold_all() -> list[Vote]:
        return [
            await _vote(f"{pair} for {occasion}?", "\n".join(pair.split(" or ")))
            for pair in PAIRS
            for occasion in OCCASIONS
        ]

    return asyncio.run(hold_all())


@pytest.mark.parametrize("mode", ROLES)
def test_every_shipped_role_has_its_own_voice_and_cards(mode: str) -> None:
    voices = [phrases().voice_for(role) for role in ROLES[mode]]
    assert None not in voices
    assert len({voice.place for voice in voices if voice}) == len(voices)


@pytest.mark.parametrize("mode", ["default", "debate", "build", "redteam"])
async def test_the_seats_of_a_shipped_panel_never_share_a_claim(mode: str) -> None:
    for topic in TOPICS[::4]:
        meeting = await hold(topic, mode, roles=ROLES[mode])
        assert not shared(meeting.first), topic


def test_the_seats_of_the_shipped_vote_never_share_a_claim(votes: list[Vote]) -> None:
    for vote in votes:
        assert not shared(vote.meeting.first), vote.meeting.topic


def test_most_votes_have_somebody_on_each_side(votes: list[Vote]) -> None:
    divided = sum(len(vote.before) == 2 for vote in votes)
    assert 30 <= divided <= 45


def test_the_second_round_of_a_vote_sometimes_moves_somebody(votes: list[Vote]) -> None:
    moved = sum(vote.before != vote.after for vote in votes)
    assert 5 <= moved <= 25


def test_a_vote_often_stays_divided_to_the_end(votes: list[Vote]) -> None:
    assert sum(len(vote.after) == 2 for vote in votes) >= 20


async def test_the_roles_say_what_they_look_at() -> None:
    vote = await _vote("Tea or coffee?", "Tea\nCoffee")
    first = {role: text.splitlines()[0] for role, text in vote.meeting.first.items()}
    assert "where each option leads" in first["Strategist"]
    assert "what would have to be true" in first["Skeptic"]
    assert "the people who live with it" in first["User's Voice"]
    assert "to start and to keep" in first["Pragmatist"]
