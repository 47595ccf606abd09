"""Counts how often the draft of a build was started, which happens before its first attempt."""

from typing import Final

from sqlalchemy import Connection

from bot.store import Actor, EventType, events

DRAFT: Final = "draft"


def draft_number(conn: Connection, run_id: str) -> int:
    """The number of this try at a draft, from 1."""
    return events.next_number(conn, run_id, EventType.ATTEMPT_RETRY_SCHEDULED, DRAFT)


def count_draft(conn: Connection, run_id: str, reason: str, due_at: float, now: float) -> None:
    """Record that the draft is tried once more, and why."""
    key = f"{DRAFT}#{draft_number(conn, run_id)}"
    again, payload = EventType.ATTEMPT_RETRY_SCHEDULED, {"reason": reason, "due_at": due_at}
    events.append(conn, run_id, again, key, Actor.ORCHESTRATOR, payload, now)
