"""Positions vary by topic, move for a reason, and agree with the scores."""

import asyncio
import re
from collections import Counter

import pytest

from bot.rehearsal.dice import Dice
from bot.rehearsal.phrase_types import Stance
from bot.rehearsal.positions import (
    Climate,
    Tie,
    climate_of,
    first_stance,
    score_for,
    swayed_by,
)
from tests.rehearsal.sample_meeting import (
    PANELS,
    TOPICS,
    Meeting,
    ballot_in,
    hold,
    revision_in,
    stance_in,
)

READY = Climate("ready", 0.0, 1.0, 1.0)


@pytest.fixture(scope="module")
def meetings() -> list[Meeting]:
    """One debate on each of the fifty topics."""

    async def hold_all() -> list[Meeting]:
        return [await hold(topic) for topic in TOPICS]

    return asyncio.run(hold_all())


def tally(answers: dict[str, str]) -> tuple[int, int, int]:
    count = Counter(stance_in(text) for text in answers.values())
    return count["AGREE"], count["DISAGREE"], count["NEUTRAL"]


def test_some_topics_agree_at_once_and_some_never(meetings: list[Meeting]) -> None:
    """A19-A21: full consensus, majority and none all occur."""
    first = [tally(meeting.first) for meeting in meetings]
    second = [tally(meeting.second) for meeting in meetings]
    assert sum(agree == 4 for agree, _, _ in first) >= 2
    assert sum(against >= 1 for _, against, _ in second) >= 10
    assert len(set(first)) >= 6


def test_every_stance_is_taken(meetings: list[Meeting]) -> None:
    stances = Counter(stance_in(text) for meeting in meetings for text in meeting.first.values())
    assert min(stances[stance] for stance in ("AGREE", "DISAGREE", "NEUTRAL")) >= 15


def test_roles_lean_as_they_are_meant_to(meetings: list[Meeting]) -> None:
    by_role: dict[str, Counter[str]] = {role: Counter() for role in PANELS["debate"]}
    for meeting in meetings:
        for role, text in meeting.first.items():
            by_role[role][stance_in(text)] += 1
    assert by_role["Advocate"]["AGREE"] > 30
    assert by_role["Devil's Advocate"]["DISAGREE"] > 20


async def test_the_stance_depends_on_topic_and_seed_alone_not_on_the_model() -> None:
    stances = {
        first_stance(seed, topic, "debate", "analyst", 0.0)
        for seed in range(8)
        for topic in TOPICS[:3]
    }
    assert stances == set(Stance)


async def test_every_climate_occurs() -> None:
    found = {climate_of(7, topic.casefold(), "debate").name for topic in TOPICS}
    assert len(found) == 5


def test_some_seats_change_their_mind_and_cite_a_real_claim_of_a_real_peer(
    meetings: list[Meeting],
) -> None:
    changes = 0
    for meeting in meetings:
        for role, text in meeting.second.items():
            if revision_in(text) == "No change.":
                assert stance_in(text) == stance_in(meeting.first[role])
                continue
            changes += 1
            cause = re.match(r"Because of (.+?) (C\d): .*?“([^”]+)”", revision_in(text))
            assert cause, text
            peer, cid, quote = cause.groups()
            assert peer != role
            assert f"{cid}: {quote}" in meeting.first[peer]
            assert stance_in(text) != stance_in(meeting.first[role])
    assert 10 <= changes <= 90


def test_nobody_attacks_the_claim_that_convinced_them(meetings: list[Meeting]) -> None:
    for meeting in meetings:
        for text in meeting.second.values():
            cause = re.match(r"Because of (.+? C\d): ", revision_in(text))
            critique = text.split("**DEFEND:**")[0]
            assert cause is None or f". {cause[1]}:" not in critique


def test_scores_follow_the_sides(meetings: list[Meeting]) -> None:
    """Seats on opposite sides score each other low, allies high."""
    for meeting in meetings[::3]:
        for role, text in meeting.second.items():
            own = stance_in(text)
            for peer, score in re.findall(r"^- (.+): (\d)/5", text, re.MULTILINE):
                other = stance_in(meeting.first[peer])
                if {own, other} == {"AGREE", "DISAGREE"}:
                    assert int(score) <= 2, (role, peer)
                elif own == other != "NEUTRAL":
                    assert int(score) >= 4, (role, peer)


def test_the_updated_digest_tells_the_new_side(meetings: list[Meeting]) -> None:
    leads = {"AGREE": "In favour", "DISAGREE": "Against", "NEUTRAL": "Undecided"}
    for meeting in meetings[::3]:
        for text in meeting.second.values():
            assert f"Thesis: {leads[stance_in(text)]}: " in text


async def test_ballots_vary_and_sometimes_change() -> None:
    changed, winners = 0, set()
    for topic in TOPICS[:25]:
        meeting = await hold(topic, "vote", options="Keep it\nDrop it\nWait")
        for role, text in meeting.second.items():
            before, after = ballot_in(meeting.first[role])[0], ballot_in(text)[0]
            winners.add(before)
            changed += before != after
            assert (before != after) == revision_in(text).startswith("Because of ")
    assert winners == {"Keep it", "Drop it", "Wait"}
    assert changed >= 5


def test_a_seat_is_swayed_only_towards_a_side_that_more_peers_hold() -> None:
    peers = [Tie(0, "AGREE"), Tie(1, "DISAGREE"), Tie(2, "DISAGREE")]
    for number in range(20):
        moved = swayed_by("AGREE", peers, READY, 0.0, 2, Dice(number))
        assert moved is not None
        assert moved.side == "DISAGREE"
        assert swayed_by("DISAGREE", peers, READY, 0.0, 2, Dice(number)) is None


def test_nobody_is_swayed_in_a_deadlock() -> None:
    climates = (climate_of(7, topic.casefold(), "debate") for topic in TOPICS)
    deadlock = next(climate for climate in climates if climate.name == "deadlock")
    peers = [Tie(0, "DISAGREE"), Tie(1, "DISAGREE")]
    assert not any(swayed_by("AGREE", peers, deadlock, 0.2, 3, Dice(n)) for n in range(50))


def test_scores_stay_within_one_and_five() -> None:
    sides = ("AGREE", "DISAGREE", "NEUTRAL", "")
    scores = {score_for(a, b, Dice(a, b, n)) for a in sides for b in sides for n in range(20)}
    assert scores == {1, 2, 3, 4, 5}
