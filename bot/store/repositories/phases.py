"""Which phase may follow which, and the one function that moves a run (B13-B16, 2.3)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from sqlalchemy import Connection, RowMapping, bindparam, update
from sqlalchemy.exc import IntegrityError

from bot.store.errors import (
    DuplicateRunError,
    ForbiddenTransitionError,
    MissingRowError,
    StalePhaseError,
)
from bot.store.log import events
from bot.store.log.events import EventType, Right, require
from bot.store.repositories import budgets
from bot.store.repositories.budgets import BudgetRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.specs import SpecRepository
from bot.store.tables import runs as run_table
from bot.store.vocabulary import Actor, Phase
from bot.types.mode import Mode

TERMINAL: Final = frozenset({Phase.COMPLETED, Phase.FAILED, Phase.CIRCUIT_OPEN})
WAITING_FOR_PEOPLE: Final = frozenset({Phase.AWAITING_APPROVAL, Phase.READY_TO_RESUME})

_FORWARD: Final[Mapping[Phase, frozenset[Phase]]] = MappingProxyType(
    {
        Phase.SPEC_DRAFT: frozenset({Phase.SPEC_REVIEW}),
        Phase.SPEC_REVIEW: frozenset({Phase.SPEC_DRAFT, Phase.EXECUTION_READY}),
        Phase.EXECUTION_READY: frozenset({Phase.EXECUTING}),
        Phase.EXECUTING: frozenset({Phase.SPEC_GATE, Phase.CIRCUIT_OPEN}),
        Phase.SPEC_GATE: frozenset({Phase.QUALITY_GATE, Phase.EXECUTION_READY, Phase.CIRCUIT_OPEN}),
        Phase.QUALITY_GATE: frozenset(
            {Phase.COMPLETED, Phase.EXECUTION_READY, Phase.AWAITING_APPROVAL}
        ),
        Phase.AWAITING_APPROVAL: frozenset({Phase.READY_TO_RESUME, Phase.EXECUTION_READY}),
        Phase.READY_TO_RESUME: frozenset({Phase.COMPLETED}),
        Phase.COMPLETED: frozenset(),
        Phase.FAILED: frozenset({Phase.EXECUTION_READY, Phase.SPEC_DRAFT}),
        Phase.CIRCUIT_OPEN: frozenset({Phase.EXECUTION_READY, Phase.SPEC_DRAFT}),
    }
)
_MOVE = (
    update(run_table)
    .where(run_table.c.id == bindparam("run"), run_table.c.phase == bindparam("expected"))
    .returning(run_table)
)


def allowed(from_phase: Phase) -> frozenset[Phase]:
    """The phases that may follow; every unfinished run may fail."""
    following = _FORWARD[from_phase]
    return following if from_phase in TERMINAL else following | {Phase.FAILED}


def move(
    conn: Connection,
    run_id: str,
    from_phase: Phase,
    to_phase: Phase,
    actor: Actor,
    reason: str,
    now: float,
) -> Run:
    """Move a run by compare-and-set and log it; only the orchestrator may (B6).

    `reason` is our own wording, never a person's: it goes into the log.
    """
    require(actor, Right.TRANSITION)
    if to_phase not in allowed(from_phase):
        raise ForbiddenTransitionError(f"no run may move from {from_phase} to {to_phase}")
    run = _compare_and_set(conn, run_id, from_phase, to_phase, reason, now)
    if to_phase is Phase.EXECUTION_READY:
        _require_spec(conn, run)
    number = events.next_number(conn, run_id, EventType.TASK_TRANSITIONED, to_phase)
    key = f"{to_phase}#{number}"
    payload = {"from": from_phase, "to": to_phase, "reason": reason}
    events.append(conn, run_id, EventType.TASK_TRANSITIONED, key, actor, payload, now)
    if to_phase in TERMINAL or to_phase is Phase.AWAITING_APPROVAL:
        # A run that waits for a person reserves nothing of the daily budget meanwhile.
        BudgetRepository(conn).close(run_id, budgets.RUN, now)
    if to_phase is Phase.CIRCUIT_OPEN:
        events.append(conn, run_id, EventType.CIRCUIT_OPENED, key, actor, {"reason": reason}, now)
    return run


def _require_spec(conn: Connection, run: Run) -> None:
    """Raise unless the spec was accepted before the build (B10)."""
    if run.mode is Mode.BUILD and not SpecRepository(conn).is_accepted(run.id):
        raise ForbiddenTransitionError(f"{run.id} has no accepted spec to build from")


def _compare_and_set(
    conn: Connection, run_id: str, from_phase: Phase, to_phase: Phase, reason: str, now: float
) -> Run:
    change = {
        "run": run_id,
        "expected": from_phase,
        "phase": to_phase,
        "status_reason": reason,
        "updated_at": now,
        "finished_at": now if to_phase in TERMINAL else None,
    }
    reopens = from_phase in TERMINAL
    moved = _reopen(conn, run_id, change) if reopens else _moved(conn, change)
    if moved is None:
        raise _stale(conn, run_id, from_phase)
    return Run(**moved)


def _moved(conn: Connection, change: Mapping[str, object]) -> RowMapping | None:
    return conn.execute(_MOVE, change).mappings().first()


def _reopen(conn: Connection, run_id: str, change: Mapping[str, object]) -> RowMapping | None:
    try:
        with conn.begin_nested():
            return _moved(conn, change)
    except IntegrityError as error:
        raise _duplicate(conn, run_id, error) from error


def _duplicate(conn: Connection, run_id: str, error: IntegrityError) -> Exception:
    """Reopening a finished run can collide with a newer open run on the same topic."""
    newer = RunRepository(conn).find_open_duplicate(RunRepository(conn).require(run_id).topic_place)
    return error if newer is None else DuplicateRunError(newer.id)


def _stale(conn: Connection, run_id: str, expected: Phase) -> Exception:
    run = RunRepository(conn).get(run_id)
    if run is None:
        return MissingRowError(f"there is no run {run_id}")
    return StalePhaseError(run_id, expected, run.phase)
