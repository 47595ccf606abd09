"""After a round: whether another round is held."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.measures.convergence import (
    Convergence,
    FirstRound,
    RoundsEnd,
    StanceResult,
    all_against,
    promised_rounds,
    should_stop,
    stance_result,
)
from bot.meeting.context import RunContext
from bot.meeting.design.decision import HYBRID
from bot.meeting.questions import HARNESS
from bot.meeting.rounds import still_speaking
from bot.meeting.spec import stored_request
from bot.messages.meeting import RoundsText
from bot.panels import SecondRound
from bot.prompting.closing_lines import Stance
from bot.record.record import RunRecord

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
    RoundsEnd.ONE_FAMILY: RoundsText.ONE_FAMILY,
    RoundsEnd.OWN_EVIDENCE: RoundsText.OWN_EVIDENCE,
    RoundsEnd.NO_DISPUTE: RoundsText.NO_DISPUTE,
}
_SAVING = frozenset(
    {RoundsEnd.CONSENSUS, RoundsEnd.ONE_FAMILY, RoundsEnd.OWN_EVIDENCE, RoundsEnd.NO_DISPUTE}
)
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
    second_round: SecondRound = "always"
    promised: int = 1
    """How many rounds agreement cannot end, because somebody asked for them."""
    votes: bool = False
    first: FirstRound = field(default_factory=FirstRound)
    """What a second round would have to work with."""


@dataclass(frozen=True, slots=True)
class RoundDecision:
    """Continue, or end for a reason; `early` means that planned rounds are skipped."""

    stance: StanceResult
    reason: RoundsEnd | None = None
    early: bool = False
    text: str = ""
    """Why it ends; where it goes on, what people should know of the next round."""

    @property
    def by_agreement(self) -> bool:
        """Whether a round that could have been held is saved, because it would add little."""
        return self.early and self.reason in _SAVING

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
        return RoundDecision(stance, text=_word_before(state))
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
    if reason is not RoundsEnd.CONSENSUS:
        return _TEXTS[reason]
    if state.votes and stance is StanceResult.FULL:
        return RoundsText.ALL_VOTE_ALIKE
    return _AGREED.get(stance, RoundsText.ALL_DISAGREE)


def _word_before(state: AfterRound) -> str:
    """A panel of one family is told what a second round is worth to it."""
    told = state.round == 1 and state.second_round != "always"
    one_family = state.first.obstacle is RoundsEnd.ONE_FAMILY
    return RoundsText.ONE_FAMILY_GOES_ON if told and one_family else ""


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
    """A panel without early exit distrusts agreement of stances and points (2.2#5)."""
    if state.round < state.promised:
        return None
    if state.early_exit:
        if stance is not StanceResult.NONE or all_against(state.stances):
            return RoundsEnd.CONSENSUS
        if should_stop(state.convergence, state.round):
            return RoundsEnd.CONVERGED
    return _needless_second_round(state, stance)


def _needless_second_round(state: AfterRound, stance: StanceResult) -> RoundsEnd | None:
    """Ballots are another matter than stances: nobody takes a side in a vote to be agreeable."""
    if state.round > 1 or state.second_round == "always":
        return None
    if state.votes and stance is StanceResult.FULL:
        return RoundsEnd.CONSENSUS
    trusting = state.early_exit or state.votes
    return state.first.obstacle if trusting and state.second_round == "thrifty" else None


def _out_of_time(state: AfterRound) -> RoundsEnd | None:
    """Round 2 starts while any time is left; from round 3 on a whole round must fit (2.2#22)."""
    must_fit = state.round + 1 >= _FIRST_ROUND_THAT_MUST_FIT
    enough = state.seconds_left >= state.round_seconds if must_fit else True
    return None if enough and state.seconds_left > 0 else RoundsEnd.NO_TIME


def _round_seconds(ctx: RunContext) -> float:
    timeouts, designed = ctx.config.timeouts, ctx.designed
    models = [model for seat in designed.stage(1) for model in designed.models_of(seat)]
    return timeouts.allowed(timeouts.round, models)


def state_after(ctx: RunContext, number: int, record: RunRecord, obstacle: str) -> AfterRound:
    """What is known after a round; `obstacle` says why another one cannot be paid."""
    return AfterRound(
        round=number,
        planned=ctx.designed.rounds,
        stances=record.stances_in(number),
        early_exit=ctx.designed.early_exit,
        convergence=record.convergence,
        seated=len(ctx.designed.stage(1)),
        speaking=len(still_speaking(record, number)),
        seconds_left=ctx.time.left(),
        round_seconds=_round_seconds(ctx),
        obstacle=obstacle,
        last_answered=record.rounds_held if record.rounds_held < number else None,
        asked=ctx.concluding.is_set(),
        second_round=ctx.designed.second_round,
        promised=promised_rounds(stored_request(ctx.run).rounds),
        votes=bool(record.tallies),
        first=_first_round(ctx, record),
    )


def _first_round(ctx: RunContext, record: RunRecord) -> FirstRound:
    """What the first round leaves for a second: in a vote the ballots, else stances with a side."""
    sides: dict[str, str | None] = {
        speech.seat.role: speech.stance
        for speech in record.speeches
        if speech.stage == 1 and speech.stance in (Stance.AGREE, Stance.DISAGREE)
    }
    if record.tallies:
        sides = record.tallies[-1].choices()
    weights = dict(record.worth.weights) if record.worth else {}
    designed = ctx.designed
    alone = any(designed.models_of(seat)[0].kind == HARNESS for seat in designed.stage(1))
    return FirstRound(
        sides=tuple((side, weights.get(role, 1.0)) for role, side in sides.items() if side),
        families=record.worth.families if record.worth else len({s.family for s in record.seats}),
        same_evidence=not alone and designed.workflow != HYBRID,
    )
