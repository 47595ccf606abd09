"""Discussions: runs whose participants are other programs."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select, update

from bot.messages.store import StoreText
from bot.store.errors import MissingRowError
from bot.store.repositories import phases
from bot.store.repositories.runs import HAS_STATUS, NewRun, Run, RunRepository, TopicPlace
from bot.store.tables import discussions, participants
from bot.store.tables import runs as run_table
from bot.store.vocabulary import Actor, Phase, Status, TalkOrder
from bot.types.mode import Mode

_WAY_IN = (Phase.SPEC_DRAFT, Phase.SPEC_REVIEW, Phase.EXECUTION_READY, Phase.EXECUTING)
_WAY_OUT = (Phase.EXECUTING, Phase.SPEC_GATE, Phase.QUALITY_GATE, Phase.COMPLETED)
_BY_RUN = select(discussions).where(discussions.c.run_id == bindparam("run_id"))


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who may speak (C4); `wants_end` is their vote."""

    profile: str
    role: str
    perspective: str = ""
    display_name: str = ""
    priority: int = 0
    active: bool = True
    wants_end: bool = False


@dataclass(frozen=True, slots=True)
class NewDiscussion:
    """A discussion to create; without a channel it is not shown on Discord."""

    topic: str
    title: str
    context: str
    created_by: str
    max_rounds: int
    speech_order: TalkOrder
    participants: Sequence[Participant]
    seed: int
    output_path: str | None = None
    link: str = ""
    guild_id: int = 0
    channel_id: int = 0
    starter_id: int = 0


@dataclass(frozen=True, slots=True)
class Discussion:
    """A discussion as stored, with its run."""

    run: Run
    context: str
    created_by: str
    max_rounds: int
    current_round: int
    speech_order: TalkOrder
    output_path: str | None
    link: str
    conclusion: str
    participants: tuple[Participant, ...]

    @property
    def active(self) -> tuple[Participant, ...]:
        """The participants that a round waits for."""
        return tuple(person for person in self.participants if person.active)


class DiscussionRepository:
    """Discussions and their participants."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def create(self, new: NewDiscussion, now: float) -> Discussion:
        """Store a discussion and start it; the coordinator's opening is round 0 (2.2#3)."""
        run_id = RunRepository(self._conn).new_run_id()
        # A discussion never duplicates another, so its id replaces the topic.
        place = TopicPlace(new.guild_id, new.channel_id, Mode.DEFAULT, f"discussion {run_id}")
        run = NewRun(
            place, new.channel_id, None, new.starter_id, new.topic, new.seed, title=new.title
        )
        RunRepository(self._conn).insert(run, Actor.ORCHESTRATOR, now, run_id)
        values = {
            "run_id": run_id,
            "context": new.context,
            "created_by": new.created_by,
            "max_rounds": new.max_rounds,
            "current_round": 1,
            "speech_order": new.speech_order,
            "output_path": new.output_path,
            "link": new.link,
            "conclusion": "",
        }
        self._conn.execute(discussions.insert(), values)
        rows = [
            asdict(person) | {"run_id": run_id, "ordinal": number, "active": 1, "wants_end": 0}
            for number, person in enumerate(new.participants)
        ]
        self._conn.execute(participants.insert(), rows)
        _walk(self._conn, run_id, _WAY_IN, StoreText.DISCUSSION_OPEN, now)
        return _require(self._conn, run_id)

    def get(self, run_id: str) -> Discussion | None:
        """The discussion, or None."""
        row = self._conn.execute(_BY_RUN, {"run_id": run_id}).first()
        if row is None:
            return None
        values = row._asdict()
        del values["run_id"]
        seated = select(participants).where(participants.c.run_id == run_id)
        people = self._conn.execute(seated.order_by(participants.c.ordinal))
        return Discussion(
            run=RunRepository(self._conn).require(run_id),
            **values,
            participants=tuple(_participant(found) for found in people),
        )

    def set_round(self, run_id: str, from_round: int, to_round: int) -> bool:
        """Go to the next round unless another caller already has."""
        here = discussions.c.run_id == run_id, discussions.c.current_round == from_round
        change = update(discussions).where(*here).values(current_round=to_round)
        return bool(self._conn.execute(change).rowcount)

    def vote_to_end(self, run_id: str, profile: str) -> None:
        """Store a participant's vote to end the discussion."""
        who = participants.c.run_id == run_id, participants.c.profile == profile
        self._conn.execute(update(participants).where(*who).values(wants_end=1))

    def conclude(self, run_id: str, reason: str, now: float) -> None:
        """End the discussion with its result."""
        _walk(self._conn, run_id, _WAY_OUT, reason, now)

    def cancel(self, run_id: str, reason: str, now: float) -> None:
        """End the discussion without a result."""
        actor = Actor.ORCHESTRATOR
        phases.move(self._conn, run_id, Phase.EXECUTING, Phase.FAILED, actor, reason, now)

    def set_conclusion(self, run_id: str, text: str) -> None:
        """Store the coordinator's conclusion, which may come after the end."""
        here = discussions.c.run_id == run_id
        self._conn.execute(update(discussions).where(here).values(conclusion=text))

    def set_path(self, run_id: str, path: str) -> None:
        """Store the path of the conclusion's file."""
        here = discussions.c.run_id == run_id
        self._conn.execute(update(discussions).where(here).values(output_path=path))

    def ended(self) -> tuple[Discussion, ...]:
        """Every discussion that is over and was not erased, oldest first."""
        query = (
            select(run_table.c.id)
            .join(discussions, discussions.c.run_id == run_table.c.id)
            .where(run_table.c.finished_at.is_not(None), run_table.c.topic != "")
            .order_by(run_table.c.created_at, run_table.c.id)
        )
        return tuple(_require(self._conn, run_id) for run_id in self._conn.execute(query).scalars())

    def listed(
        self, limit: int, status: Status | None = None
    ) -> tuple[tuple[Run, Mapping[str, Any]], ...]:
        """The newest discussions, of one status or of all, with their rounds, newest first."""
        query = (
            select(run_table, discussions.c.current_round, discussions.c.max_rounds)
            .join(discussions, discussions.c.run_id == run_table.c.id)
            .where(HAS_STATUS[status])
            .order_by(run_table.c.created_at.desc(), run_table.c.id.desc())
            .limit(limit)
        )
        found = []
        for row in self._conn.execute(query):
            values = row._asdict()
            rounds = {name: values.pop(name) for name in ("current_round", "max_rounds")}
            found.append((Run(**values), rounds))
        return tuple(found)


def _walk(conn: Connection, run_id: str, way: Sequence[Phase], reason: str, now: float) -> None:
    for here, there in pairwise(way):
        phases.move(conn, run_id, here, there, Actor.ORCHESTRATOR, reason, now)


def _require(conn: Connection, run_id: str) -> Discussion:
    """The discussion, which must exist."""
    found = DiscussionRepository(conn).get(run_id)
    if found is None:
        raise MissingRowError(f"there is no discussion {run_id}")
    return found


def _participant(row: Row[Any]) -> Participant:
    return Participant(
        row.profile,
        row.role,
        row.perspective,
        row.display_name,
        row.priority,
        bool(row.active),
        bool(row.wants_end),
    )
