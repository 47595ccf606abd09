"""How often panels, models and people were right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.measures.track import Hits, ResolvedVote, TrackRecord

VOTES = TrackRecord(
    (
        ResolvedVote(0, 0, 0, 0.9, {"a": 0, "b": 0}, (3, 1), (4, 0), {7: 0}),
        ResolvedVote(0, 1, 0, 0.6, {"a": 1, "b": 0}, (1, 1), (1, 2), {7: 1, 8: 0}),
        ResolvedVote(1, None, None, None, {"a": 0}, (0, 0), (0, 0)),
    )
)


def test_everybody_is_counted_by_what_was_right() -> None:
    """Issue 24, 6: the panel, plain majority, each model, people as a group and who joined."""
    assert VOTES.panel == Hits(1, 3)
    assert VOTES.plain == Hits(2, 3), "a tie is not right"
    assert VOTES.models == {"a": Hits(1, 3), "b": Hits(2, 2)}
    assert VOTES.people(after=False) == (Hits(1, 2), Hits(4, 6)), "a tie of people is not right"
    assert VOTES.people(after=True) == (Hits(1, 2), Hits(5, 7))
    assert VOTES.members == {7: Hits(1, 2), 8: Hits(1, 1)}
    assert VOTES.brier == pytest.approx((0.1**2 + 0.6**2) / 2)


def test_nothing_is_known_of_no_votes() -> None:
    empty = TrackRecord()
    assert (empty.brier, empty.bins, empty.models) == (None, (), {})


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans())))
def test_bins_hold_every_vote_once_and_in_order(judged: list[tuple[float, bool]]) -> None:
    votes = tuple(ResolvedVote(0, 0 if right else 1, 0, said) for said, right in judged)
    bins = TrackRecord(votes).bins
    assert sum(one.votes for one in bins) == len(judged)
    assert [one.said for one in bins] == sorted(one.said for one in bins)
    assert sum(one.right * one.votes for one in bins) == pytest.approx(
        sum(right for _, right in judged)
    )
