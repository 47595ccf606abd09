"""Agreement after a round: shared points, stances, and whether a second round can pay."""

import enum
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from bot.messages.votes import AgreementText
from bot.prompting.closing_lines import Stance
from bot.prompting.summary import Point, RoundSummary

_STOP_ABOVE = 0.8
_FIRST_ROUND_TO_STOP = 2
_PROMISED = 2
_MOST_UNITED = 0.8
"""The share of the leading side up to which a panel counts as really divided."""
_ROUNDING = 1e-9
_LONG_WORD: Final = re.compile(r"[^\W_]{4,}")
"""Shorter words are mostly articles and joints, whatever the language."""


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


def closest_to(point: str, said: Iterable[str]) -> str:
    """The statement that shares the most words with a point, or nothing if none shares any."""
    wanted = _words(point)
    shared = {statement: len(wanted & _words(statement)) for statement in said}
    best = max(shared, key=lambda statement: shared[statement], default="")
    return best if shared.get(best) else ""


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _LONG_WORD.findall(text)}


def latest_score(history: Sequence[Convergence]) -> float | None:
    """The score of the latest round, which is the run's own."""
    latest = max(history, key=lambda entry: entry.round, default=None)
    return latest.score if latest else None


def should_stop(history: Sequence[Convergence], round_number: int) -> bool:
    """Whether this round's score is high enough to end the rounds, never before the second."""
    entry = next((entry for entry in history if entry.round == round_number), None)
    if entry is None or entry.score is None:
        return False
    return round_number >= _FIRST_ROUND_TO_STOP and entry.score > _STOP_ABOVE


class RoundsEnd(enum.StrEnum):
    """Why no further round is held."""

    NOBODY_ANSWERED = "nobody_answered"
    NOBODY_LEFT = "nobody_left"
    LAST_ROUND = "last_round"
    ALONE = "alone"
    PEERS_FAILED = "peers_failed"
    CONSENSUS = "consensus"
    CONVERGED = "converged"
    NO_TIME = "no_time"
    NO_MONEY = "no_money"
    ASKED = "asked"
    ONE_FAMILY = "one_family"
    OWN_EVIDENCE = "own_evidence"
    NO_DISPUTE = "no_dispute"


@dataclass(frozen=True, slots=True)
class FirstRound:
    """What a second round has to work with: the sides taken, by whom, and on which evidence."""

    sides: tuple[tuple[str, float], ...] = ()
    """The side and the weight of every seat that took one; neutral seats take none."""
    families: int = 1
    same_evidence: bool = True
    """Whether all got the same question and nobody looked anything up alone."""

    @property
    def divided(self) -> bool:
        """Whether at least a fifth of the weight stands against the leading side."""
        weights: defaultdict[str, float] = defaultdict(float)
        for side, weight in self.sides:
            weights[side] += weight
        most = _MOST_UNITED * sum(weights.values()) + _ROUNDING
        return len(weights) > 1 and max(weights.values()) <= most

    @property
    def obstacle(self) -> RoundsEnd | None:
        """Why a second round is not expected to pay (docs/how-sure.md), None where it can."""
        if self.families < 2:
            return RoundsEnd.ONE_FAMILY
        if not self.same_evidence:
            return RoundsEnd.OWN_EVIDENCE
        return None if self.divided else RoundsEnd.NO_DISPUTE


def promised_rounds(asked: int | None) -> int:
    """How many rounds agreement cannot end: two where somebody asked for two or more."""
    return min(asked or 1, _PROMISED)


class StanceResult(enum.StrEnum):
    """How a round's stances toward the proposition add up."""

    FULL = "FULL_CONSENSUS"
    MAJORITY = "MAJORITY_CONSENSUS"
    NONE = "NO_CONSENSUS"


def stance_result(stances: Sequence[Stance]) -> StanceResult:
    """All agree, or two thirds agree and nobody disagrees, or no consensus."""
    agree = stances.count(Stance.AGREE)
    if stances and agree == len(stances):
        return StanceResult.FULL
    if stances and Stance.DISAGREE not in stances and 3 * agree >= 2 * len(stances):
        return StanceResult.MAJORITY
    return StanceResult.NONE


def all_against(stances: Sequence[Stance]) -> bool:
    """Whether everybody disagrees with the proposition, which is agreement, too (2.2#5)."""
    return bool(stances) and stances.count(Stance.DISAGREE) == len(stances)


def stance_counts(stances: Sequence[Stance], silent: int = 0) -> str:
    """The stances in words; an unreadable stance counts as neutral, a silent seat as silent."""
    agree, disagree = stances.count(Stance.AGREE), stances.count(Stance.DISAGREE)
    neutral = len(stances) - agree - disagree - silent
    return AgreementText.stance_counts(agree, disagree, neutral, silent)
