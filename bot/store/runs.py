"""Runs: one row per roundtable."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, func, select, update

from bot.request.modes import Mode
from bot.store import events
from bot.store.actors import Actor
from bot.store.errors import ConflictError, DuplicateRunError, MissingRowError
from bot.store.events import EventType
from bot.store.ids import fresh_id
from bot.store.prepared import Command, Query
from bot.store.rights import Right
from bot.store.rights import require as require_right
from bot.store.rows import insert_new
from bot.store.tables import discussions, runs
from bot.store.vocabulary import Phase, Status

_IS_A_MEETING = runs.c.id.not_in(select(discussions.c.run_id))


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """What must be unique among open runs: a topic in a mode in a channel (2.2#13)."""

    guild_id: int
    output_channel_id: int
    mode: Mode
    topic_key: str
    generation: int = 0


@dataclass(frozen=True, slots=True)
class NewRun:
    """A parsed request that is to become a run; `request` holds flags, no person's text."""

    place: TopicPlace
    trigger_channel_id: int
    trigger_message_id: int | None
    starter_id: int
    topic: str
    seed: int
    request: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Run:
    """A roundtable as stored."""

    id: str
    guild_id: int
    trigger_channel_id: int
    trigger_message_id: int | None
    output_channel_id: int
    anchor_id: int | None
    thread_id: int | None
    starter_id: int
    mode: Mode
    topic: str
    topic_key: str
    generation: int
    phase: Phase
    attempt: int
    request: dict[str, Any]
    seed: int
    status_reason: str
    created_at: float
    updated_at: float
    finished_at: float | None

    @property
    def topic_place(self) -> TopicPlace:
        """What makes this run a duplicate of another."""
        return TopicPlace(
            self.guild_id, self.output_channel_id, self.mode, self.topic_key, self.generation
        )

    @property
    def status(self) -> Status:
        """How the run looks from outside (2.2#29)."""
        if self.finished_at is None:
            return Status.ACTIVE
        return Status.CONCLUDED if self.phase is Phase.COMPLETED else Status.CANCELLED


@dataclass(frozen=True, slots=True)
class Started:
    """The run for a request, and whether it was created for it or found already open."""

    run: Run
    created: bool


def new_run_id(conn: Connection) -> str:
    """An unused `rt_` id (C26)."""
    return fresh_id(conn, runs, "rt")


def insert(
    conn: Connection, new: NewRun, actor: Actor, now: float, run_id: str | None = None
) -> Run:
    """Create a run in `spec_draft` with its `task.created` event, or raise DuplicateRunError."""
    require_right(actor, Right.CREATE_RUN)
    name = run_id or new_run_id(conn)
    if not insert_new(conn, runs, _first_row(name, new, now)):
        existing = find_open_duplicate(conn, new.place)
        if existing is None:
            raise ConflictError(f"there is already a run {name}")
        raise DuplicateRunError(existing.id)
    payload = {"mode": new.place.mode, "generation": new.place.generation, "seed": new.seed}
    events.append(conn, name, EventType.TASK_CREATED, "run", actor, payload, now)
    return require(conn, name)


def start(conn: Connection, new: NewRun, actor: Actor, now: float) -> Started:
    """Create the run unless one on the same topic is open; the loser of a race gets that one."""
    try:
        return Started(insert(conn, new, actor, now), created=True)
    except DuplicateRunError as duplicate:
        return Started(require(conn, duplicate.existing_id), created=False)


def get(conn: Connection, run_id: str) -> Run | None:
    """The run, or None."""
    row = _BY_ID.row(conn, {"run_id": run_id})
    return None if row is None else Run(**row)


def require(conn: Connection, run_id: str) -> Run:
    """The run, which must exist."""
    run = get(conn, run_id)
    if run is None:
        raise MissingRowError(f"there is no run {run_id}")
    return run


def find_open_duplicate(conn: Connection, place: TopicPlace) -> Run | None:
    """The open run on the same topic, mode, place and generation."""
    return _first(
        conn,
        *_same_topic(place),
        runs.c.generation == place.generation,
        runs.c.finished_at.is_(None),
    )


def find_recent(conn: Connection, place: TopicPlace, since: float) -> Run | None:
    """The newest run of any generation on the topic that is open, or concluded since (E25)."""
    wanted = asdict(place) | {"since": since}
    row = _RECENT.row(conn, wanted)
    return None if row is None else Run(**row)


def next_generation(conn: Connection, place: TopicPlace) -> int:
    """The generation for "run it anyway": one more than any run on the topic has."""
    newest = select(func.max(runs.c.generation)).where(*_same_topic(place))
    found: int | None = conn.execute(newest).scalar_one()
    return 0 if found is None else found + 1


def open_in(conn: Connection, guild_id: int) -> dict[Phase, int]:
    """How many runs of a server are not over, by their phases."""
    found = _OPEN_IN.rows(conn, {"guild_id": guild_id})
    return {row["phase"]: int(row["number"]) for row in found}


def oldest_open(conn: Connection, guild_id: int) -> float | None:
    """When the oldest meeting of a server that is not over began."""
    wanted = (runs.c.guild_id == guild_id, runs.c.finished_at.is_(None), _IS_A_MEETING)
    oldest: float | None = conn.execute(select(func.min(runs.c.created_at)).where(*wanted)).scalar()
    return oldest


def unfinished(conn: Connection) -> tuple[Run, ...]:
    """Every meeting that is not over, oldest first; a restart goes on with these."""
    open_ones = select(runs).where(runs.c.finished_at.is_(None), _IS_A_MEETING)
    query = open_ones.order_by(runs.c.created_at, runs.c.id)
    return tuple(Run(**row._asdict()) for row in conn.execute(query))


def finished(conn: Connection) -> tuple[Run, ...]:
    """Every meeting that is over, oldest first."""
    query = select(runs).where(runs.c.finished_at.is_not(None), _IS_A_MEETING)
    ordered = query.order_by(runs.c.created_at, runs.c.id)
    return tuple(Run(**row._asdict()) for row in conn.execute(ordered))


def finished_since(conn: Connection, since: float, limit: int) -> tuple[Run, ...]:
    """Runs that were over after a moment, newest first."""
    query = select(runs).where(runs.c.finished_at >= since)
    newest = query.order_by(runs.c.finished_at.desc(), runs.c.id).limit(limit)
    return tuple(Run(**row._asdict()) for row in conn.execute(newest))


def files_key(attempt: int) -> str:
    """The key under which it is noted that the files of an attempt were written."""
    return f"files@{attempt}"


def without_files(conn: Connection, since: float, limit: int) -> tuple[Run, ...]:
    """Runs that were over after a moment and whose files nobody noted, newest first."""
    written = EventType.EXPORT_WRITTEN
    over = finished_since(conn, since, limit)
    return tuple(
        run for run in over if events.find(conn, run.id, written, files_key(run.attempt)) is None
    )


def recent(conn: Connection, guild_id: int, limit: int) -> tuple[Run, ...]:
    """The newest runs of a server, newest first."""
    query = select(runs).where(runs.c.guild_id == guild_id).order_by(*_NEWEST_FIRST).limit(limit)
    return tuple(Run(**row._asdict()) for row in conn.execute(query))


def newest_meetings(conn: Connection, limit: int) -> tuple[Run, ...]:
    """The newest meetings of all servers, newest first."""
    query = select(runs).where(_IS_A_MEETING).order_by(*_NEWEST_FIRST).limit(limit)
    return tuple(Run(**row._asdict()) for row in conn.execute(query))


def servers(conn: Connection) -> tuple[int, ...]:
    """Every server from which the words of a run are still stored."""
    query = select(runs.c.guild_id).where(runs.c.topic != "").distinct()
    return tuple(conn.execute(query).scalars())


def of_starter(conn: Connection, starter_id: int) -> tuple[Run, ...]:
    """Every run a person started, newest first."""
    query = select(runs).where(runs.c.starter_id == starter_id).order_by(*_NEWEST_FIRST)
    return tuple(Run(**row._asdict()) for row in conn.execute(query))


def by_trigger(conn: Connection, message_id: int) -> Run | None:
    """The run a person's message started."""
    return _first(conn, runs.c.trigger_message_id == message_id)


def last_started(conn: Connection, guild_id: int, starter_id: int) -> float | None:
    """When somebody last started a run in a server."""
    wanted = {"guild_id": guild_id, "starter_id": starter_id}
    newest: float | None = _LAST_STARTED.value(conn, wanted)
    return newest


def by_thread(conn: Connection, thread_id: int) -> Run | None:
    """The newest run that lives in the thread."""
    return _first(conn, runs.c.thread_id == thread_id)


def newest_at(conn: Connection, channel_id: int) -> Run | None:
    """The newest run that lives in the thread, or in the channel itself without a thread."""
    in_channel = (runs.c.output_channel_id == channel_id) & runs.c.thread_id.is_(None)
    return _first(conn, (runs.c.thread_id == channel_id) | in_channel)


def all_in_thread(conn: Connection, thread_id: int) -> tuple[Run, ...]:
    """Every run that lives or lived in the thread, oldest first."""
    query = select(runs).where(runs.c.thread_id == thread_id).order_by(runs.c.created_at)
    return tuple(Run(**row._asdict()) for row in conn.execute(query))


def set_place(
    conn: Connection, run_id: str, anchor_id: int | None, thread_id: int | None, now: float
) -> None:
    """Remember the anchor message and the thread of a run."""
    values = {"anchor_id": anchor_id, "thread_id": thread_id, "updated_at": now}
    if not _SET_PLACE.run(conn, values | {"run": run_id}):
        raise MissingRowError(f"there is no run {run_id}")


def set_channel(conn: Connection, run_id: str, channel_id: int, now: float) -> None:
    """Let the run live in another channel, in a thread that is yet to be made."""
    _change(conn, run_id, now, output_channel_id=channel_id, anchor_id=None, thread_id=None)


def set_reason(conn: Connection, run_id: str, reason: str, now: float) -> None:
    """Say in our own words why the run stands where it stands."""
    _change(conn, run_id, now, status_reason=reason)


_TOPIC = ("guild_id", "output_channel_id", "mode", "topic_key")
_NEWEST_FIRST = (runs.c.created_at.desc(), runs.c.id.desc())
_BY_ID = Query(select(runs).where(runs.c.id == bindparam("run_id")))
_SET_PLACE = Command(
    update(runs).where(runs.c.id == bindparam("run")), ("anchor_id", "thread_id", "updated_at")
)
_OPEN_IN = Query(
    select(runs.c.phase, func.count().label("number"))
    .where(runs.c.guild_id == bindparam("guild_id"), runs.c.finished_at.is_(None), _IS_A_MEETING)
    .group_by(runs.c.phase)
)
_LAST_STARTED = Query(
    select(func.max(runs.c.created_at).label("newest")).where(
        runs.c.guild_id == bindparam("guild_id"), runs.c.starter_id == bindparam("starter_id")
    )
)
_CONCLUDED_SINCE = (runs.c.phase == Phase.COMPLETED) & (runs.c.created_at >= bindparam("since"))
_RECENT = Query(
    select(runs)
    .where(
        *(runs.c[name] == bindparam(name) for name in _TOPIC),
        runs.c.finished_at.is_(None) | _CONCLUDED_SINCE,
    )
    .order_by(*_NEWEST_FIRST)
    .limit(1)
)


def _first_row(run_id: str, new: NewRun, now: float) -> dict[str, Any]:
    return asdict(new.place) | {
        "id": run_id,
        "trigger_channel_id": new.trigger_channel_id,
        "trigger_message_id": new.trigger_message_id,
        "starter_id": new.starter_id,
        "topic": new.topic,
        "phase": Phase.SPEC_DRAFT,
        "attempt": 0,
        "request": new.request,
        "seed": new.seed,
        "status_reason": "",
        "created_at": now,
        "updated_at": now,
    }


def _same_topic(place: TopicPlace) -> tuple[ColumnElement[bool], ...]:
    return tuple(runs.c[name] == getattr(place, name) for name in _TOPIC)


def _first(conn: Connection, *wanted: ColumnElement[bool]) -> Run | None:
    row = conn.execute(select(runs).where(*wanted).order_by(*_NEWEST_FIRST).limit(1)).first()
    return None if row is None else Run(**row._asdict())


def _change(conn: Connection, run_id: str, now: float, **values: Any) -> None:
    change = update(runs).where(runs.c.id == run_id).values(updated_at=now, **values)
    if not conn.execute(change).rowcount:
        raise MissingRowError(f"there is no run {run_id}")
