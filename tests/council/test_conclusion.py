"""What people read at the end is assembled by code from the record."""

from bot.council.conclusion import conclusion_text, spending_line, vote_text
from bot.council.record import Spending
from bot.request import Mode
from tests.council.records import ADVOCATE, CRITIC, record, speech


def test_a_degraded_conclusion_says_so_in_its_first_line() -> None:
    """E90, 2.2."""
    text = conclusion_text(record(degradations=("PANEL DEGRADED — Critic is missing",)))
    assert text.splitlines()[0] == "⚠️ PANEL DEGRADED — Critic is missing"


def test_the_recommendation_stands_before_everything_the_panel_argued() -> None:
    text = conclusion_text(record())
    assert text.index("RECOMMENDATION") < text.index("CONSENSUS") < text.index("META")


def test_the_measures_are_shown_side_by_side() -> None:
    """2.2#4 E70."""
    text = conclusion_text(record(consensus_pct=67.5))
    line = (
        "Stance: NO_CONSENSUS (1 agree, 1 disagree, 0 neutral) · Consensus: 67.5% · Validated: no"
    )
    assert line in text


def test_a_timeout_is_named_in_meta() -> None:
    """E103."""
    silent = speech(CRITIC, problem="timeout after 60 s", text="")
    text = conclusion_text(record(speeches=(speech(ADVOCATE), silent)))
    assert "Timeouts: [TIMEOUT] Critic" in text


def test_an_unknown_price_is_never_zero() -> None:
    assert "price unknown" in spending_line(record(spending=Spending(3, 10, None)))


def test_a_vote_shows_tally_margin_and_confidence() -> None:
    cast = (speech(ADVOCATE, ballot="tea", confidence=80), speech(CRITIC, ballot="tea"))
    text = vote_text(record(mode=Mode.VOTE, speeches=cast))
    assert text == "🗳️ **All chose tea**\n- tea: 2 (Advocate 80 %, Critic)"


def test_a_tie_is_called_a_tie() -> None:
    cast = (speech(ADVOCATE, ballot="tea"), speech(CRITIC, ballot="coffee"))
    assert "A tie between tea and coffee" in vote_text(record(mode=Mode.VOTE, speeches=cast))


def test_a_seat_without_a_ballot_is_counted() -> None:
    cast = (speech(ADVOCATE, ballot="tea"), speech(CRITIC))
    assert "- no ballot: 1" in vote_text(record(mode=Mode.VOTE, speeches=cast))
