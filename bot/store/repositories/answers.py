"""Answers of models: the whole text and what was parsed from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select

from bot.store.log.events import EventType
from bot.store.rows import insert_new, row_of
from bot.store.tables import answers, events

_MINE = answers.c.run_id == bindparam("run_id")
_BY_KEY = select(answers).where(_MINE, answers.c.key == bindparam("key"))
_ORDERED = select(answers).where(_MINE).order_by(answers.c.created_at, answers.c.key)
_OF_ROUND = _ORDERED.where(answers.c.round == bindparam("round"))
_OF_CALLS = (
    select(answers)
    .join(events, (events.c.run_id == answers.c.run_id) & (events.c.key == answers.c.key))
    .where(_MINE, events.c.type == EventType.CALL_DONE)
    .order_by(events.c.id)
)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One answer; a late one came after its deadline and is never posted."""

    run_id: str
    key: str
    seat: str
    round: int
    text: str
    created_at: float
    digest: str = ""
    stance: str = ""
    parsed: Mapping[str, Any] = field(default_factory=dict)
    late: bool = False


class AnswerRepository:
    """The answers of runs, each stored once under the key of its call."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def save(self, answer: StoredAnswer) -> bool:
        """Store an answer once; False when its key has one already."""
        row = row_of(answer, answers) | {"late": int(answer.late)}
        return insert_new(self._conn, answers, row, "run_id", "key")

    def get(self, run_id: str, key: str) -> StoredAnswer | None:
        """The answer under the key, or None."""
        row = self._conn.execute(_BY_KEY, {"run_id": run_id, "key": key}).first()
        return None if row is None else _answer(row)

    def of_run(self, run_id: str, round_: int | None = None) -> tuple[StoredAnswer, ...]:
        """The run's answers, oldest first, all or of one round."""
        query = _ORDERED if round_ is None else _OF_ROUND
        found = self._conn.execute(query, {"run_id": run_id, "round": round_})
        return tuple(_answer(row) for row in found)

    def of_calls(self, run_id: str) -> tuple[StoredAnswer, ...]:
        """The answers of the run's calls, in the order they were recorded."""
        return tuple(_answer(row) for row in self._conn.execute(_OF_CALLS, {"run_id": run_id}))

    def of_seat(self, run_id: str, seat: str) -> tuple[StoredAnswer, ...]:
        """What a seat answered in the rounds, oldest first; answers that came too late are left
        out.
        """
        own = (answers.c.seat == seat, answers.c.round > 0, answers.c.late == 0)
        query = select(answers).where(answers.c.run_id == run_id, *own)
        ordered = query.order_by(answers.c.round, answers.c.created_at)
        return tuple(_answer(row) for row in self._conn.execute(ordered))

    def of_nobody(self, run_id: str) -> tuple[StoredAnswer, ...]:
        """Answers without a seat, such as summaries and the conclusion, oldest first."""
        query = select(answers).where(answers.c.run_id == run_id, answers.c.seat == "")
        ordered = query.order_by(answers.c.created_at, answers.c.key)
        return tuple(_answer(row) for row in self._conn.execute(ordered))

    def newest(self, run_id: str, prefix: str) -> StoredAnswer | None:
        """The newest answer whose key has this prefix."""
        begins = answers.c.key.startswith(prefix, autoescape=True)
        query = select(answers).where(answers.c.run_id == run_id, begins)
        row = self._conn.execute(query.order_by(answers.c.created_at.desc()).limit(1)).first()
        return None if row is None else _answer(row)


def _answer(row: Row[Any]) -> StoredAnswer:
    return StoredAnswer(**row._asdict() | {"late": bool(row.late)})
