"""Lists of runs: open, finished, of a server, of a person."""

import statistics
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.repositories.runs import HAS_STATUS, NEWEST_FIRST, Run
from bot.store.tables import discussions, runs
from bot.store.vocabulary import Phase, Status
from bot.types.mode import Mode

_REMEMBERED = 20

_LATEST = (
    select(runs.c.created_at, runs.c.finished_at, runs.c.request)
    .where(
        runs.c.mode == bindparam("mode"),
        runs.c.phase == bindparam("concluded", Phase.COMPLETED),
        runs.c.finished_at.is_not(None),
    )
    .order_by(runs.c.created_at.desc())
    .limit(2 * _REMEMBERED)
)


_IS_A_MEETING = runs.c.id.not_in(select(discussions.c.run_id))
_OPEN_IN = (
    select(runs.c.id, runs.c.phase, runs.c.created_at)
    .where(runs.c.guild_id == bindparam("guild_id"), runs.c.finished_at.is_(None), _IS_A_MEETING)
    .order_by(runs.c.created_at)
)


@dataclass(frozen=True, slots=True)
class _OpenRun:
    """An open run."""

    id: str
    phase: Phase
    created_at: float


class RunListRepository:
    """Lists of runs by state, server, person or thread."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def usual_seconds(self, mode: Mode, *, quick: bool) -> float | None:
        """The median duration of the latest concluded runs of a mode; None when there are none."""
        latest = self._conn.execute(_LATEST, {"mode": mode})
        alike = [row for row in latest if bool(row.request.get("quick")) is quick]
        took = [row.finished_at - row.created_at for row in alike[:_REMEMBERED]]
        return statistics.median(took) if took else None

    def open_in(self, guild_id: int) -> tuple[_OpenRun, ...]:
        """The open runs of a server, oldest first."""
        found = self._conn.execute(_OPEN_IN, {"guild_id": guild_id})
        return tuple(_OpenRun(**row) for row in found.mappings())

    def unfinished(self, server: int | None = None) -> tuple[Run, ...]:
        """Every open run, or those of a server, oldest first; a restart resumes these."""
        open_ones = select(runs).where(runs.c.finished_at.is_(None), _IS_A_MEETING)
        if server is not None:
            open_ones = open_ones.where(runs.c.guild_id == server)
        query = open_ones.order_by(runs.c.created_at, runs.c.id)
        return _runs(self._conn, query)

    def finished(self) -> tuple[Run, ...]:
        """Every finished run that is no discussion, oldest first."""
        query = select(runs).where(runs.c.finished_at.is_not(None), _IS_A_MEETING)
        ordered = query.order_by(runs.c.created_at, runs.c.id)
        return _runs(self._conn, ordered)

    def finished_since(
        self, since: float, limit: int, server: int | None = None
    ) -> tuple[Run, ...]:
        """Runs finished after a time, newest first; of all servers or of one."""
        query = select(runs).where(runs.c.finished_at >= since)
        if server is not None:
            query = query.where(runs.c.guild_id == server)
        newest = query.order_by(runs.c.finished_at.desc(), runs.c.id).limit(limit)
        return _runs(self._conn, newest)

    def without_files(self, since: float, limit: int, server: int | None = None) -> tuple[Run, ...]:
        """Runs finished after a time whose files were not recorded as written, newest first."""
        written = EventType.EXPORT_WRITTEN
        over = self.finished_since(since, limit, server)
        return tuple(
            run
            for run in over
            if events.find(self._conn, run.id, written, files_key(run.attempt)) is None
        )

    def recent(self, guild_id: int, limit: int) -> tuple[Run, ...]:
        """The newest runs of a server, newest first."""
        query = select(runs).where(runs.c.guild_id == guild_id).order_by(*NEWEST_FIRST).limit(limit)
        return _runs(self._conn, query)

    def newest_meetings(self, limit: int, status: Status | None = None) -> tuple[Run, ...]:
        """The newest runs of all servers without discussions, of one status or of all."""
        wanted = select(runs).where(_IS_A_MEETING, HAS_STATUS[status])
        query = wanted.order_by(*NEWEST_FIRST).limit(limit)
        return _runs(self._conn, query)

    def servers(self) -> tuple[int, ...]:
        """Every server with a run that was not erased."""
        query = select(runs.c.guild_id).where(runs.c.topic != "").distinct()
        return tuple(self._conn.execute(query).scalars())

    def of_starter(self, starter_id: int) -> tuple[Run, ...]:
        """Every run a person started, newest first."""
        query = select(runs).where(runs.c.starter_id == starter_id).order_by(*NEWEST_FIRST)
        return _runs(self._conn, query)

    def all_in_thread(self, thread_id: int) -> tuple[Run, ...]:
        """Every run that is or was in the thread, oldest first."""
        query = select(runs).where(runs.c.thread_id == thread_id).order_by(runs.c.created_at)
        return _runs(self._conn, query)


def files_key(attempt: int) -> str:
    """The event key that records that the files of an attempt were written."""
    return f"files@{attempt}"


def _runs(conn: Connection, query: Select[Any]) -> tuple[Run, ...]:
    return tuple(Run(**row._asdict()) for row in conn.execute(query))
