"""A person's request to stop a run; a later retry resumes the run."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from bot.store import Actor, EventType, events
from bot.store.events import Event

RETRIED = "retried"


def ask_to_stop(conn: Connection, run_id: str, person_id: int, now: float) -> None:
    """Remember who wants the run to stop, before anything is stopped."""
    number = events.next_number(conn, run_id, EventType.STOP_REQUESTED, "stop")
    asked = {"by": person_id}
    key = f"stop#{number}"
    events.append(conn, run_id, EventType.STOP_REQUESTED, key, Actor.HUMAN, asked, now)


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
