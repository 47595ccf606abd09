"""Sessions that external harnesses keep of their seats: references, never the truth (B36)."""

from sqlalchemy import Connection

from bot.models.port import Origin, Scope
from bot.request import Mode
from bot.store import attempts, runs, seats

HARNESS = "acp"
ON_THIS_MACHINE = frozenset({HARNESS, "local"})
"""Kinds whose work ends when nobody waits any more: going on would only keep the machine busy."""


def origin_of(
    conn: Connection, run_id: str, seat: str, provider: str, *, builds: bool = False
) -> Origin:
    """Who asks in which attempt, with the session this provider kept of the seat (B35).

    In a build nobody but the builder writes files, and not where people work (B10, B30).
    """
    run = runs.require(conn, run_id)
    attempt = attempts.last(conn, run_id)
    row = seats.get(conn, run_id, seat) if seat else None
    owner, _, session = (row.external_session_ref or "" if row else "").partition(":")
    known = session if owner == provider else ""
    scope = Scope.OPEN
    if run.mode is Mode.BUILD:
        scope = Scope.BUILDING if builds else Scope.LOOKING
    over = run.finished_at is not None
    return Origin(run_id, attempt.id if attempt else "", seat, known, scope, over)


def keep_session(
    conn: Connection, run_id: str, seat: str, provider: str, session: str, now: float
) -> None:
    """Note with the seat whose session it is and what they call it."""
    seats.touch(conn, run_id, seat, now, f"{provider}:{session}")
