"""The models' vote is counted, compared and told honestly."""

import pytest

from bot.measures.tally import Tally, VoteChange
from bot.prompting.closing_lines import Ballot, Stance

OPTIONS = ("Postgres", "SQLite", "Neither")


def tally(round_number: int = 1, **choices: str | None) -> Tally:
    ballots = {role: Ballot(option, 80) if option else None for role, option in choices.items()}
    return Tally.of(round_number, OPTIONS, ballots)


def test_ballots_are_counted_with_their_confidence() -> None:
    counted = Tally.of(1, OPTIONS, {"Ada": Ballot("SQLite", 70), "Bo": Ballot("SQLite", None)})
    top = counted.counts[0]
    assert (top.option, [(v.role, v.confidence) for v in top.voters]) == (
        "SQLite",
        [("Ada", 70), ("Bo", None)],
    )


def test_options_nobody_chose_are_listed_in_their_order() -> None:
    assert [c.option for c in tally(Ada="Neither").counts] == ["Neither", "Postgres", "SQLite"]


@pytest.mark.parametrize("ballot", [None, Ballot(), Ballot("MongoDB", 99, "web scale")])
def test_what_is_no_vote_is_an_abstention(ballot: Ballot | None) -> None:
    assert Tally.of(1, OPTIONS, {"Ada": ballot}).abstained == ("Ada",)


@pytest.mark.parametrize(
    ("choices", "winners", "margin"),
    [
        ({"Ada": "Postgres", "Bo": "Postgres", "Cy": "SQLite"}, ("Postgres",), 1),
        ({"Ada": "Postgres", "Bo": "SQLite"}, ("Postgres", "SQLite"), 0),
        ({"Ada": "SQLite", "Bo": "SQLite"}, ("SQLite",), 2),
        ({"Ada": None}, (), 0),
        ({}, (), 0),
    ],
)
def test_winners_and_margin(
    choices: dict[str, str | None], winners: tuple[str, ...], margin: int
) -> None:
    counted = tally(1, **choices)
    assert (counted.winners, counted.margin) == (winners, margin)


def test_stances_follow_from_the_ballots() -> None:
    """2.2#6."""
    assert tally(Ada="Postgres", Bo="Postgres", Cy="SQLite", Di=None).stances() == {
        "Ada": Stance.AGREE,
        "Bo": Stance.AGREE,
        "Cy": Stance.DISAGREE,
        "Di": Stance.NEUTRAL,
    }


def test_in_a_tie_no_option_leads() -> None:
    """2.2#6."""
    assert set(tally(Ada="Postgres", Bo="SQLite").stances().values()) == {Stance.NEUTRAL}


def test_who_changed_is_told_with_both_options() -> None:
    first = tally(1, Ada="Postgres", Bo="SQLite", Cy=None)
    last = tally(2, Ada="Postgres", Bo="Postgres", Cy="SQLite")
    assert first.changes_to(last) == (
        VoteChange("Bo", "SQLite", "Postgres"),
        VoteChange("Cy", None, "SQLite"),
    )


def test_two_votes_are_told_side_by_side() -> None:
    """Design 5: both tallies are kept."""
    first = tally(1, Ada="Postgres", Bo="SQLite", Cy="SQLite")
    last = tally(2, Ada="Postgres", Bo="Postgres", Cy=None)
    assert first.lines_until(last) == [
        "Postgres wins with all 2 votes.",
        "- Postgres: 2 (Ada 80 %, Bo 80 %)",
        "- SQLite: 0",
        "- Neither: 0",
        "- No readable ballot: Cy",
        "Votes in round 1: SQLite 2, Postgres 1.",
        "Bo changed from SQLite to Postgres.",
        "Cy first voted for SQLite, then cast no readable ballot.",
    ]


def test_one_vote_is_not_compared_with_itself() -> None:
    only = tally(1, Ada="Postgres", Bo="Postgres", Cy="SQLite")
    assert only.lines_until(only)[0] == "Postgres wins with 2 votes, 1 ahead."
    assert not [line for line in only.lines_until(only) if "Round" in line or "changed" in line]


def test_nobody_changing_is_said() -> None:
    lines = tally(1, Ada="SQLite").lines_until(tally(2, Ada="SQLite"))
    assert lines[0] == "SQLite wins with the only vote."
    assert lines[-1] == "Nobody changed their vote after round 1."


def test_a_tie_is_called_a_tie() -> None:
    tied = tally(Ada="Postgres", Bo="SQLite", Cy="Neither")
    assert tied.lines_until(tied)[0] == (
        "A tie between Postgres, SQLite and Neither with 1 vote each."
    )


def test_no_ballots_are_no_result() -> None:
    empty = tally(Ada=None)
    assert empty.lines_until(empty)[0] == (
        "No panelist cast a readable ballot, so there is no result."
    )
