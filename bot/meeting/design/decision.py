"""Merges the analysts' designs into one decision: who sits, how, how often, who concludes."""

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from bot.meeting.design.seating import SeatingRules, fit_role, free_role, is_taken, shown_model
from bot.messages.meeting import SeatingText
from bot.prompting.meta import DesignProposal, SeatProposal
from bot.prompting.short_answers import as_proposition
from bot.prompting.text import plain_words

PARALLEL, _SEQUENTIAL, HYBRID = "parallel_debate", "sequential", "hybrid"
_LEAST_SEATS = 2
_DEFAULT_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class _DesignedSeat:
    """One seat of the decision: stage 1 or 2, the model's key, a unique role and its task."""

    stage: int
    model: str
    role: str
    task: str


@dataclass(frozen=True, slots=True)
class _Stage:
    """A stage to be filled: how many seats it may have, and whether only premium models sit."""

    number: int
    least: int
    most: int
    premium_only: bool = False


def _ranked(votes: Sequence[str]) -> tuple[str, ...]:
    """The names in order of votes, then of first mention, then of the alphabet."""
    counts = Counter(votes)
    return tuple(sorted(counts, key=lambda name: (-counts[name], votes.index(name), name)))


def _median_up(numbers: Sequence[int]) -> int:
    """The median, rounded up when it falls on a half."""
    return math.ceil(statistics.median(numbers))


def _fill_stage(
    designs: Sequence[DesignProposal],
    stage: _Stage,
    rules: SeatingRules,
    taken_roles: Sequence[str] = (),
) -> tuple[_DesignedSeat, ...]:
    """For each position the most-recommended model; as many seats as most analysts wanted."""
    wanted = [seats for design in designs if (seats := _recommended(design, stage.number))]
    if not wanted:
        return ()
    size = min(stage.most, max(stage.least, _median_up([len(seats) for seats in wanted])))
    seated: list[_DesignedSeat] = []
    for position in zip_longest(*wanted):
        offers = [seat for seat in position if seat is not None]
        model = _model(offers, stage, rules, [seat.model for seat in seated])
        if model is not None and len(seated) < size:
            taken = [*taken_roles, *(seat.role for seat in seated)]
            role, task = _role_and_task(_own_first(offers, model, rules), taken)
            seated.append(_DesignedSeat(stage.number, model, role, task))
    return tuple(seated)


def _recommended(design: DesignProposal, stage: int) -> tuple[SeatProposal, ...]:
    """The seats an analyst wants in a stage; whatever comes after stage 2 belongs to it."""
    return tuple(seat for seat in design.stages if min(max(seat.stage, 1), 2) == stage)


def _model(
    offers: Sequence[SeatProposal], stage: _Stage, rules: SeatingRules, seated: Sequence[str]
) -> str | None:
    """The best model that has no seat yet; the best of all when each of them has one."""
    keys = [key for offer in offers if (key := rules.seatable(offer.model))]
    allowed = [key for key in _ranked(keys) if key in rules.premium or not stage.premium_only]
    fresh = [key for key in allowed if key not in seated]
    return next(iter([*fresh, *allowed]), None)


def _own_first(
    offers: Sequence[SeatProposal], model: str, rules: SeatingRules
) -> list[SeatProposal]:
    """The offers that named the model that was chosen come before the others."""
    return sorted(offers, key=lambda offer: rules.seatable(offer.model) != model)


def _role_and_task(offers: Sequence[SeatProposal], taken: Sequence[str]) -> tuple[str, str]:
    """The first usable role with its own task, else one with a letter, else a neutral one."""
    fit = []
    for offer in offers:
        if role := fit_role(offer.role):
            if not is_taken(role, taken):
                return role, offer.task
            fit.append((role, offer.task))
    for role, task in fit:
        if free := free_role(role, taken):
            return free, task
    return free_role(SeatingText.PANELIST, taken) or SeatingText.further_seat(
        len(taken) + 1
    ), offers[0].task


_STAGE_2 = {_SEQUENTIAL: _Stage(2, 1, 3), HYBRID: _Stage(2, 1, 2, premium_only=True)}


@dataclass(frozen=True, slots=True)
class AnalystVote:
    """One analyst's design, or why there is none; `analyst` is the name people see."""

    analyst: str
    design: DesignProposal | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The merged design; `synthesis` None leaves the writer to the order of 2.2#19."""

    workflow: str
    seats: tuple[_DesignedSeat, ...]
    rounds: int
    synthesis: str | None
    proposition: str | None
    line: str
    summary: str
    notes: tuple[str, ...] = ()

    @property
    def stages(self) -> int:
        """How many stages the meeting has."""
        return max(seat.stage for seat in self.seats)


def decide(votes: Sequence[AnalystVote], rules: SeatingRules) -> Decision | None:
    """The analysts' common design, or None when they give no panel of two (E48)."""
    designs = [vote.design for vote in votes if vote.design is not None]
    workflow, seats, notes = _panel(designs, rules)
    if len(seats) < _LEAST_SEATS:
        return None
    synthesis = _writer(designs, rules, seats)
    return Decision(
        workflow=workflow,
        seats=seats,
        rounds=_rounds(designs, rules.max_rounds),
        synthesis=synthesis,
        proposition=next(filter(None, (as_proposition(d.proposition) for d in designs)), None),
        line=_decision_line(workflow, seats, synthesis or SeatingText.DEFAULT_WRITER),
        summary=votes_summary(votes),
        notes=(*notes, *rules.faults(_models_named(designs))),
    )


def _decision_line(workflow: str, seats: Sequence[_DesignedSeat], synthesis: str) -> str:
    """The line of the header that tells what the meta-panel designed (E47)."""
    stages = max((seat.stage for seat in seats), default=1)
    return SeatingText.designed(workflow, stages, [seat.model for seat in seats], synthesis)


def votes_summary(votes: Sequence[AnalystVote]) -> str:
    """Every analyst's vote in one short paragraph."""
    return " ".join(SeatingText.analyst_vote(plain_words(v.analyst), _vote_words(v)) for v in votes)


def _vote_words(vote: AnalystVote) -> str:
    design = vote.design
    if design is None:
        return SeatingText.no_design(plain_words(vote.problem))
    if not design.stages:
        return SeatingText.NO_PANEL
    stages = [_models(_recommended(design, stage)) for stage in (1, 2)]
    writer = shown_model(design.synthesis_model) if design.synthesis_model else ""
    taken = [names for names in stages if names]
    return SeatingText.vote(design.workflow or "", taken, design.rounds, writer)


def _models(seats: Sequence[SeatProposal]) -> str:
    return ", ".join(shown_model(seat.model) for seat in seats)


def _panel(
    designs: Sequence[DesignProposal], rules: SeatingRules
) -> tuple[str, tuple[_DesignedSeat, ...], tuple[str, ...]]:
    """Workflow, seats and notes; without a second stage there is only the parallel debate."""
    workflow, note = _workflow(designs)
    first = _fill_stage(designs, _Stage(1, _LEAST_SEATS, rules.max_seats), rules)
    if workflow == PARALLEL or len(first) < _LEAST_SEATS:
        return workflow, first, note
    second = _fill_stage(designs, _STAGE_2[workflow], rules, [seat.role for seat in first])
    if second:
        return workflow, first + second, note
    return PARALLEL, first, (*note, SeatingText.no_second_stage(workflow))


def _workflow(designs: Sequence[DesignProposal]) -> tuple[str, tuple[str, ...]]:
    """The workflow most analysts recommend; a tie gives hybrid (E41)."""
    counts = Counter(d.workflow for d in designs if d.workflow in (PARALLEL, *_STAGE_2))
    most = max(counts.values(), default=0)
    leading = [name for name, votes in counts.items() if name and votes == most]
    if len(leading) > 1:
        return HYBRID, (SeatingText.tied(sorted(leading)),)
    if leading:
        return leading[0], ()
    return PARALLEL, (SeatingText.NO_WORKFLOW,)


def _rounds(designs: Sequence[DesignProposal], most: int) -> int:
    named = [design.rounds for design in designs if design.rounds is not None]
    return max(1, min(most, _median_up(named) if named else _DEFAULT_ROUNDS))


def _writer(
    designs: Sequence[DesignProposal], rules: SeatingRules, seats: Sequence[_DesignedSeat]
) -> str | None:
    """The most-recommended premium model that does not sit on the panel (E46)."""
    seated = {seat.model for seat in seats}
    named = (rules.seatable(d.synthesis_model) for d in designs if d.synthesis_model)
    fit = [key for key in named if key is not None and key in rules.premium - seated]
    return next(iter(_ranked(fit)), None)


def _models_named(designs: Sequence[DesignProposal]) -> Iterator[str]:
    for design in designs:
        yield from (seat.model for seat in design.stages)
        if design.synthesis_model:
            yield design.synthesis_model
