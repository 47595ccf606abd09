"""Stances add up by fixed rules, without asking a model."""

import pytest

from bot.measures.convergence import StanceResult, stance_counts, stance_result
from bot.prompting.closing_lines import Stance

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
