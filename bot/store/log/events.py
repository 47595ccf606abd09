"""The event log, written once per key, and which actor may write what."""

import enum
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Integer, Text, bindparam, func, select

from bot.store.errors import NotPermittedError
from bot.store.rows import insert_all, insert_new
from bot.store.tables import events
from bot.store.vocabulary import Actor, ReviewType

_OF_RUN = events.c.run_id == bindparam("run_id")
_OF_TYPE = events.c.type == bindparam("type")
_PAYLOAD = select(events.c.payload).where(_OF_RUN, _OF_TYPE, events.c.key == bindparam("key"))
_KEY_PREFIX = func.substr(events.c.key, 1, bindparam("length", type_=Integer))
_NUMBERED = select(func.count().label("number")).where(
    _OF_RUN, _OF_TYPE, bindparam("prefix", type_=Text) == _KEY_PREFIX
)
_KEY: Final = ("run_id", "type", "key")


class Right(enum.StrEnum):
    """A write that only some actors may make."""

    CREATE_RUN = "create a run"
    START_ATTEMPT = "start or finish an attempt"
    CHECKPOINT = "record a checkpoint"
    ARTIFACT = "record an artifact"
    REVIEW_SPEC = "append a spec review"
    REVIEW_QUALITY = "append a quality review"
    REQUEST_APPROVAL = "request an approval"
    RESOLVE_APPROVAL = "resolve an approval"
    TRANSITION = "move the phase"
    OPEN_CIRCUIT = "open the circuit"


_RIGHTS: Final[Mapping[Actor, frozenset[Right]]] = MappingProxyType(
    {
        Actor.ORCHESTRATOR: frozenset(Right) - {Right.REVIEW_SPEC, Right.REVIEW_QUALITY},
        Actor.EXECUTOR: frozenset({Right.CHECKPOINT, Right.ARTIFACT}),
        Actor.SPEC_REVIEWER: frozenset({Right.CHECKPOINT, Right.ARTIFACT, Right.REVIEW_SPEC}),
        Actor.QUALITY_REVIEWER: frozenset({Right.CHECKPOINT, Right.ARTIFACT, Right.REVIEW_QUALITY}),
        Actor.APPROVER: frozenset(
            {Right.CHECKPOINT, Right.ARTIFACT, Right.REQUEST_APPROVAL, Right.RESOLVE_APPROVAL}
        ),
        Actor.HUMAN: frozenset({Right.RESOLVE_APPROVAL}),
    }
)


def _may(actor: Actor, right: Right) -> bool:
    """Whether the actor has the right."""
    return right in _RIGHTS[actor]


def require(actor: Actor, right: Right) -> None:
    """Raise if the actor lacks the right."""
    if not _may(actor, right):
        raise NotPermittedError(f"the {actor} may not {right}")


class EventType(enum.StrEnum):
    """Every kind of event; the comment above each says when it is written."""

    # The run's row was created from a request.
    TASK_CREATED = "task.created"
    # The phase moved; key `<phase>#<n>`.
    TASK_TRANSITIONED = "task.transitioned"
    # The task and its acceptance criteria were written down (B11); key `accepted` for a build.
    SPEC_RECORDED = "spec.recorded"
    # A version of a build's spec was written; key `v<n>`.
    SPEC_DRAFTED = "spec.drafted"
    # A version was checked and shown to the starter for a decision; key `v<n>`.
    SPEC_SHOWN = "spec.shown"
    # A version was replaced, because changes were asked for or it was edited; key `v<n>`.
    SPEC_REPLACED = "spec.replaced"
    # An execution of the workflow began; key is its ordinal.
    ATTEMPT_STARTED = "attempt.started"
    # An execution of the workflow ended; key is its ordinal.
    ATTEMPT_FINISHED = "attempt.finished"
    # A failed attempt will be tried again, with the reason; key is its ordinal (2.2#30).
    ATTEMPT_RETRY_SCHEDULED = "attempt.retry_scheduled"
    # Progress inside an attempt, from which a restart can continue.
    ATTEMPT_CHECKPOINT = "attempt.checkpoint"
    # An artifact's row was written.
    ARTIFACT_RECORDED = "artifact.recorded"
    # A reviewer's row was written.
    REVIEW_APPENDED = "review.appended"
    # A person was asked to allow a side effect; key is the idempotency key.
    APPROVAL_REQUESTED = "approval.requested"
    # A person decided about a side effect; key is the idempotency key.
    APPROVAL_RESOLVED = "approval.resolved"
    # A side effect took place; key is the idempotency key, so it never takes place again.
    EFFECT_DONE = "effect.done"
    # A granted side effect could not be carried out; key is the idempotency key.
    EFFECT_FAILED = "effect.failed"
    # Automatic retries stopped.
    CIRCUIT_OPENED = "circuit.opened"
    # Panel, models, prompt versions and shuffle seed were frozen.
    RUN_DESIGNED = "run.designed"
    # The anchor and the thread exist.
    PLACE_OPENED = "place.opened"
    # The anchor or the thread is gone and the run continues elsewhere; key is the place's number.
    PLACE_LOST = "place.lost"
    # A search ended, with or without results.
    SEARCH_DONE = "search.done"
    # A model call ended with an answer, or finally failed.
    CALL_DONE = "call.done"
    # An answer came after its deadline or after a stop; stored and not used; key as in call.done.
    CALL_LATE = "call.late"
    # A round's measures were computed.
    ROUND_CLOSED = "round.closed"
    # A part of a post is visible; key `<post key>#<part>`.
    POST_SENT = "post.sent"
    # A file was written outside the database.
    EXPORT_WRITTEN = "export.written"
    # A notice to people about the run, such as a degraded panel.
    RUN_NOTICE = "run.notice"
    # A person's message to panelists was received; key is its id.
    FOLLOWUP_HEARD = "followup.heard"
    # A person's message to panelists was answered or given up; key is its id.
    FOLLOWUP_CLOSED = "followup.closed"
    # A panelist answered in the thread and its session holds it; key is the post's.
    TURN_TAKEN = "turn.taken"
    # A discussion's round got its findings; key is the round.
    FINDINGS_RECORDED = "findings.recorded"
    # A speech was recorded; key is its number.
    SPEECH_RECORDED = "speech.recorded"
    # The starter was asked to agree to the price; key is the stage, `request` or `design`.
    CONSENT_ASKED = "consent.asked"
    # The starter agreed to the price or refused; same key.
    CONSENT_GIVEN = "consent.given"
    # People may vote; key is `before` or `after`, the payload of `after` says until when.
    BALLOT_OPENED = "ballot.opened"
    # People's votes were counted, without names, and erased; key as above.
    BALLOT_CLOSED = "ballot.closed"
    # The result of both ballots was posted, or there is nowhere left to post it.
    BALLOT_TOLD = "ballot.told"
    # The names and models of a masked panel may be shown from now on.
    MASK_LIFTED = "mask.lifted"
    # Somebody chose when to look at the decision again, or not to; key `look#<n>`.
    DECISION_SCHEDULED = "decision.scheduled"
    # The thread was asked what became of the decision; key `asked#<n>`.
    DECISION_ASKED = "decision.asked"
    # Somebody said what happened; key `answer#<n>`, the last one holds.
    DECISION_RESOLVED = "decision.resolved"
    # Another run looked at the decision again and concluded; key is that run.
    DECISION_SUPERSEDED = "decision.superseded"
    # Somebody asked the run to stop.
    STOP_REQUESTED = "stop.requested"
    # A person asked for the conclusion before all rounds were held; key `conclude#<n>`.
    CONCLUDE_REQUESTED = "conclude.requested"


_RESERVED: Final[Mapping[EventType, Right]] = MappingProxyType(
    {
        EventType.TASK_CREATED: Right.CREATE_RUN,
        EventType.TASK_TRANSITIONED: Right.TRANSITION,
        EventType.SPEC_RECORDED: Right.CREATE_RUN,
        EventType.SPEC_DRAFTED: Right.CREATE_RUN,
        EventType.SPEC_SHOWN: Right.CREATE_RUN,
        EventType.SPEC_REPLACED: Right.CREATE_RUN,
        EventType.ATTEMPT_STARTED: Right.START_ATTEMPT,
        EventType.ATTEMPT_FINISHED: Right.START_ATTEMPT,
        EventType.ATTEMPT_RETRY_SCHEDULED: Right.START_ATTEMPT,
        EventType.ATTEMPT_CHECKPOINT: Right.CHECKPOINT,
        EventType.ARTIFACT_RECORDED: Right.ARTIFACT,
        EventType.APPROVAL_REQUESTED: Right.REQUEST_APPROVAL,
        EventType.APPROVAL_RESOLVED: Right.RESOLVE_APPROVAL,
        EventType.CIRCUIT_OPENED: Right.OPEN_CIRCUIT,
    }
)


class Event(NamedTuple):
    """One event of the log."""

    id: int
    run_id: str
    type: EventType
    key: str
    actor: Actor
    payload: dict[str, Any]
    created_at: float


class Draft(NamedTuple):
    """An event that is to be written."""

    type: EventType
    key: str
    actor: Actor
    payload: Mapping[str, Any]


def append(
    conn: Connection,
    run_id: str,
    type_: EventType,
    key: str,
    actor: Actor,
    payload: Mapping[str, Any],
    now: float,
) -> bool:
    """Write an event once; False when its key exists. Raises for actors without the right."""
    row = _row(run_id, Draft(type_, key, actor, payload), now)
    return insert_new(conn, events, row, *_KEY)


def append_all(conn: Connection, run_id: str, drafts: Sequence[Draft], now: float) -> bool:
    """Write events that belong together; False when they were written before.

    Raises for actors without the right.
    """
    rows = [_row(run_id, draft, now) for draft in drafts]
    return insert_all(conn, events, rows, *_KEY) == len(rows)


def find(conn: Connection, run_id: str, type_: EventType, key: str) -> dict[str, Any] | None:
    """The payload recorded under the key, or None."""
    wanted = {"run_id": run_id, "type": type_, "key": key}
    payload: dict[str, Any] | None = conn.execute(_PAYLOAD, wanted).scalar()
    return payload


def history(conn: Connection, run_id: str, type_: EventType | None = None) -> tuple[Event, ...]:
    """The run's events in the order they were written, all or of one type."""
    wanted = {"run_id": run_id, "type": type_}
    query = _HISTORY if type_ is None else _HISTORY.where(_OF_TYPE)
    rows = conn.execute(query, wanted)
    return tuple(Event(n, run, EventType(t), *rest) for n, run, t, *rest in rows)


def next_number(conn: Connection, run_id: str, type_: EventType, name: str) -> int:
    """The n of the next key `<name>#<n>`."""
    prefix = f"{name}#"
    wanted = {"run_id": run_id, "type": type_, "prefix": prefix, "length": len(prefix)}
    return int(conn.execute(_NUMBERED, wanted).scalar_one()) + 1


_IN_ORDER = tuple(events.c[name] for name in Event._fields)
_HISTORY = select(*_IN_ORDER).where(_OF_RUN).order_by(events.c.id)


def _row(run_id: str, draft: Draft, now: float) -> dict[str, Any]:
    _require_right(draft.type, draft.key, draft.actor)
    return {
        "run_id": run_id,
        "type": draft.type,
        "key": draft.key,
        "actor": draft.actor,
        "payload": draft.payload,
        "created_at": now,
    }


def _require_right(type_: EventType, key: str, actor: Actor) -> None:
    if type_ is EventType.REVIEW_APPENDED:
        quality = key.split(":")[1:2] == [ReviewType.QUALITY]
        require(actor, Right.REVIEW_QUALITY if quality else Right.REVIEW_SPEC)
    elif type_ in _RESERVED:
        require(actor, _RESERVED[type_])
