"""Phases move along the allowed lines only, by the orchestrator only, and leave a trace."""

import itertools

import pytest
from sqlalchemy import Connection

from bot.store import (
    TERMINAL,
    DuplicateRunError,
    EventType,
    ForbiddenTransitionError,
    MissingRowError,
    NotPermittedError,
    Phase,
    StalePhaseError,
    Status,
    Store,
    move,
)
from bot.store.log import events
from bot.store.repositories.phases import allowed
from bot.store.repositories.runs import Run, RunRepository
from bot.store.vocabulary import Actor
from bot.types.mode import Mode
from tests.store.conftest import Clock, in_mode, request_for, sql, start_run

MAIN_LINE = (
    Phase.SPEC_DRAFT,
    Phase.SPEC_REVIEW,
    Phase.EXECUTION_READY,
    Phase.EXECUTING,
    Phase.SPEC_GATE,
    Phase.QUALITY_GATE,
    Phase.AWAITING_APPROVAL,
    Phase.READY_TO_RESUME,
    Phase.COMPLETED,
)
BRANCHES = {
    (Phase.SPEC_REVIEW, Phase.SPEC_DRAFT),
    (Phase.EXECUTING, Phase.CIRCUIT_OPEN),
    (Phase.SPEC_GATE, Phase.EXECUTION_READY),
    (Phase.SPEC_GATE, Phase.CIRCUIT_OPEN),
    (Phase.QUALITY_GATE, Phase.EXECUTION_READY),
    (Phase.QUALITY_GATE, Phase.COMPLETED),
    (Phase.AWAITING_APPROVAL, Phase.EXECUTION_READY),
    (Phase.FAILED, Phase.EXECUTION_READY),
    (Phase.CIRCUIT_OPEN, Phase.EXECUTION_READY),
    # A build without an accepted spec is retried from its draft.
    (Phase.FAILED, Phase.SPEC_DRAFT),
    (Phase.CIRCUIT_OPEN, Phase.SPEC_DRAFT),
}
FAILURES = {(phase, Phase.FAILED) for phase in set(Phase) - TERMINAL}
ALLOWED = set(itertools.pairwise(MAIN_LINE)) | BRANCHES | FAILURES
EVERY_PAIR = list(itertools.product(Phase, Phase))


async def step(
    store: Store, run: Run, to: Phase, actor: Actor = Actor.ORCHESTRATOR, reason: str = "why"
) -> Run:
    def work(conn: Connection) -> Run:
        now = RunRepository(conn).require(run.id).phase
        return move(conn, run.id, now, to, actor, reason, store.now())

    return await store.write(work)


def set_phase(conn: Connection, run: Run, phase: Phase) -> None:
    """Put a run into a phase behind the store's back."""
    finished = 1.0 if phase in TERMINAL else None
    sql("UPDATE runs SET phase = ?, finished_at = ? WHERE id = ?", phase.value, finished, run.id)(
        conn
    )


async def put(store: Store, run: Run, phase: Phase) -> None:
    await store.write(lambda conn: set_phase(conn, run, phase))


def test_there_are_eleven_phases() -> None:
    """B3 B13: under the names that databases hold."""
    names = (
        *("spec_draft", "spec_review", "execution_ready", "executing", "spec_gate"),
        *("quality_gate", "awaiting_approval", "ready_to_resume"),
        *("completed", "failed", "circuit_open"),
    )
    assert [phase.value for phase in Phase] == list(names)


def test_exactly_the_documented_moves_are_allowed() -> None:
    """B15, B16, B21, B22, 2.2#31, 2.3."""
    assert {(a, b) for a, b in EVERY_PAIR if b in allowed(a)} == ALLOWED


def refused_everywhere(
    conn: Connection,
    run: Run,
    moves: set[tuple[Phase, Phase]],
    actor: Actor,
    refusal: type[Exception],
) -> None:
    """Try each move from its own phase and see that the phase stays."""
    for before, after in sorted(moves):
        set_phase(conn, run, before)
        with pytest.raises(refusal):
            move(conn, run.id, before, after, actor, "why", 1.0)
        assert RunRepository(conn).require(run.id).phase is before


async def test_every_other_move_is_refused_and_leaves_no_trace(store: Store, run: Run) -> None:
    """B14, B15, B16."""
    others = set(EVERY_PAIR) - ALLOWED
    await store.write(
        lambda conn: refused_everywhere(
            conn, run, others, Actor.ORCHESTRATOR, ForbiddenTransitionError
        )
    )
    assert await transitions(store, run) == []


@pytest.mark.parametrize("actor", sorted(set(Actor) - {Actor.ORCHESTRATOR}))
async def test_nobody_but_the_orchestrator_moves_a_phase(
    store: Store, run: Run, actor: Actor
) -> None:
    """B5, B6, B40, B43, B49."""
    await store.write(lambda conn: refused_everywhere(conn, run, ALLOWED, actor, NotPermittedError))
    assert await transitions(store, run) == []


async def transitions(store: Store, run: Run) -> list[str]:
    kind = EventType.TASK_TRANSITIONED
    return [event.key for event in await store.read(lambda c: events.history(c, run.id, kind))]


async def test_the_main_line_is_logged_step_by_step(store: Store, run: Run) -> None:
    """B4, B14, B15."""
    for phase in MAIN_LINE[1:]:
        run = await step(store, run, phase)
    assert await transitions(store, run) == [f"{phase}#1" for phase in MAIN_LINE[1:]]
    assert (run.phase, run.status) == (Phase.COMPLETED, Status.CONCLUDED)


async def test_a_transition_says_from_where_and_why(store: Store, run: Run) -> None:
    await step(store, run, Phase.SPEC_REVIEW, reason="topic accepted")
    payload = await store.read(
        lambda conn: events.find(conn, run.id, EventType.TASK_TRANSITIONED, "spec_review#1")
    )
    assert payload == {"from": "spec_draft", "to": "spec_review", "reason": "topic accepted"}


async def test_the_second_visit_of_a_phase_gets_the_next_number(store: Store, run: Run) -> None:
    for phase in (Phase.SPEC_REVIEW, Phase.SPEC_DRAFT, Phase.SPEC_REVIEW):
        await step(store, run, phase)
    assert await transitions(store, run) == ["spec_review#1", "spec_draft#1", "spec_review#2"]


async def test_a_stale_caller_is_refused_and_told_the_real_phase(store: Store, run: Run) -> None:
    await step(store, run, Phase.SPEC_REVIEW)
    with pytest.raises(StalePhaseError) as refused:
        await store.write(
            lambda c: move(
                c, run.id, Phase.SPEC_DRAFT, Phase.SPEC_REVIEW, Actor.ORCHESTRATOR, "late", 1.0
            )
        )
    assert refused.value.actual is Phase.SPEC_REVIEW
    assert await transitions(store, run) == ["spec_review#1"]


async def test_a_run_that_does_not_exist_cannot_move(store: Store) -> None:
    with pytest.raises(MissingRowError):
        await store.write(
            lambda c: move(
                c, "rt_0", Phase.SPEC_DRAFT, Phase.SPEC_REVIEW, Actor.ORCHESTRATOR, "", 1.0
            )
        )


@pytest.mark.parametrize("terminal", sorted(TERMINAL))
async def test_a_terminal_phase_finishes_the_run(
    store: Store, run: Run, clock: Clock, terminal: Phase
) -> None:
    before = next(a for a, b in sorted(ALLOWED) if b is terminal)
    await put(store, run, before)
    clock.now = 2_000.0
    assert (await step(store, run, terminal)).finished_at == 2_000.0


@pytest.mark.parametrize("terminal", [Phase.FAILED, Phase.CIRCUIT_OPEN])
async def test_a_retry_opens_the_run_again(store: Store, run: Run, terminal: Phase) -> None:
    """2.2#21, 2.2#29."""
    await put(store, run, terminal)
    assert (await store.read(lambda c: RunRepository(c).require(run.id))).status is Status.CANCELLED
    reopened = await step(store, run, Phase.EXECUTION_READY)
    assert (reopened.finished_at, reopened.status) == (None, Status.ACTIVE)


async def test_a_retry_yields_to_a_newer_open_run_on_the_topic(store: Store, run: Run) -> None:
    """2.2#13."""
    await step(store, run, Phase.FAILED)
    newer = await start_run(store)
    with pytest.raises(DuplicateRunError) as refused:
        await step(store, run, Phase.EXECUTION_READY)
    assert refused.value.existing_id == newer.id


async def test_opening_the_circuit_is_an_event_of_its_own(store: Store, run: Run) -> None:
    """B28."""
    await put(store, run, Phase.EXECUTING)
    await step(store, run, Phase.CIRCUIT_OPEN, reason="four attempts failed")
    opened = await store.read(lambda c: events.history(c, run.id, EventType.CIRCUIT_OPENED))
    assert [event.payload for event in opened] == [{"reason": "four attempts failed"}]


async def test_runs_move_independently(store: Store, run: Run) -> None:
    other = await start_run(store, in_mode(request_for(), Mode.VOTE))
    await step(store, run, Phase.SPEC_REVIEW)
    assert (
        await store.read(lambda c: RunRepository(c).require(other.id))
    ).phase is Phase.SPEC_DRAFT
