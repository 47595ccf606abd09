"""Ballots of people while a vote is open; nobody is ever told who voted for what."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import ColumnElement, Connection, delete, exists, func, select, update

from bot.store.log.events import EventType
from bot.store.rows import insert_new
from bot.store.tables import ballots, kept_votes, record_members, runs
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
        self._conn.execute(delete(record_members).where(record_members.c.person_id == person_id))
        gone = [
            self._conn.execute(delete(table).where(table.c.person_id == person_id)).rowcount
            for table in (ballots, kept_votes)
        ]
        return int(sum(gone))

    def forget_server(self, guild_id: int) -> None:
        """Delete who joined the record of a server, and their votes there."""
        for table in (record_members, kept_votes):
            self._conn.execute(delete(table).where(table.c.guild_id == guild_id))

    def join(self, guild_id: int, person_id: int, now: float) -> bool:
        """Keep a person's votes in a server from now on; False when they are kept already."""
        row = {"guild_id": guild_id, "person_id": person_id, "joined_at": now}
        return insert_new(self._conn, record_members, row, "guild_id", "person_id")

    def leave(self, guild_id: int, person_id: int) -> bool:
        """Delete a person's votes in a server and keep none; False when none were kept."""
        left = False
        for table in (kept_votes, record_members):
            own = (table.c.guild_id == guild_id, table.c.person_id == person_id)
            left = bool(self._conn.execute(delete(table).where(*own)).rowcount)
        return left

    def joined(self, person_id: int) -> bool:
        """Whether a person joined the record of any server."""
        query = select(record_members.c.guild_id).where(record_members.c.person_id == person_id)
        return self._conn.execute(query).first() is not None

    def keep_members(self, run_id: str, guild_id: int, options: Sequence[str]) -> int:
        """Keep the last vote of everybody who joined the record; returns how many are kept."""
        joined = select(record_members.c.person_id).where(record_members.c.guild_id == guild_id)
        query = select(ballots).where(ballots.c.run_id == run_id, ballots.c.person_id.in_(joined))
        cast = self._conn.execute(query).all()
        last = {row.person_id: row.choice for row in cast}
        last |= {row.person_id: row.choice for row in cast if row.ballot is BallotTime.AFTER}
        for person_id, choice in last.items():
            if choice in options:
                row = {"run_id": run_id, "guild_id": guild_id, "person_id": person_id}
                row["option"] = options.index(choice)
                insert_new(self._conn, kept_votes, row, "run_id", "person_id")
        return len(last)

    def kept(self, guild_id: int) -> tuple[tuple[str, int, int], ...]:
        """The votes of members of a server's record: run, person and option."""
        query = select(kept_votes.c.run_id, kept_votes.c.person_id, kept_votes.c.option)
        rows = self._conn.execute(query.where(kept_votes.c.guild_id == guild_id))
        return tuple((row.run_id, row.person_id, row.option) for row in rows)

    def counted(self, guild_id: int, when: BallotTime) -> dict[str, tuple[int, ...]]:
        """The counted ballots of a server's votes by option, without names, by run."""
        of_server = select(runs.c.id).where(runs.c.guild_id == guild_id)
        rows = self._conn.execute(
            select(event_table.c.run_id, event_table.c.payload).where(
                event_table.c.type == EventType.BALLOT_CLOSED,
                event_table.c.key == when,
                event_table.c.run_id.in_(of_server),
            )
        )
        return {row.run_id: tuple(row.payload["votes"]) for row in rows}

    def untold(self, run_id: str | None = None, server: int | None = None) -> dict[str, float]:
        """Runs, or those of a server, whose second ballot has no posted result, and its end.

        One that was closed before its time closes at once.
        """
        other = event_table.alias()
        told = exists().where(
            other.c.run_id == event_table.c.run_id, other.c.type == EventType.BALLOT_TOLD
        )
        wanted = [
            event_table.c.type == EventType.BALLOT_OPENED,
            event_table.c.key == BallotTime.AFTER,
            ~told,
        ]
        if run_id is not None:
            wanted.append(event_table.c.run_id == run_id)
        if server is not None:
            here = select(runs.c.id).where(runs.c.guild_id == server)
            wanted.append(event_table.c.run_id.in_(here))
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
