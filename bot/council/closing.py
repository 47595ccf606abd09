"""Ends a run's attempt and the run in one transaction."""

from sqlalchemy import Connection

from bot.store import Actor, AttemptStatus, Phase, attempts, move, runs
from bot.store.runs import Run


def end_run(
    conn: Connection, run_id: str, status: AttemptStatus, phase: Phase, reason: str, now: float
) -> Run:
    """End the attempt and move the run; a run that has ended stays as it is."""
    run = runs.require(conn, run_id)
    if run.finished_at is not None:
        return run
    if run.attempt:
        attempts.finish(conn, run.id, run.attempt, status, reason, Actor.ORCHESTRATOR, now)
    return move(conn, run.id, run.phase, phase, Actor.ORCHESTRATOR, reason, now)
