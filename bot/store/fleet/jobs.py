"""Which worker holds which server: each is a job of procrastinate, and a running job is ownership.

procrastinate's own worker has connections of its own. Here its job manager works in transactions of
ours, so that a job ends together with the last look at the inbox, if its worker still counts.
"""

import json
import re
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, TypeVar

from procrastinate.connector import BaseConnector
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager
from procrastinate.types import JobToDefer
from sqlalchemy import Connection, delete, func, select, text, update

from bot.store.engine.postgres_lock import process_name
from bot.store.tables import inbox, workers
from bot.types.gateway_events import INTERACTION

_T = TypeVar("_T")

WAKE: Final = "roundtable_inbox"
"""The channel on which workers listen; a notice names the servers it is for."""
JOBS: Final = "jobs"
"""The notice that a server waits for a worker."""
CHORES: Final = -1
"""In place of a server: what one worker does for all of them."""
_QUEUE: Final = "servers"
_TASK: Final = "hold_server"
_URGENT: Final = 1
"""The priority of a server whose worker stopped in the middle of something."""
_PARAMETER: Final = re.compile(r"%\((\w+)\)s")
_IN_WORDS: Final = re.compile(r"%\((\w+)\)s \|\|")
"""Parameters that become part of a text, which asyncpg wants as text."""
_KNOWN: Final = text(
    "SELECT id, lock, status::text AS status FROM procrastinate_jobs"
    " WHERE lock = ANY(:locks) AND status IN ('todo', 'doing')"
)
_FORGOTTEN: Final = text(
    "SELECT id, lock FROM procrastinate_jobs"
    " WHERE status = 'doing' AND worker_id = :member AND NOT lock = ANY(:locks)"
)
_ALL: Final = text("SELECT lock FROM procrastinate_jobs WHERE status IN ('todo', 'doing')")
_LOOK: Final = text(
    "SELECT (SELECT count(*) FROM procrastinate_jobs WHERE status = 'todo'"
    " AND (scheduled_at IS NULL OR scheduled_at <= now())) AS jobs,"
    " (SELECT count(*) FROM procrastinate_workers"
    " WHERE last_heartbeat < now() - :silence * interval '1 second')"
    " + (SELECT count(*) FROM procrastinate_jobs WHERE status = 'doing' AND worker_id IS NULL)"
    " AS lost,"
    " EXISTS (SELECT 1 FROM inbox WHERE guild_id = ANY(:servers) AND taken_at IS NULL) AS events"
)
_MEMBERS: Final = text(
    "SELECT member.id, process, extract(epoch FROM now() - max(last_heartbeat)) AS silent,"
    " coalesce(array_agg(lock ORDER BY lock)"
    " FILTER (WHERE lock IS NOT NULL), '{}') AS locks"
    " FROM procrastinate_workers AS member JOIN workers USING (id)"
    " LEFT JOIN procrastinate_jobs AS job ON job.worker_id = member.id AND job.status = 'doing'"
    " GROUP BY member.id, process ORDER BY member.id"
)
_WAITING: Final = text(
    "SELECT count(*), coalesce(extract(epoch FROM now() - min(coalesce(scheduled_at, at))), 0)"
    " FROM procrastinate_jobs AS job"
    " JOIN procrastinate_events AS event ON event.job_id = job.id AND event.type = 'deferred'"
    " WHERE status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now())"
)


@dataclass(frozen=True, slots=True)
class HeldServer:
    """A server that a worker holds; `interrupted` says that another one was cut off from it."""

    job_id: int
    server: int
    interrupted: bool


@dataclass(frozen=True, slots=True)
class Look:
    """What a worker finds when nobody told it anything."""

    jobs: bool
    lost: bool
    events: bool


class ServerJobs:
    """The jobs, in a transaction of the store."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._manager = JobManager(_OnConnection(conn))

    def held(self, servers: Iterable[int]) -> set[int]:
        """Those of the servers that a worker holds now."""
        return {_server(row.lock) for row in self._known(servers) if row.status == "doing"}

    def waiting_or_held(self) -> set[int]:
        """Every server that a worker holds or will take, now or later."""
        return {_server(lock) for lock in self._conn.execute(_ALL).scalars()}

    def wake(self, servers: Iterable[int], *, interrupted: bool = False) -> list[int]:
        """Let a worker take these servers, unless one holds them; returns those that waited not."""
        wanted = set(servers)
        for row in self._known(wanted):
            if row.status == "doing":
                wanted.discard(_server(row.lock))
            else:  # it may be for a later time
                self._manager.cancel_job_by_id(row.id, delete_job=True)
        jobs = [_job(server, _URGENT if interrupted else 0) for server in sorted(wanted)]
        if jobs:
            self._manager.batch_defer_jobs(jobs)
            self.tell(JOBS)
        return sorted(wanted)

    def take(self, member: int) -> HeldServer | None:
        """Hold the next server that waits."""
        job = _at_once(self._manager.fetch_job([_QUEUE], member))
        if job is None or job.id is None:
            return None
        return HeldServer(job.id, _server(job.lock or ""), bool(job.priority))

    def end(self, held: HeldServer, seconds: float | None) -> bool:
        """Hold a server no longer, for so many seconds if something is due then.

        False while events wait for it, which its worker has to take first.
        """
        here = inbox.c.guild_id == held.server
        waits = select(inbox.c.id).where(here, inbox.c.taken_at.is_(None)).limit(1)
        if self._conn.execute(waits).first() is not None:
            return False
        self._conn.execute(delete(inbox).where(here))
        if seconds is None:
            done = self._manager.finish_job_by_id_async(held.job_id, Status.SUCCEEDED, True)
            _at_once(done)
        else:
            self._put_back(held.job_id, seconds=seconds, priority=0)
        return True

    def postpone(self, held: HeldServer, seconds: float) -> None:
        """Let a server wait for a worker again after a while."""
        self._put_back(held.job_id, seconds=seconds, priority=int(held.interrupted))

    def give_back(self, held: Iterable[HeldServer]) -> None:
        """Let others have these servers at once."""
        left = list(held)
        for each in left:
            self._put_back(each.job_id, priority=int(each.interrupted))
        self._hear_again(each.server for each in left if each.interrupted)
        self.tell(JOBS)

    def give_back_forgotten(self, member: int, known: Iterable[int]) -> None:
        """Let others have what this worker holds without knowing it.

        An outage may cut it off between a job and what it does with the job.
        """
        asked = {"member": member, "locks": [_lock(server) for server in known]}
        found = self._conn.execute(_FORGOTTEN, asked).all()
        if found:
            self.give_back(HeldServer(row.id, _server(row.lock), interrupted=True) for row in found)

    def leave(self, member: int, held: Iterable[HeldServer]) -> None:
        """Let others have every server at once, and be a worker no more."""
        self.give_back(held)
        _at_once(self._manager.unregister_worker(member))
        self._conn.execute(delete(workers).where(workers.c.id == member))

    def rescue(self, silence: float) -> list[int]:
        """Give up workers that were silent for so many seconds; returns the servers they held."""
        pruned = _at_once(self._manager.prune_stalled_workers(silence))
        self._conn.execute(delete(workers).where(workers.c.id.in_(pruned)))
        stalled = list(_at_once(self._manager.get_stalled_jobs(seconds_since_heartbeat=silence)))
        for job in stalled:
            self._put_back(job.id or 0)
        servers = sorted(_server(job.lock or "") for job in stalled)
        if servers:
            self._hear_again(servers)
            self.tell(JOBS)
        return servers

    def look(self, servers: Sequence[int], silence: float) -> Look:
        """Whether there is something to do that no notice told."""
        row = self._conn.execute(_LOOK, {"servers": list(servers), "silence": silence}).one()
        return Look(bool(row.jobs), bool(row.lost), bool(row.events))

    def members(self) -> list[tuple[str, list[int], float]]:
        """Every worker: its process, the servers it holds, and the seconds since its last sign."""
        return [
            (process_name(row.process), [_server(lock) for lock in row.locks], float(row.silent))
            for row in self._conn.execute(_MEMBERS)
        ]

    def waiting(self) -> tuple[int, float]:
        """How many servers wait for a worker, and for how many seconds the first has waited."""
        number, oldest = self._conn.execute(_WAITING).one()
        return number, float(oldest)

    def tell(self, *notices: str) -> None:
        """Wake workers, once this is committed."""
        self._conn.execute(select(func.pg_notify(WAKE, ",".join(notices))))

    def _hear_again(self, servers: Iterable[int]) -> None:
        """What a worker took last it may not have dealt with; whoever hears it twice ignores it.

        Nobody could answer an interaction any more, and what is written in private is not kept.
        """
        again = update(inbox).where(
            inbox.c.guild_id.in_([server for server in servers if server > 0]),
            inbox.c.event != INTERACTION,
        )
        self._conn.execute(again.values(taken_at=None))

    def _known(self, servers: Iterable[int]) -> Sequence[Any]:
        return self._conn.execute(_KNOWN, {"locks": [_lock(one) for one in servers]}).all()

    def _put_back(self, job_id: int, *, seconds: float = 0, priority: int = _URGENT) -> None:
        # By the database's clock: a worker's may be another.
        now: datetime = self._conn.execute(select(func.now())).scalar_one()
        at = now + timedelta(seconds=seconds)
        _at_once(self._manager.retry_job_by_id_async(job_id, at, priority))


def _job(server: int, priority: int) -> Job:
    lock = _lock(server)
    return Job(queue=_QUEUE, task_name=_TASK, lock=lock, queueing_lock=lock, priority=priority)


def _lock(server: int) -> str:
    return f"server:{server}"


def _server(lock: str) -> int:
    return int(lock.removeprefix("server:"))


def _at_once(work: Coroutine[Any, Any, _T]) -> _T:
    """The result of a coroutine that never waits, because its connector does not."""
    try:
        work.send(None)
    except StopIteration as done:
        result: _T = done.value
        return result
    raise RuntimeError("a job was asked for in a way that waits")


class _OnConnection(BaseConnector):
    """Runs procrastinate's statements on a connection of ours, in its transaction."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def get_sync_connector(self) -> BaseConnector:
        return self

    def execute_query(self, query: str, **arguments: Any) -> None:
        self._execute(query, arguments)

    def execute_query_one(self, query: str, **arguments: Any) -> dict[str, Any]:
        return self.execute_query_all(query, **arguments)[0]

    def execute_query_all(self, query: str, **arguments: Any) -> list[dict[str, Any]]:
        rows = self._execute(query, arguments).mappings()
        return [dict(row) | _parsed(row) for row in rows]

    async def execute_query_async(self, query: str, **arguments: Any) -> None:
        self.execute_query(query, **arguments)

    async def execute_query_one_async(self, query: str, **arguments: Any) -> dict[str, Any]:
        return self.execute_query_one(query, **arguments)

    async def execute_query_all_async(self, query: str, **arguments: Any) -> list[dict[str, Any]]:
        return self.execute_query_all(query, **arguments)

    def _execute(self, query: str, arguments: dict[str, Any]) -> Any:
        names = list(dict.fromkeys(_PARAMETER.findall(query)))
        numbered = _PARAMETER.sub(lambda found: f"${names.index(found[1]) + 1}", query)
        arguments |= {name: str(arguments[name]) for name in _IN_WORDS.findall(query)}
        return self._conn.exec_driver_sql(numbered, tuple(_plain(arguments[n]) for n in names))


def _plain(value: Any) -> Any:
    """An argument as asyncpg takes it."""
    if isinstance(value, list) and value and isinstance(value[0], JobToDefer):
        return [
            (j.queue_name, j.task_name, j.priority, j.lock, j.queueing_lock, "{}", j.scheduled_at)
            for j in value
        ]
    return value


def _parsed(row: Any) -> dict[str, Any]:
    return {"args": json.loads(row["args"])} if isinstance(row.get("args"), str) else {}
