"""Ballots of people while a vote is open; nobody is ever told who voted for what."""

from collections import Counter
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, Connection, delete, func, select, update

from bot.store.log.events import EventType
from bot.store.tables import ballots
from bot.store.tables import events as event_table
from bot.store.vocabulary import BallotTime


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's vote on one ballot."""

    run_id: str
    ballot: BallotTime
    person_id: int
    choice: str
    confidence: int | None = None


@dataclass(frozen=True, slots=True)
class _Marks:
    """The choices and confidences on a ballot without the voters, one entry per vote."""

    choices: Counter[str]
    confidences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Turnout:
    """How many people voted on both ballots of a run, and how many of them changed."""

    twice: int
    changed: int


class BallotRepository:
    """The votes of people, one per person and ballot."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def cast(self, vote: Vote, now: float) -> None:
        """Store a vote; it replaces an earlier one of the person on the same ballot."""
        self._conn.execute(delete(ballots).where(*_same(vote.run_id, vote.ballot, vote.person_id)))
        self._conn.execute(ballots.insert(), asdict(vote) | {"cast_at": now})

    def set_confidence(
        self, run_id: str, ballot: BallotTime, person_id: int, confidence: int
    ) -> bool:
        """Store how sure a person is of their vote; False when there is no vote."""
        change = update(ballots).where(*_same(run_id, ballot, person_id))
        return bool(self._conn.execute(change.values(confidence=confidence)).rowcount)

    def of_person(self, run_id: str, ballot: BallotTime, person_id: int) -> Vote | None:
        """A person's own vote; shown to nobody else."""
        row = self._conn.execute(select(ballots).where(*_same(run_id, ballot, person_id))).first()
        if row is None:
            return None
        return Vote(row.run_id, row.ballot, row.person_id, row.choice, row.confidence)

    def marks(self, run_id: str, ballot: BallotTime) -> _Marks:
        """The votes on a ballot without the voters."""
        query = select(ballots.c.choice, ballots.c.confidence).where(
            ballots.c.run_id == run_id, ballots.c.ballot == ballot
        )
        rows = self._conn.execute(query).all()
        sure = tuple(row.confidence for row in rows if row.confidence is not None)
        return _Marks(Counter(row.choice for row in rows), sure)

    def turnout(self, run_id: str) -> Turnout:
        """How many people voted on both ballots, and how many changed their choice."""
        first, second = ballots.alias(), ballots.alias()
        both = (
            (first.c.run_id == run_id) & (second.c.run_id == run_id),
            first.c.person_id == second.c.person_id,
            (first.c.ballot == BallotTime.BEFORE) & (second.c.ballot == BallotTime.AFTER),
        )
        twice = select(func.count()).select_from(first, second).where(*both)
        changed = twice.where(first.c.choice != second.c.choice)
        return Turnout(
            int(self._conn.execute(twice).scalar_one()),
            int(self._conn.execute(changed).scalar_one()),
        )

    def erase_run(self, run_id: str) -> None:
        """Delete the votes of a run after they were counted."""
        self._conn.execute(delete(ballots).where(ballots.c.run_id == run_id))

    def forget(self, person_id: int) -> int:
        """Delete a person's votes everywhere; returns how many there were. Counted results stay."""
        return int(
            self._conn.execute(delete(ballots).where(ballots.c.person_id == person_id)).rowcount
        )

    def untold(self, run_id: str | None = None) -> dict[str, float]:
        """Runs whose second ballot has no posted result, with the time it closes.

        One that was closed before its time closes at once.
        """
        told = select(event_table.c.run_id).where(event_table.c.type == EventType.BALLOT_TOLD)
        wanted = [
            event_table.c.type == EventType.BALLOT_OPENED,
            event_table.c.key == BallotTime.AFTER,
            event_table.c.run_id.not_in(told),
        ]
        if run_id is not None:
            wanted.append(event_table.c.run_id == run_id)
        rows = self._conn.execute(
            select(event_table.c.run_id, event_table.c.payload).where(*wanted)
        )
        due = {row.run_id: float(row.payload["closes_at"]) for row in rows}
        counted = select(event_table.c.run_id).where(
            event_table.c.type == EventType.BALLOT_CLOSED,
            event_table.c.key == BallotTime.AFTER,
            event_table.c.run_id.in_(due),
        )
        closed = set(self._conn.execute(counted).scalars()) if due else set()
        return {run: 0.0 if run in closed else moment for run, moment in due.items()}


def _same(run_id: str, ballot: BallotTime, person_id: int) -> tuple[ColumnElement[bool], ...]:
    return (
        ballots.c.run_id == run_id,
        ballots.c.ballot == ballot,
        ballots.c.person_id == person_id,
    )
