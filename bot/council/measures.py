"""Measures of agreement, computed by code from what was parsed; no model is asked."""

import enum
from collections.abc import Sequence

from bot.messages.conclusion import AgreementText
from bot.prompting.stance import Stance


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


def stance_counts(stances: Sequence[Stance], silent: int = 0) -> str:
    """The stances in words; an unreadable stance counts as neutral, a silent seat as silent."""
    agree, disagree = stances.count(Stance.AGREE), stances.count(Stance.DISAGREE)
    neutral = len(stances) - agree - disagree - silent
    return AgreementText.stance_counts(agree, disagree, neutral, silent)
