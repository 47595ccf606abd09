"""Merges the analysts' designs into one decision: who sits, how, how often, who concludes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.council.seating_rules import SeatingRules, shown_model
from bot.council.stage_seats import (
    DesignedSeat,
    Stage,
    fill_stage,
    median_up,
    ranked,
    recommended,
)
from bot.messages.meeting import SeatingText
from bot.prompting.cleaning import plain_words
from bot.prompting.meta import Design, Seat
from bot.prompting.proposition import as_proposition

PARALLEL, SEQUENTIAL, HYBRID = "parallel_debate", "sequential", "hybrid"
LEAST_SEATS = 2
STAGE_2 = {SEQUENTIAL: Stage(2, 1, 3), HYBRID: Stage(2, 1, 2, premium_only=True)}
DEFAULT_ROUNDS = 2


@dataclass(frozen=True, slots=True)
class AnalystVote:
    """One analyst's design, or why there is none; `analyst` is the name people see."""

    analyst: str
    design: Design | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """The merged design; `synthesis` None leaves the writer to the order of 2.2#19."""

    workflow: str
    seats: tuple[DesignedSeat, ...]
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
    if len(seats) < LEAST_SEATS:
        return None
    synthesis = _writer(designs, rules, seats)
    return Decision(
        workflow=workflow,
        seats=seats,
        rounds=_rounds(designs, rules.max_rounds),
        synthesis=synthesis,
        proposition=next(filter(None, (as_proposition(d.proposition) for d in designs)), None),
        line=decision_line(workflow, seats, synthesis or SeatingText.DEFAULT_WRITER),
        summary=votes_summary(votes),
        notes=(*notes, *rules.faults(_models_named(designs))),
    )


def decision_line(workflow: str, seats: Sequence[DesignedSeat], synthesis: str) -> str:
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
    stages = [_models(recommended(design, stage)) for stage in (1, 2)]
    writer = shown_model(design.synthesis_model) if design.synthesis_model else ""
    taken = [names for names in stages if names]
    return SeatingText.vote(design.workflow or "", taken, design.rounds, writer)


def _models(seats: Sequence[Seat]) -> str:
    return ", ".join(shown_model(seat.model) for seat in seats)


def _panel(
    designs: Sequence[Design], rules: SeatingRules
) -> tuple[str, tuple[DesignedSeat, ...], tuple[str, ...]]:
    """Workflow, seats and notes; without a second stage there is only the parallel debate."""
    workflow, note = _workflow(designs)
    first = fill_stage(designs, Stage(1, LEAST_SEATS, rules.max_seats), rules)
    if workflow == PARALLEL or len(first) < LEAST_SEATS:
        return workflow, first, note
    second = fill_stage(designs, STAGE_2[workflow], rules, [seat.role for seat in first])
    if second:
        return workflow, first + second, note
    return PARALLEL, first, (*note, SeatingText.no_second_stage(workflow))


def _workflow(designs: Sequence[Design]) -> tuple[str, tuple[str, ...]]:
    """The workflow most analysts recommend; a tie gives hybrid (E41)."""
    counts = Counter(d.workflow for d in designs if d.workflow in (PARALLEL, *STAGE_2))
    most = max(counts.values(), default=0)
    leading = [name for name, votes in counts.items() if name and votes == most]
    if len(leading) > 1:
        return HYBRID, (SeatingText.tied(sorted(leading)),)
    if leading:
        return leading[0], ()
    return PARALLEL, (SeatingText.NO_WORKFLOW,)


def _rounds(designs: Sequence[Design], most: int) -> int:
    named = [design.rounds for design in designs if design.rounds is not None]
    return max(1, min(most, median_up(named) if named else DEFAULT_ROUNDS))


def _writer(
    designs: Sequence[Design], rules: SeatingRules, seats: Sequence[DesignedSeat]
) -> str | None:
    """The most-recommended premium model that does not sit on the panel (E46)."""
    seated = {seat.model for seat in seats}
    named = (rules.seatable(d.synthesis_model) for d in designs if d.synthesis_model)
    fit = [key for key in named if key is not None and key in rules.premium - seated]
    return next(iter(ranked(fit)), None)


def _models_named(designs: Sequence[Design]) -> Iterator[str]:
    for design in designs:
        yield from (seat.model for seat in design.stages)
        if design.synthesis_model:
            yield design.synthesis_model
