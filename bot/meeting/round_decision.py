"""After a round: whether another round is held."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.measures.convergence import (
    Convergence,
    RoundsEnd,
    StanceResult,
    should_stop,
    stance_result,
)
from bot.messages.meeting import RoundsText
from bot.prompting.closing_lines import Stance

_LEAST_SPEAKERS = 2
_FIRST_ROUND_THAT_MUST_FIT = 3


_TEXTS = {
    RoundsEnd.NOBODY_LEFT: RoundsText.NOBODY_LEFT,
    RoundsEnd.LAST_ROUND: RoundsText.LAST_ROUND,
    RoundsEnd.ALONE: RoundsText.ALONE,
    RoundsEnd.PEERS_FAILED: RoundsText.PEERS_FAILED,
    RoundsEnd.CONVERGED: RoundsText.CONVERGED,
    RoundsEnd.NO_TIME: RoundsText.NO_TIME,
    RoundsEnd.ASKED: RoundsText.ASKED,
}
_AGREED = {
    StanceResult.FULL: RoundsText.ALL_AGREE,
    StanceResult.MAJORITY: RoundsText.MOST_AGREE,
}


@dataclass(frozen=True, slots=True)
class AfterRound:
    """Everything the decision rests on.

    `stances` has one entry for every seat, NEUTRAL for those that timed out (2.2#23).
    `speaking` counts the seats that could take part in the next round: they answered every round
    so far and have a digest (E104, E111). `seconds_left` is the time until rounds must end, the
    tail reserved for the conclusion already taken off; `round_seconds` is what a round needs.
    """

    round: int
    planned: int
    stances: Sequence[Stance]
    early_exit: bool
    convergence: Sequence[Convergence]
    seated: int
    speaking: int
    seconds_left: float
    round_seconds: float
    obstacle: str = ""
    """Why another round cannot be paid."""
    last_answered: int | None = None
    """The last round that anybody answered, if that was an earlier one."""
    asked: bool = False
    """Whether somebody asked for the conclusion."""


@dataclass(frozen=True, slots=True)
class RoundDecision:
    """Continue, or end for a reason; `early` means that planned rounds are skipped."""

    stance: StanceResult
    reason: RoundsEnd | None = None
    early: bool = False
    text: str = ""

    @property
    def go_on(self) -> bool:
        """Whether another round is held."""
        return self.reason is None


def after_round(state: AfterRound) -> RoundDecision:
    """Decide what follows a round; a structural reason comes before agreement, that before time."""
    stance = stance_result(state.stances)
    if state.asked:
        return RoundDecision(stance, RoundsEnd.ASKED, early=True, text=RoundsText.ASKED)
    reason = _no_table(state) or _agreement(state, stance) or _out_of_time(state)
    if reason is None and state.obstacle:
        reason = RoundsEnd.NO_MONEY
    if reason is None:
        return RoundDecision(stance)
    early = state.round < state.planned or reason is RoundsEnd.NOBODY_ANSWERED
    return RoundDecision(stance, reason, early, _text(reason, stance, state))


def converged(stances: Sequence[Stance]) -> RoundDecision:
    """The rounds end because a summary shows that little is disputed any more."""
    return RoundDecision(
        stance_result(stances), RoundsEnd.CONVERGED, early=True, text=RoundsText.CONVERGED
    )


def _text(reason: RoundsEnd, stance: StanceResult, state: AfterRound) -> str:
    if reason is RoundsEnd.NO_MONEY:
        return RoundsText.no_money(state.obstacle)
    if reason is RoundsEnd.NOBODY_ANSWERED:
        return RoundsText.nobody_answered(state.round, state.last_answered or 0)
    return _AGREED[stance] if reason is RoundsEnd.CONSENSUS else _TEXTS[reason]


def _no_table(state: AfterRound) -> RoundsEnd | None:
    if state.last_answered is not None:
        return RoundsEnd.NOBODY_ANSWERED
    if state.speaking <= 0:
        return RoundsEnd.NOBODY_LEFT
    if state.round >= state.planned:
        return RoundsEnd.LAST_ROUND
    if state.speaking < _LEAST_SPEAKERS:
        return RoundsEnd.PEERS_FAILED if state.seated > state.speaking else RoundsEnd.ALONE
    return None


def _agreement(state: AfterRound, stance: StanceResult) -> RoundsEnd | None:
    """A panel without early exit distrusts agreement of either kind (2.2#5)."""
    if not state.early_exit:
        return None
    if stance is not StanceResult.NONE:
        return RoundsEnd.CONSENSUS
    return RoundsEnd.CONVERGED if should_stop(state.convergence, state.round) else None


def _out_of_time(state: AfterRound) -> RoundsEnd | None:
    """Round 2 starts while any time is left; from round 3 on a whole round must fit (2.2#22)."""
    must_fit = state.round + 1 >= _FIRST_ROUND_THAT_MUST_FIT
    enough = state.seconds_left >= state.round_seconds if must_fit else True
    return None if enough and state.seconds_left > 0 else RoundsEnd.NO_TIME
