"""Answers: what seats said, whole, with what was read out of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from bot.store.rows import row_of
from bot.store.tables import answers


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One answer of a seat; a late one came after its deadline and is never posted."""

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


def save(conn: Connection, answer: StoredAnswer) -> bool:
    """Store an answer once; False when its key has one already."""
    if get(conn, answer.run_id, answer.key) is not None:
        return False
    conn.execute(answers.insert(), row_of(answer, answers) | {"late": int(answer.late)})
    return True


def get(conn: Connection, run_id: str, key: str) -> StoredAnswer | None:
    """The answer under the key, or None."""
    query = select(answers).where(answers.c.run_id == run_id, answers.c.key == key)
    row = conn.execute(query).first()
    return None if row is None else _answer(row._asdict())


def of_run(conn: Connection, run_id: str, round_: int | None = None) -> tuple[StoredAnswer, ...]:
    """The run's answers, oldest first, all or of one round."""
    query = select(answers).where(answers.c.run_id == run_id)
    if round_ is not None:
        query = query.where(answers.c.round == round_)
    ordered = query.order_by(answers.c.created_at, answers.c.key)
    return tuple(_answer(row._asdict()) for row in conn.execute(ordered))


def _answer(values: dict[str, Any]) -> StoredAnswer:
    return StoredAnswer(**values | {"late": bool(values["late"])})
