"""Runs: one row per roundtable."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, bindparam, func, select, true, update

from bot.store.errors import ConflictError, DuplicateRunError, MissingRowError
from bot.store.log import events
from bot.store.log.events import EventType, Right
from bot.store.log.events import require as require_right
from bot.store.rows import fresh_id, insert_new
from bot.store.tables import runs
from bot.store.vocabulary import Actor, Phase, Status
from bot.types.mode import Mode

NEWEST_FIRST = (runs.c.created_at.desc(), runs.c.id.desc())
_ACTIVE = runs.c.finished_at.is_(None)
HAS_STATUS: Final = {
    None: true(),
    Status.ACTIVE: _ACTIVE,
    Status.CONCLUDED: ~_ACTIVE & (runs.c.phase == Phase.COMPLETED),
    Status.CANCELLED: ~_ACTIVE & (runs.c.phase != Phase.COMPLETED),
}
"""The rows for which `Run.status` gives a status; None means any."""
_TOPIC = ("guild_id", "output_channel_id", "mode", "topic_key")
_BY_ID = select(runs).where(runs.c.id == bindparam("run_id"))
_SET_PLACE = update(runs).where(runs.c.id == bindparam("run"))
_CONCLUDED_SINCE = (runs.c.phase == Phase.COMPLETED) & (runs.c.created_at >= bindparam("since"))
_RECENT = (
    select(runs)
    .where(
        *(runs.c[name] == bindparam(name) for name in _TOPIC),
        runs.c.finished_at.is_(None) | _CONCLUDED_SINCE,
    )
    .order_by(*NEWEST_FIRST)
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class TopicPlace:
    """What is unique among open runs: a topic in a mode in a channel (2.2#13)."""

    guild_id: int
    output_channel_id: int
    mode: Mode
    topic_key: str
    generation: int = 0


@dataclass(frozen=True, slots=True)
class NewRun:
    """A parsed request to create a run from; `request` holds flags, no person's text."""

    place: TopicPlace
    trigger_channel_id: int
    trigger_message_id: int | None
    starter_id: int
    topic: str
    seed: int
    request: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    """The title that lists show."""


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
    title: str = ""

    @property
    def topic_place(self) -> TopicPlace:
        """The key by which this run duplicates another."""
        return TopicPlace(
            self.guild_id, self.output_channel_id, self.mode, self.topic_key, self.generation
        )

    @property
    def status(self) -> Status:
        """The status shown to people (2.2#29)."""
        if self.finished_at is None:
            return Status.ACTIVE
        return Status.CONCLUDED if self.phase is Phase.COMPLETED else Status.CANCELLED


@dataclass(frozen=True, slots=True)
class Started:
    """The run for a request, and whether it was created or already open."""

    run: Run
    created: bool


class RunRepository:
    """The runs, one row per roundtable."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def new_run_id(self) -> str:
        """An unused `rt_` id (C26)."""
        return fresh_id(self._conn, runs, "rt")

    def insert(self, new: NewRun, actor: Actor, now: float, run_id: str | None = None) -> Run:
        """Create a run in `spec_draft` with its `task.created` event, or raise
        DuplicateRunError.
        """
        require_right(actor, Right.CREATE_RUN)
        name = run_id or self.new_run_id()
        if not insert_new(self._conn, runs, _first_row(name, new, now)):
            existing = self.find_open_duplicate(new.place)
            if existing is None:
                raise ConflictError(f"there is already a run {name}")
            raise DuplicateRunError(existing.id)
        payload = {"mode": new.place.mode, "generation": new.place.generation, "seed": new.seed}
        events.append(self._conn, name, EventType.TASK_CREATED, "run", actor, payload, now)
        return self.require(name)

    def start(self, new: NewRun, actor: Actor, now: float) -> Started:
        """Create the run, or return the open one on the same topic, also after a race."""
        try:
            return Started(self.insert(new, actor, now), created=True)
        except DuplicateRunError as duplicate:
            return Started(self.require(duplicate.existing_id), created=False)

    def get(self, run_id: str) -> Run | None:
        """The run, or None."""
        row = self._conn.execute(_BY_ID, {"run_id": run_id}).mappings().first()
        return None if row is None else Run(**row)

    def require(self, run_id: str) -> Run:
        """The run, which must exist."""
        run = self.get(run_id)
        if run is None:
            raise MissingRowError(f"there is no run {run_id}")
        return run

    def find_open_duplicate(self, place: TopicPlace) -> Run | None:
        """The open run on the same topic, mode, place and generation."""
        return _first(
            self._conn,
            *_same_topic(place),
            runs.c.generation == place.generation,
            runs.c.finished_at.is_(None),
        )

    def find_recent(self, place: TopicPlace, since: float) -> Run | None:
        """The newest run of any generation on the topic that is open, or concluded since (E25)."""
        wanted = asdict(place) | {"since": since}
        row = self._conn.execute(_RECENT, wanted).mappings().first()
        return None if row is None else Run(**row)

    def next_generation(self, place: TopicPlace) -> int:
        """The generation for "run it anyway": one more than any run on the topic has."""
        newest = select(func.max(runs.c.generation)).where(*_same_topic(place))
        found: int | None = self._conn.execute(newest).scalar_one()
        return 0 if found is None else found + 1

    def by_trigger(self, message_id: int) -> Run | None:
        """The run a person's message started."""
        return _first(self._conn, runs.c.trigger_message_id == message_id)

    def by_thread(self, thread_id: int) -> Run | None:
        """The newest run in the thread."""
        return _first(self._conn, runs.c.thread_id == thread_id)

    def newest_at(self, channel_id: int) -> Run | None:
        """The newest run in the thread, or in the channel itself without a thread."""
        in_channel = (runs.c.output_channel_id == channel_id) & runs.c.thread_id.is_(None)
        return _first(self._conn, (runs.c.thread_id == channel_id) | in_channel)

    def set_place(
        self, run_id: str, anchor_id: int | None, thread_id: int | None, now: float
    ) -> None:
        """Store the anchor message and the thread of a run."""
        values = {"anchor_id": anchor_id, "thread_id": thread_id, "updated_at": now}
        if not self._conn.execute(_SET_PLACE, values | {"run": run_id}).rowcount:
            raise MissingRowError(f"there is no run {run_id}")

    def set_channel(self, run_id: str, channel_id: int, now: float) -> None:
        """Move the run to another channel, where its thread is still to be created."""
        _change(
            self._conn, run_id, now, output_channel_id=channel_id, anchor_id=None, thread_id=None
        )

    def amend_request(self, run_id: str, changes: Mapping[str, Any], now: float) -> None:
        """Add to the request what its starter settled later, such as the options of a vote."""
        request = {**self.require(run_id).request, **changes}
        _change(self._conn, run_id, now, request=request)

    def set_reason(self, run_id: str, reason: str, now: float) -> None:
        """Store why the run is in its phase, in the bot's own words."""
        _change(self._conn, run_id, now, status_reason=reason)


def with_attempt(run: Run, ordinal: int) -> Run:
    """The run with the number of its newest attempt."""
    return replace(run, attempt=ordinal)


def _first_row(run_id: str, new: NewRun, now: float) -> dict[str, Any]:
    return asdict(new.place) | {
        "id": run_id,
        "trigger_channel_id": new.trigger_channel_id,
        "trigger_message_id": new.trigger_message_id,
        "starter_id": new.starter_id,
        "topic": new.topic,
        "title": new.title,
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
    row = conn.execute(select(runs).where(*wanted).order_by(*NEWEST_FIRST).limit(1)).first()
    return None if row is None else Run(**row._asdict())


def _change(conn: Connection, run_id: str, now: float, **values: Any) -> None:
    change = update(runs).where(runs.c.id == run_id).values(updated_at=now, **values)
    if not conn.execute(change).rowcount:
        raise MissingRowError(f"there is no run {run_id}")
