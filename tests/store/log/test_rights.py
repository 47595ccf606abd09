"""The store refuses every write the table of rights does not grant (3.3)."""

from collections.abc import Callable

import pytest
from sqlalchemy import Connection

from bot.store import (
    ApprovalStatus,
    ArtifactKind,
    AttemptStatus,
    EventType,
    NotPermittedError,
    Phase,
    ReviewType,
    SideEffect,
    Store,
    Verdict,
    move,
)
from bot.store.log import events
from bot.store.repositories.approvals import ApprovalRepository, NewApproval
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.reviews import NewReview, ReviewRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.vocabulary import Actor
from tests.store.conftest import request_for, sql

Deed = Callable[[Connection, Run, Actor], object]


def start_attempt(conn: Connection, run: Run, actor: Actor) -> object:
    return AttemptRepository(conn).start(run.id, "local", actor, 1.0)


def finish_attempt(conn: Connection, run: Run, actor: Actor) -> object:
    return AttemptRepository(conn).finish(run.id, 1, AttemptStatus.SUCCEEDED, "", actor, 1.0)


def schedule_retry(conn: Connection, run: Run, actor: Actor) -> object:
    return AttemptRepository(conn).schedule_retry(run.id, 1, "no answers", 6.0, actor, 1.0)


def checkpoint(conn: Connection, run: Run, actor: Actor) -> object:
    return AttemptRepository(conn).checkpoint(run.id, "r1:analyst", {}, actor, 1.0)


def artifact(conn: Connection, run: Run, actor: Actor) -> object:
    kind = ArtifactKind.PRIMARY_OUTPUT
    return ArtifactRepository(conn).record(run.id, 1, kind, "synthesis", "text", actor, 1.0)


def spec_review(conn: Connection, run: Run, actor: Actor) -> object:
    review = NewReview(run.id, 1, ReviewType.SPEC, "r", Verdict.APPROVED, "")
    return ReviewRepository(conn).append(review, actor, 1.0)


def quality_review(conn: Connection, run: Run, actor: Actor) -> object:
    review = NewReview(run.id, 1, ReviewType.QUALITY, "r", Verdict.APPROVED, "")
    return ReviewRepository(conn).append(review, actor, 1.0)


def request_approval(conn: Connection, run: Run, actor: Actor) -> object:
    wanted = NewApproval(run.id, "post it", SideEffect.NOTIFY, "k1", "council")
    return ApprovalRepository(conn).request(wanted, actor, 1.0)


def resolve_approval(conn: Connection, run: Run, actor: Actor) -> object:
    wanted = NewApproval(run.id, "post", SideEffect.NOTIFY, "k2", "council")
    asked = ApprovalRepository(conn).request(wanted, Actor.ORCHESTRATOR, 1.0)
    return ApprovalRepository(conn).resolve(
        asked.id, ApprovalStatus.APPROVED, "Ada", "", actor, 1.0
    )


def open_circuit(conn: Connection, run: Run, actor: Actor) -> object:
    return move(conn, run.id, Phase.EXECUTING, Phase.CIRCUIT_OPEN, actor, "", 1.0)


def forge_a_transition(conn: Connection, run: Run, actor: Actor) -> object:
    kind = EventType.TASK_TRANSITIONED
    return events.append(conn, run.id, kind, "completed#1", actor, {}, 1.0)


def forge_a_circuit(conn: Connection, run: Run, actor: Actor) -> object:
    kind = EventType.CIRCUIT_OPENED
    return events.append(conn, run.id, kind, "circuit_open#1", actor, {}, 1.0)


def create_run(conn: Connection, run: Run, actor: Actor) -> object:
    return RunRepository(conn).insert(request_for("another topic"), actor, 1.0)


ORCHESTRATOR, EXECUTOR, HUMAN = Actor.ORCHESTRATOR, Actor.EXECUTOR, Actor.HUMAN
SPEC, QUALITY, APPROVER = Actor.SPEC_REVIEWER, Actor.QUALITY_REVIEWER, Actor.APPROVER

GRANTED: dict[Deed, set[Actor]] = {
    create_run: {ORCHESTRATOR},
    start_attempt: {ORCHESTRATOR},
    finish_attempt: {ORCHESTRATOR},
    schedule_retry: {ORCHESTRATOR},
    checkpoint: {ORCHESTRATOR, EXECUTOR, SPEC, QUALITY, APPROVER},
    artifact: {ORCHESTRATOR, EXECUTOR, SPEC, QUALITY, APPROVER},
    spec_review: {SPEC},
    quality_review: {QUALITY},
    request_approval: {ORCHESTRATOR, APPROVER},
    resolve_approval: {ORCHESTRATOR, APPROVER, HUMAN},
    open_circuit: {ORCHESTRATOR},
    forge_a_transition: {ORCHESTRATOR},
    forge_a_circuit: {ORCHESTRATOR},
}


class Undo(Exception):  # noqa: N818
    """Takes a granted write back, so that every actor finds the same store."""


@pytest.mark.parametrize("deed", GRANTED, ids=lambda deed: str(deed.__name__))
async def test_a_write_is_granted_to_exactly_its_actors(store: Store, run: Run, deed: Deed) -> None:
    """B5, B6, B32, B40, B43, B49 and the mandatory rejections of 3.3."""
    await store.write(sql("UPDATE runs SET phase = 'executing'"))
    granted = {actor for actor in Actor if await is_granted(store, run, deed, actor)}
    assert granted == GRANTED[deed]


async def is_granted(store: Store, run: Run, deed: Deed, actor: Actor) -> bool:
    def attempted(conn: Connection) -> None:
        deed(conn, run, actor)
        raise Undo

    with pytest.raises((Undo, NotPermittedError)) as outcome:
        await store.write(attempted)
    return outcome.type is Undo


async def test_verdicts_alone_never_move_a_phase(store: Store, run: Run) -> None:
    """B5, B48."""
    await store.write(lambda conn: spec_review(conn, run, SPEC))
    await store.write(lambda conn: quality_review(conn, run, QUALITY))
    await store.write(lambda conn: resolve_approval(conn, run, HUMAN))
    after = await store.read(lambda conn: RunRepository(conn).require(run.id))
    assert (after.phase, after.finished_at) == (Phase.SPEC_DRAFT, None)
