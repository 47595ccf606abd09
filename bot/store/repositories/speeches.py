"""Speeches in discussions."""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, func, select

from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.tables import speeches
from bot.store.vocabulary import Actor

COORDINATOR: Final = "coordinator"


@dataclass(frozen=True, slots=True)
class Said:
    """One speech."""

    id: int
    round: int
    participant: str
    content: str
    reply_to: int | None
    created_at: float


class SpeechRepository:
    """The speeches of discussions."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def record(
        self,
        run_id: str,
        round_: int,
        speaker: str,
        content: str,
        reply_to: int | None,
        now: float,
    ) -> Said:
        """Store a speech with its event; the event refers to it and holds no text."""
        row = {
            "run_id": run_id,
            "round": round_,
            "participant": speaker,
            "content": content,
            "reply_to": reply_to,
            "created_at": now,
        }
        number = int(
            self._conn.execute(speeches.insert().returning(speeches.c.id), row).scalar_one()
        )
        payload = {"round": round_}
        actor = Actor.ORCHESTRATOR if speaker == COORDINATOR else Actor.EXECUTOR
        events.append(
            self._conn, run_id, EventType.SPEECH_RECORDED, str(number), actor, payload, now
        )
        return Said(number, round_, speaker, content, reply_to, now)

    def get(self, run_id: str, number: int) -> Said | None:
        """One speech of this discussion, never of another."""
        wanted = speeches.c.run_id == run_id, speeches.c.id == number
        row = self._conn.execute(select(speeches).where(*wanted)).first()
        return None if row is None else _said(row)

    def page(
        self,
        run_id: str,
        *,
        since_round: int | None = None,
        participant: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> tuple[Said, ...]:
        """Speeches in order, optionally only those after a number, up to a limit."""
        wanted: list[ColumnElement[bool]] = [speeches.c.run_id == run_id, speeches.c.id > after]
        if since_round is not None:
            wanted.append(speeches.c.round >= since_round)
        if participant is not None:
            wanted.append(speeches.c.participant == participant)
        query = select(speeches).where(*wanted).order_by(speeches.c.id)
        return tuple(
            _said(row) for row in self._conn.execute(query if limit is None else query.limit(limit))
        )

    def spoken_in(self, run_id: str, round_: int) -> frozenset[str]:
        """Who has spoken in a round."""
        wanted = speeches.c.run_id == run_id, speeches.c.round == round_
        query = select(speeches.c.participant).where(*wanted).distinct()
        return frozenset(self._conn.execute(query).scalars())

    def count_in(self, run_id: str, round_: int, speaker: str) -> int:
        """How often somebody has spoken in a round."""
        wanted = (
            speeches.c.run_id == run_id,
            speeches.c.round == round_,
            speeches.c.participant == speaker,
        )
        return int(self._conn.execute(select(func.count()).where(*wanted)).scalar_one())

    def nothing_said(self, run_id: str) -> bool:
        """Whether nobody has spoken yet."""
        query = select(speeches.c.id).where(speeches.c.run_id == run_id).limit(1)
        return self._conn.execute(query).first() is None


def _said(row: Row[Any]) -> Said:
    return Said(row.id, row.round, row.participant, row.content, row.reply_to, row.created_at)
