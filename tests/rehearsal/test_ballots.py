"""The conclusion of a vote counts the ballots it was given, not the digests."""

import pytest

from bot.rehearsal.digests import Ballot, read_ballots
from tests.rehearsal.sample_meeting import ask

TOPIC = "Tea or coffee for the office?"
DIGESTS = "\n\n".join(
    f"{role} (m): Thesis: For Tea: Tea would serve.\nC1: Tea would be cheap."
    for role in ("Strategist", "Skeptic", "Pragmatist")
)


async def conclusion(ballots: str, topic: str = TOPIC) -> str:
    values = {"PROMPT": topic, "MODE": "vote", "ROUND1_SUMMARIES": DIGESTS, "BALLOTS": ballots}
    return await ask("final-synthesis", values)


def verdict(text: str) -> str:
    return text.split("🏆 RECOMMENDATION\n")[1].splitlines()[0]


def test_a_line_is_a_role_an_option_and_perhaps_a_reason() -> None:
    text = "User's Voice: Tea — it is warm — and cheap\nSkeptic: Coffee\nX: no readable ballot"
    assert list(read_ballots(text).values()) == [
        Ballot("User's Voice", "Tea", "it is warm — and cheap"),
        Ballot("Skeptic", "Coffee", ""),
        Ballot("X", "", ""),
    ]


async def test_the_ballots_are_counted_where_digests_say_otherwise() -> None:
    text = await conclusion("Strategist: Coffee — a\nSkeptic: Coffee — b\nPragmatist: Tea — c")
    assert "2 of 3 ballots" in verdict(text)
    assert "Coffee" in verdict(text)
    assert text.splitlines()[0].endswith("Coffee ahead")


async def test_a_tie_is_called_a_tie() -> None:
    text = await conclusion("Strategist: Coffee\nSkeptic: Tea\nPragmatist: no readable ballot")
    assert "1 of 3 ballots" in verdict(text)
    assert text.splitlines()[0].endswith("no common answer")


async def test_a_seat_without_a_digest_is_counted_by_its_ballot() -> None:
    ballots = "Strategist: Tea\nSkeptic: Tea\nPragmatist: Tea\nNurse: Coffee — it keeps us awake"
    text = await conclusion(ballots)
    assert "3 of 4 ballots" in verdict(text)
    assert 'Nurse: "It keeps us awake"' in text


@pytest.mark.parametrize("topic", ["Which drink?", "Should our club meet at noon or at night?"])
async def test_only_options_that_were_voted_on_are_named(topic: str) -> None:
    text = await conclusion("Strategist: Tea\nSkeptic: Coffee\nPragmatist: Tea", topic)
    assert "2 of 3 ballots" in verdict(text)
    assert "club" not in text.split("📊")[1]
