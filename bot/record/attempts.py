"""Attempts of a run as stored: what failed, what comes next, and a person's wish to stop."""

import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import Connection

from bot.messages.attempts import AttemptText, StopText
from bot.store import AttemptStatus, EventType, Phase
from bot.store.log import events
from bot.store.log.events import Event
from bot.store.repositories.answers import AnswerRepository
from bot.store.repositories.attempts import Attempt, AttemptRepository
from bot.store.repositories.calls import CallRepository
from bot.store.repositories.runs import RunRepository
from bot.store.vocabulary import Actor
from bot.types.model_port import ErrorKind

PAUSES: Final = (5.0, 30.0)
"""Seconds before the second and before the third attempt."""
LAST_AUTOMATIC: Final = len(PAUSES) + 1
STRONGER_FROM: Final = 3
BEFORE_WORK: Final = (Phase.SPEC_DRAFT, Phase.SPEC_REVIEW)

_PASSING: Final = frozenset(
    {
        ErrorKind.RATE_LIMITED,
        ErrorKind.OVERLOADED,
        ErrorKind.NETWORK,
        ErrorKind.TIMEOUT,
        ErrorKind.BAD_OUTPUT,
    }
)
_DRAFT: Final = "draft"
RETRIED = "retried"


class NextStep(enum.Enum):
    """What a run does now."""

    GO_ON = enum.auto()
    WAIT = enum.auto()
    FAIL = enum.auto()
    OPEN_CIRCUIT = enum.auto()


@dataclass(frozen=True, slots=True)
class AttemptState:
    """The state of a run between its attempts; `due_at` is when the next one starts."""

    next: NextStep
    attempt: Attempt | None = None
    due_at: float = 0.0


def attempt_state(conn: Connection, run_id: str) -> AttemptState:
    """Read from the store what comes next for an unfinished run."""
    latest = AttemptRepository(conn).last(run_id)
    if RunRepository(conn).require(run_id).phase in BEFORE_WORK:
        return AttemptState(NextStep.GO_ON, latest)
    if latest is None or latest.status is not AttemptStatus.FAILED:
        return AttemptState(NextStep.GO_ON, latest)
    retry = events.find(conn, run_id, EventType.ATTEMPT_RETRY_SCHEDULED, str(latest.ordinal))
    if retry is not None:
        return AttemptState(NextStep.WAIT, latest, float(retry["due_at"]))
    over = latest.ordinal >= LAST_AUTOMATIC
    return AttemptState(NextStep.OPEN_CIRCUIT if over else NextStep.FAIL, latest)


def note_failure(
    conn: Connection, run_id: str, reason: str, asked: str, now: float
) -> AttemptState:
    """End the running attempt and, if its cause may pass, fix the moment of the next one.

    `asked` is how the keys of the calls begin whose failure was the attempt's.
    """
    ordinal = RunRepository(conn).require(run_id).attempt
    kinds = failed_kinds(conn, run_id, ordinal, asked)
    told = AttemptText.reason_with_kinds(reason, kinds or obstacles(conn, run_id, ordinal, asked))
    failed, actor = AttemptStatus.FAILED, Actor.ORCHESTRATOR
    AttemptRepository(conn).finish(run_id, ordinal, failed, told, actor, now)
    if ordinal < LAST_AUTOMATIC and may_pass(kinds):
        due = now + PAUSES[ordinal - 1]
        AttemptRepository(conn).schedule_retry(run_id, ordinal, told, due, actor, now)
        RunRepository(conn).set_reason(
            run_id, AttemptText.waits(ordinal, told, _clock_time(due)), now
        )
    return attempt_state(conn, run_id)


def begin_next(conn: Connection, run_id: str, now: float) -> None:
    """Start the attempt a run waited for."""
    attempt = AttemptRepository(conn).start_next(run_id, Actor.ORCHESTRATOR, now)
    RunRepository(conn).set_reason(run_id, AttemptText.under_way(attempt.ordinal), now)


def failed_kinds(conn: Connection, run_id: str, attempt: int, asked: str) -> tuple[str, ...]:
    """Why calls of an attempt failed, each reason once, in order of appearance."""
    kinds = (
        call.error_kind
        for call in CallRepository(conn).of_run(run_id)
        if call.error_kind and call.key.startswith(asked) and attempt_of(call.key) == attempt
    )
    return tuple(dict.fromkeys(kinds))


def obstacles(conn: Connection, run_id: str, attempt: int, asked: str) -> tuple[str, ...]:
    """Why no model was even asked, for lack of time or of money."""
    log = events.history(conn, run_id, EventType.CALL_DONE)
    problems = (
        str(event.payload["problem"])
        for event in log
        if event.key.startswith(asked) and attempt_of(event.key) == attempt
    )
    return tuple(dict.fromkeys(filter(None, problems)))


def may_pass(kinds: Collection[str]) -> bool:
    """Whether a retry may succeed without any change."""
    return any(kind in _PASSING for kind in kinds)


def _clock_time(moment: float) -> str:
    """A timestamp as the store formats it."""
    return datetime.fromtimestamp(moment, UTC).strftime("%H:%M:%S UTC")


def attempt_of(key: str) -> int:
    """The attempt a call's key belongs to; the first attempt's has no number."""
    number = key.partition("@")[2]
    return int(number) if number else 1


def draft_number(conn: Connection, run_id: str) -> int:
    """The number of this try at a draft, from 1."""
    return events.next_number(conn, run_id, EventType.ATTEMPT_RETRY_SCHEDULED, _DRAFT)


def count_draft(conn: Connection, run_id: str, reason: str, due_at: float, now: float) -> None:
    """Record that the draft is tried once more, and why."""
    key = f"{_DRAFT}#{draft_number(conn, run_id)}"
    again, payload = EventType.ATTEMPT_RETRY_SCHEDULED, {"reason": reason, "due_at": due_at}
    events.append(conn, run_id, again, key, Actor.ORCHESTRATOR, payload, now)


def ask_to_stop(conn: Connection, run_id: str, person_id: int, now: float) -> None:
    """Remember who wants the run to stop, before anything is stopped."""
    number = events.next_number(conn, run_id, EventType.STOP_REQUESTED, "stop")
    asked = {"by": person_id}
    key = f"stop#{number}"
    events.append(conn, run_id, EventType.STOP_REQUESTED, key, Actor.HUMAN, asked, now)


def ask_to_conclude(conn: Connection, run_id: str, person_id: int, now: float) -> None:
    """Remember who wants the rounds to end, before any answer under way is cancelled."""
    number = events.next_number(conn, run_id, EventType.CONCLUDE_REQUESTED, "conclude")
    key, asked = f"conclude#{number}", {"by": person_id}
    events.append(conn, run_id, EventType.CONCLUDE_REQUESTED, key, Actor.HUMAN, asked, now)


def conclude_asked(conn: Connection, run_id: str) -> bool:
    """Whether somebody wants the conclusion written from what was said so far."""
    return bool(events.history(conn, run_id, EventType.CONCLUDE_REQUESTED))


def why_no_conclusion(conn: Connection, run_id: str) -> str:
    """Why a run under way cannot be concluded now, in words for people; empty when it can."""
    said = [answer for answer in AnswerRepository(conn).of_run(run_id) if answer.round > 0]
    if not any(answer.seat and not answer.late for answer in said):
        return StopText.NOTHING_TO_CONCLUDE
    closed = events.history(conn, run_id, EventType.ROUND_CLOSED)
    over = bool(closed) and not closed[-1].payload["go_on"]
    return StopText.ALREADY_CONCLUDING if over or conclude_asked(conn, run_id) else ""


def stop_asked(conn: Connection, run_id: str) -> Mapping[str, Any] | None:
    """The newest stop request, or None if there is none or the run was retried since."""
    stops = events.history(conn, run_id, EventType.STOP_REQUESTED)
    if not stops:
        return None
    return stop_among((*stops, *events.history(conn, run_id, EventType.TASK_TRANSITIONED)))


def stop_among(history: Sequence[Event]) -> Mapping[str, Any] | None:
    """The same, from events that were read already."""
    stops = [event for event in history if event.type is EventType.STOP_REQUESTED]
    moves = [event for event in history if event.type is EventType.TASK_TRANSITIONED]
    retried = max((move.id for move in moves if move.payload["reason"] == RETRIED), default=0)
    return stops[-1].payload if stops and stops[-1].id > retried else None


def was_retried(conn: Connection, run_id: str) -> bool:
    """Whether a person took the run up again after it had ended."""
    moves = events.history(conn, run_id, EventType.TASK_TRANSITIONED)
    return any(move.payload["reason"] == RETRIED for move in moves)
