"""Convergence: how many points of a round are shared and how many are disputed."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.prompting.summary import Point, RoundSummary

STOP_ABOVE = 0.8
FIRST_ROUND_TO_STOP = 2


@dataclass(frozen=True, slots=True)
class Convergence:
    """The points found in one round."""

    round: int
    consensus: int = 0
    disagreement: int = 0
    new_points: int = 0

    @property
    def score(self) -> float | None:
        """Shared points among shared and disputed ones; None when there is neither."""
        found = self.consensus + self.disagreement
        return self.consensus / found if found else None


def convergence_of(round_number: int, summary: RoundSummary | None) -> Convergence:
    """Count a round's findings; no summary, or one without findings, gives no score."""
    if summary is None or not summary.parsed:
        return Convergence(round_number)
    return Convergence(
        round_number,
        consensus=len(shared_points(summary)),
        disagreement=len(summary.disagreement),
        new_points=len(summary.new_points),
    )


def shared_points(summary: RoundSummary) -> tuple[Point, ...]:
    """The consensus points; one that names a single seat does not count (C20)."""
    return tuple(point for point in summary.consensus if len(point.roles) != 1)


def latest_score(history: Sequence[Convergence]) -> float | None:
    """The score of the latest round, which is the run's own."""
    latest = max(history, key=lambda entry: entry.round, default=None)
    return latest.score if latest else None


def should_stop(history: Sequence[Convergence], round_number: int) -> bool:
    """Whether this round's score is high enough to end the rounds, never before the second."""
    entry = next((entry for entry in history if entry.round == round_number), None)
    if entry is None or entry.score is None:
        return False
    return round_number >= FIRST_ROUND_TO_STOP and entry.score > STOP_ABOVE
