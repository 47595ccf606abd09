"""What failed during a run, in lines for people, from how its calls ended."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.measures.convergence import RoundsEnd
from bot.measures.degradation import Cause, Note, Substitution, substitution_notes
from bot.messages.attempts import SeatAnswerText
from bot.messages.meeting import RoundsText
from bot.record.record import SeatView, Spending
from bot.store import CallStatus
from bot.store.repositories.calls import Spent

if TYPE_CHECKING:
    from bot.record.transcript import CallOutcome


def spending_of(spent: Spent) -> Spending:
    """The sums over the run's calls."""
    return Spending(
        calls=spent.calls,
        tokens=spent.input_tokens + spent.output_tokens,
        known_usd=spent.known_usd,
        unpriced_calls=spent.unpriced_calls,
        cached_tokens=spent.cached_tokens,
    )


def budget_note(rounds: Iterable[Mapping[str, Any]], problems: Iterable[str]) -> str:
    """Why the conclusion rests on less than planned, for its first line; mostly nothing."""
    for closed in rounds:
        if closed.get("reason") == RoundsEnd.NO_MONEY:
            return RoundsText.budget_reached(str(closed["text"]))
    for problem in problems:
        if _is_over_budget(problem):
            obstacle = problem.partition(": ")[2]
            return RoundsText.budget_reached(RoundsText.not_everybody(obstacle))
    return ""


def _is_over_budget(problem: str) -> bool:
    """Whether a question was never asked for lack of money."""
    return problem.startswith(SeatAnswerText.OVER_BUDGET)


def degradation_notes(
    panel: Sequence[SeatView],
    outcomes: Mapping[str, "CallOutcome"],
    design: Mapping[str, Any],
    unanswered: Sequence[int] = (),
) -> tuple[str, ...]:
    """Every degradation, the weightiest first: what the conclusion does not rest on.

    `unanswered` are the rounds that ended without a single answer.
    """
    missing = [note for number in unanswered for note in _unanswered(number, outcomes)]
    if _is_unanswered("s2", outcomes):
        missing += _notes_of(panel, outcomes, design, lambda name: name == "s2")
    known = (*(note.text for note in missing), *design.get("degradations", ()))
    return tuple(dict.fromkeys((*known, *_call_notes(panel, outcomes, design, unanswered))))


def _call_notes(
    panel: Sequence[SeatView],
    outcomes: Mapping[str, "CallOutcome"],
    design: Mapping[str, Any],
    unanswered: Sequence[int] = (),
) -> tuple[str, ...]:
    """Degradations of the run itself; those known before it are frozen in the design.

    Who failed in a round that nobody answered was not left out: there was no round.
    """
    not_held = {f"r{number}" for number in unanswered}
    notes = _notes_of(panel, outcomes, design, lambda name: name not in not_held)
    orchestrator = outcomes.get("synthesis:orchestrator")
    if orchestrator is not None and orchestrator.answer is not None:
        failed = outcomes["synthesis"].model if "synthesis" in outcomes else ""
        notes.append(Note.orchestrator_wrote(failed, Cause.API_ERROR))
    return tuple(dict.fromkeys(note.text for note in notes if note.degraded))


def writer_notes(
    panel: Sequence[SeatView], outcomes: Mapping[str, "CallOutcome"], design: Mapping[str, Any]
) -> tuple[str, ...]:
    """The stronger profile of a third attempt may let a model write that also sat on the panel."""
    written = outcomes.get("synthesis")
    if written is None or written.answer is None or written.model in design.get("synthesis", ()):
        return ()
    sat = {seat.model for seat in panel} | {
        outcome.model for key, outcome in outcomes.items() if key.startswith("r") and outcome.answer
    }
    return (Note.writer_sat(written.model).text,) if written.model in sat else ()


def _unanswered(number: int, outcomes: Mapping[str, "CallOutcome"]) -> list[Note]:
    """The line for a round in which every seat failed; lack of money is reported elsewhere."""
    asked = [o for key, o in outcomes.items() if key.startswith(f"r{number}:")]
    if all(_is_over_budget(outcome.problem) for outcome in asked):
        return []
    timed_out = all(outcome.status is CallStatus.TIMEOUT for outcome in asked)
    return [Note.round_unanswered(number, number - 1, timed_out=timed_out)]


def _is_unanswered(name: str, outcomes: Mapping[str, "CallOutcome"]) -> bool:
    asked = [o for key, o in outcomes.items() if key.startswith(f"{name}:")]
    return bool(asked) and all(outcome.answer is None for outcome in asked)


def _notes_of(
    panel: Sequence[SeatView],
    outcomes: Mapping[str, "CallOutcome"],
    design: Mapping[str, Any],
    wanted: Callable[[str], bool],
) -> list[Note]:
    """Lines about the turns of the given rounds, seat by seat."""
    turns = _turns(outcomes)
    return [
        note
        for seat in panel
        for name, outcome in turns.get(seat.slug, ())
        if wanted(name)
        for note in _turn_notes(seat, panel, name, outcome, outcomes, design)
    ]


def _turns(outcomes: Mapping[str, "CallOutcome"]) -> Mapping[str, list[tuple[str, "CallOutcome"]]]:
    """How the questions of rounds and of stage 2 ended, by seat, each with the round's name."""
    found: dict[str, list[tuple[str, CallOutcome]]] = {}
    for key, outcome in outcomes.items():
        name, _, slug = key.partition(":")
        if name == "s2" or (name[:1] == "r" and name[1:].isdigit()):
            found.setdefault(slug, []).append((name, outcome))
    return found


def _turn_notes(
    seat: SeatView,
    panel: Sequence[SeatView],
    name: str,
    outcome: "CallOutcome",
    outcomes: Mapping[str, "CallOutcome"],
    design: Mapping[str, Any],
) -> list[Note]:
    if outcome.answer is None:
        return _failure(seat, panel, name, outcome, outcomes)
    if outcome.model != seat.model:
        return _substituted(seat, panel, outcome.model, design)
    return []


def _failure(
    seat: SeatView,
    panel: Sequence[SeatView],
    name: str,
    outcome: "CallOutcome",
    outcomes: Mapping[str, "CallOutcome"],
) -> list[Note]:
    if _is_over_budget(outcome.problem):
        return []
    if name == "s2":
        alive = [s for s in panel if (o := outcomes.get(f"s2:{s.slug}")) and o.answer is not None]
        return [Note.failed_in_stage_2(seat.role, seat.model, Cause.API_ERROR, len(alive))]
    if outcome.status is CallStatus.TIMEOUT:
        return []
    fallback = outcome.model if outcome.model != seat.model else None
    return [Note.skipped(seat.role, seat.model, fallback, Cause.API_ERROR)]


def _substituted(
    seat: SeatView, panel: Sequence[SeatView], model: str, design: Mapping[str, Any]
) -> list[Note]:
    family = design.get("models", {}).get(model, {}).get("family", "")
    change = Substitution(seat.role, seat.model, model, seat.family, family)
    others = {other.role: other.family for other in panel if other.slug != seat.slug}
    return list(substitution_notes(change, Cause.API_ERROR, others))
