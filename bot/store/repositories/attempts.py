"""Attempts: each execution of a run's workflow (B19, B26, 2.2#21)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, or_, select, update

from bot.store.errors import ConflictError
from bot.store.log import events
from bot.store.log.events import EventType, Right, require
from bot.store.repositories.runs import RunRepository
from bot.store.rows import fresh_id, insert_new, row_of
from bot.store.tables import attempts
from bot.store.tables import runs as run_table
from bot.store.vocabulary import Actor, AttemptStatus, Phase

_LOCAL: Final = "local"
# A retry is an event, not a phase (2.2#30), so it starts its attempt while executing.
_STARTABLE_IN: Final = (Phase.EXECUTION_READY, Phase.EXECUTING)
_MINE = attempts.c.run_id == bindparam("run")
_OF_RUN = select(attempts).where(_MINE).order_by(attempts.c.ordinal)
_COUNT = (
    update(run_table)
    .where(
        run_table.c.id == bindparam("run"),
        or_(*(run_table.c.phase == bindparam(phase, phase) for phase in _STARTABLE_IN)),
    )
    .values(attempt=run_table.c.attempt + 1)
    .returning(run_table.c.attempt)
)
_FINISH = update(attempts).where(
    _MINE,
    attempts.c.ordinal == bindparam("number"),
    attempts.c.status == bindparam("running", AttemptStatus.RUNNING),
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One execution of the workflow; the ordinal counts from 1."""

    id: str
    run_id: str
    ordinal: int
    runtime: str
    status: AttemptStatus
    error_summary: str
    started_at: float
    finished_at: float | None


class AttemptRepository:
    """The attempts of runs, numbered from 1."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def start(self, run_id: str, runtime: str, actor: Actor, now: float) -> Attempt:
        """Start an attempt; raises while another one runs or the phase forbids it."""
        require(actor, Right.START_ATTEMPT)
        ordinal: int | None = self._conn.execute(
            _COUNT, {"run": run_id, "updated_at": now}
        ).scalar()
        if ordinal is None:
            phase = RunRepository(self._conn).require(run_id).phase
            raise ConflictError(f"{run_id} cannot start an attempt in phase {phase}")
        latest = self.last(run_id)
        if latest is not None and latest.status is AttemptStatus.RUNNING:
            raise ConflictError(f"attempt {latest.ordinal} of {run_id} is still running")
        name = fresh_id(self._conn, attempts, "att")
        attempt = Attempt(name, run_id, ordinal, runtime, AttemptStatus.RUNNING, "", now, None)
        insert_new(self._conn, attempts, row_of(attempt, attempts), "id")
        payload = {"id": name, "runtime": runtime}
        events.append(
            self._conn, run_id, EventType.ATTEMPT_STARTED, str(ordinal), actor, payload, now
        )
        return attempt

    def start_next(self, run_id: str, actor: Actor, now: float) -> Attempt:
        """Start an attempt in the same runtime as the one before."""
        latest = self.last(run_id)
        return self.start(run_id, latest.runtime if latest else _LOCAL, actor, now)

    def finish(
        self,
        run_id: str,
        ordinal: int,
        status: AttemptStatus,
        error_summary: str,
        actor: Actor,
        now: float,
    ) -> bool:
        """End a running attempt; False when it had ended before."""
        require(actor, Right.START_ATTEMPT)
        if status is AttemptStatus.RUNNING:
            raise ConflictError("an attempt cannot finish as running")
        values = {"status": status, "error_summary": error_summary, "finished_at": now}
        if not self._conn.execute(_FINISH, values | {"run": run_id, "number": ordinal}).rowcount:
            return False
        return events.append(
            self._conn,
            run_id,
            EventType.ATTEMPT_FINISHED,
            str(ordinal),
            actor,
            {"status": status, "error": error_summary},
            now,
        )

    def schedule_retry(
        self,
        run_id: str,
        ordinal: int,
        reason: str,
        due_at: float,
        actor: Actor,
        now: float,
    ) -> bool:
        """Record that the failed attempt `ordinal` will be tried again, and why (B27)."""
        payload = {"reason": reason, "due_at": due_at}
        retry = EventType.ATTEMPT_RETRY_SCHEDULED
        return events.append(self._conn, run_id, retry, str(ordinal), actor, payload, now)

    def checkpoint(
        self, run_id: str, key: str, payload: Mapping[str, Any], actor: Actor, now: float
    ) -> bool:
        """Record progress; False when the key was recorded before. Never moves a phase."""
        return events.append(
            self._conn, run_id, EventType.ATTEMPT_CHECKPOINT, key, actor, payload, now
        )

    def last(self, run_id: str) -> Attempt | None:
        """The newest attempt, or None."""
        found = self.of_run(run_id)
        return found[-1] if found else None

    def of_run(self, run_id: str) -> tuple[Attempt, ...]:
        """Every attempt of the run, in order."""
        return tuple(
            Attempt(**row) for row in self._conn.execute(_OF_RUN, {"run": run_id}).mappings()
        )
