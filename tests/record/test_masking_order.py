"""The order of a panel is written in panels.json, so no list of masked seats may keep it."""

from bot.measures.tally import Tally
from bot.prompting.closing_lines import Ballot
from bot.record.masking import Mask
from bot.stage.port import Card, PastRound, SeatRow
from bot.types.mode import Mode
from tests.record.sample_record import record

MASK = Mask({"Advocate": "Panelist B", "Critic": "Panelist A"}, ("claude-opus", "grok"))


def test_past_rounds_on_the_card_list_the_masks_by_name_and_hide_who_stood_in() -> None:
    """E13."""
    rows = (SeatRow("Advocate", "claude-opus", stand_in="mistral"), SeatRow("Critic", "grok"))
    card = Card("rt_0123abcd", "tea?", "vote", "…", rows, past=(PastRound("Round 1", rows),))
    masked = MASK.card(card)
    for seats in (masked.seats, masked.past[0].seats):
        assert [row.role for row in seats] == ["Panelist A", "Panelist B"]
        assert [row.stand_in for row in seats] == ["", "masked"]


def test_the_voters_of_an_option_are_listed_by_the_names_of_their_masks() -> None:
    """E13."""
    ballots = {"Advocate": Ballot("tea", 80), "Critic": Ballot("tea")}
    tally = Tally.of(1, ("tea", "coffee"), ballots)
    masked = MASK.record(record(mode=Mode.VOTE, tallies=(tally,)))
    assert masked.tallies[0].lines()[0] == "- tea: 2 (Panelist A, Panelist B 80 %)"
