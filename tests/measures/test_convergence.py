"""Convergence is counted from findings and stances, without asking a model."""

import pytest

from bot.measures.convergence import (
    Convergence,
    StanceResult,
    closest_to,
    convergence_of,
    latest_score,
    should_stop,
    stance_counts,
    stance_result,
)
from bot.prompting.closing_lines import Stance
from bot.prompting.summary import Point, RoundSummary

SHARED = Point("it works", ("Advocate", "Analyst"))
DISPUTED = Point("it is cheap", ("Advocate", "Contrarian"))
NEW = Point("it needs a licence", ("Analyst",))


def found(consensus: int, disagreement: int, round_number: int = 2) -> Convergence:
    return Convergence(round_number, consensus, disagreement)


def test_the_points_of_a_round_are_counted_by_kind() -> None:
    """C20."""
    summary = RoundSummary("…", (SHARED, SHARED), (DISPUTED,), (NEW,), parsed=True)
    assert convergence_of(1, summary) == Convergence(1, 2, 1, 1)


def test_the_score_is_the_shared_part() -> None:
    """C21."""
    assert found(3, 1).score == pytest.approx(0.75)


def test_a_point_one_seat_made_alone_is_not_shared() -> None:
    """C20: a consensus point has several participants."""
    summary = RoundSummary("…", (SHARED, NEW), (DISPUTED,), parsed=True)
    assert convergence_of(1, summary).consensus == 1


def test_a_shared_point_whose_seats_could_not_be_read_counts() -> None:
    summary = RoundSummary("…", (Point("it works", ()),), parsed=True)
    assert convergence_of(1, summary).score == 1


@pytest.mark.parametrize(
    "summary",
    [None, RoundSummary("plain text"), RoundSummary("…", new_points=(NEW,), parsed=True)],
)
def test_nothing_found_gives_no_score(summary: RoundSummary | None) -> None:
    """2.2#7, 3.4."""
    assert convergence_of(2, summary).score is None


@pytest.mark.parametrize(
    ("entry", "stops"),
    [(found(4, 1), False), (found(5, 1), True), (found(1, 0), True), (found(0, 0), False)],
)
def test_only_more_than_four_fifths_stops(entry: Convergence, stops: bool) -> None:
    """C22."""
    assert should_stop([entry], 2) is stops


def test_the_first_round_never_stops() -> None:
    """2.2#5."""
    assert not should_stop([found(9, 0, round_number=1)], 1)


def test_an_earlier_round_does_not_stop_a_later_one() -> None:
    assert not should_stop([found(9, 0, 2), found(1, 9, 3)], 3)


def test_a_round_without_an_entry_does_not_stop() -> None:
    assert not should_stop([found(9, 0, 2)], 3)


def test_the_score_of_the_run_is_that_of_its_latest_round() -> None:
    """3.4."""
    assert latest_score([found(1, 3, 2), found(1, 0, 1)]) == pytest.approx(0.25)
    assert latest_score([]) is None


A, D, N, U = Stance.AGREE, Stance.DISAGREE, Stance.NEUTRAL, Stance.UNKNOWN


@pytest.mark.parametrize(
    ("stances", "result"),
    [
        ([A, A, A], StanceResult.FULL),
        ([A], StanceResult.FULL),
        ([A, A, N], StanceResult.MAJORITY),
        ([A, A, U], StanceResult.MAJORITY),
        ([A, A, A, N, N], StanceResult.NONE),
        ([A, A, A, A, N, N], StanceResult.MAJORITY),
        ([A] * 9 + [D], StanceResult.NONE),
        ([D, D, D], StanceResult.NONE),
        ([N, U], StanceResult.NONE),
        ([], StanceResult.NONE),
    ],
)
def test_the_boundaries_of_consensus(stances: list[Stance], result: StanceResult) -> None:
    """A19 A20 A21 A22 A23 A24."""
    assert stance_result(stances) is result


def test_a_seat_that_said_nothing_is_not_called_neutral() -> None:
    """2.2#23: it counts in the denominator, and people are told what it is."""
    counts = stance_counts([A, N, N, D], silent=1)
    assert counts == "1 agree, 1 disagree, 1 neutral, 1 did not answer"


def test_an_unreadable_stance_counts_as_neutral() -> None:
    """A17."""
    assert stance_counts([A, U, N, D]) == "1 agree, 1 disagree, 2 neutral"


@pytest.mark.parametrize(
    ("point", "best"),
    [
        ("Whether Postgres is in production", "C1: without a Postgres in PRODUCTION it is a week"),
        ("How the restore is rehearsed", "C2: rehearsed every month"),
        ("a b c to of", ""),
        ("", ""),
    ],
)
def test_the_closest_statement_shares_the_most_words(point: str, best: str) -> None:
    """C23: none is better than any, where nothing is shared."""
    said = ("C1: without a Postgres in PRODUCTION it is a week", "C2: rehearsed every month")
    assert closest_to(point, said) == best
