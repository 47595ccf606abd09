"""The store has the last word: the phase is a column, and no event is forged past the rights."""

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from bot.store import EventType, NotPermittedError, Phase, Store, move
from bot.store.log import events
from bot.store.repositories.runs import Run, RunRepository
from bot.store.vocabulary import Actor
from tests.store.conftest import sql

ORCHESTRATOR, EXECUTOR, HUMAN = Actor.ORCHESTRATOR, Actor.EXECUTOR, Actor.HUMAN
SPEC, QUALITY, APPROVER = Actor.SPEC_REVIEWER, Actor.QUALITY_REVIEWER, Actor.APPROVER
WORKERS = {ORCHESTRATOR, EXECUTOR, SPEC, QUALITY, APPROVER}

MAY_WRITE: dict[tuple[EventType, str], set[Actor]] = {
    (EventType.TASK_CREATED, "run2"): {ORCHESTRATOR},
    (EventType.SPEC_RECORDED, "spec"): {ORCHESTRATOR},
    (EventType.TASK_TRANSITIONED, "completed#1"): {ORCHESTRATOR},
    (EventType.ATTEMPT_STARTED, "1"): {ORCHESTRATOR},
    (EventType.ATTEMPT_FINISHED, "1"): {ORCHESTRATOR},
    (EventType.ATTEMPT_RETRY_SCHEDULED, "1"): {ORCHESTRATOR},
    (EventType.CIRCUIT_OPENED, "circuit_open#1"): {ORCHESTRATOR},
    (EventType.ATTEMPT_CHECKPOINT, "answer:r1:a"): WORKERS,
    (EventType.ARTIFACT_RECORDED, "1:other:x"): WORKERS,
    (EventType.REVIEW_APPENDED, "1:spec:a"): {SPEC},
    (EventType.REVIEW_APPENDED, "1:quality:a"): {QUALITY},
    (EventType.APPROVAL_REQUESTED, "k"): {ORCHESTRATOR, APPROVER},
    (EventType.APPROVAL_RESOLVED, "k"): {ORCHESTRATOR, APPROVER, HUMAN},
}


@pytest.mark.parametrize(
    ("type_", "key"), MAY_WRITE, ids=lambda value: str(getattr(value, "value", value))
)
async def test_no_event_can_be_forged_past_the_table_of_rights(
    store: Store, run: Run, type_: EventType, key: str
) -> None:
    """B5 B7 B40 B43 B49, 3.3: what a repository refuses, the log refuses as well."""

    def attempt(conn: Connection) -> set[Actor]:
        granted = set()
        for actor in Actor:
            try:
                events.append(conn, run.id, type_, key, actor, {}, 1.0)
            except NotPermittedError:
                continue
            granted.add(actor)
        return granted

    assert await store.write(attempt) == MAY_WRITE[type_, key]


async def test_the_phase_lives_in_the_database_and_is_what_everybody_goes_by(
    store: Store, run: Run
) -> None:
    """B2 B3 B46: whoever holds an older run object follows the row, not what it remembers."""
    await store.write(sql("UPDATE runs SET phase = 'executing'"))
    assert (
        await store.read(lambda conn: RunRepository(conn).require(run.id))
    ).phase is Phase.EXECUTING
    reason, now = "the draft is stored", 2.0
    moved = await store.write(
        lambda conn: move(conn, run.id, Phase.EXECUTING, Phase.SPEC_GATE, ORCHESTRATOR, reason, now)
    )
    assert (moved.phase, run.phase) == (Phase.SPEC_GATE, Phase.SPEC_DRAFT)


async def test_the_database_takes_no_phase_that_is_not_one(store: Store, run: Run) -> None:
    """B3 B13."""
    with pytest.raises(IntegrityError):
        await store.write(sql("UPDATE runs SET phase = 'retrying' WHERE id = ?", run.id))
