"""The turns of a seat's session in order: its only memory of input and answers."""

from dataclasses import dataclass

from sqlalchemy import Connection, func, select, update

from bot.store.tables import turns
from bot.store.vocabulary import TurnVoice


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a session; ordinals count from 1."""

    run_id: str
    seat: str
    ordinal: int
    voice: TurnVoice
    author: str
    text: str
    message_id: int | None
    created_at: float


class TurnRepository:
    """The turns of the sessions of seats."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def append(
        self,
        run_id: str,
        seat: str,
        voice: TurnVoice,
        author: str,
        text: str,
        now: float,
        message_id: int | None = None,
    ) -> Turn:
        """Add a turn at the end of the seat's session."""
        newest = select(func.coalesce(func.max(turns.c.ordinal), 0)).where(
            turns.c.run_id == run_id, turns.c.seat == seat
        )
        ordinal = int(self._conn.execute(newest).scalar_one()) + 1
        values = (run_id, seat, ordinal, voice, author, text, message_id, now)
        row = dict(zip(turns.columns.keys(), values, strict=True))
        self._conn.execute(turns.insert(), row)
        return Turn(*values)

    def session(self, run_id: str, seat: str) -> tuple[Turn, ...]:
        """The seat's turns in order."""
        query = select(turns).where(turns.c.run_id == run_id, turns.c.seat == seat)
        return tuple(
            Turn(**row._asdict()) for row in self._conn.execute(query.order_by(turns.c.ordinal))
        )

    def tail(self, run_id: str, seat: str, limit: int) -> tuple[Turn, ...]:
        """The seat's newest turns, in order."""
        query = select(turns).where(turns.c.run_id == run_id, turns.c.seat == seat)
        rows = self._conn.execute(query.order_by(turns.c.ordinal.desc()).limit(limit))
        return tuple(reversed([Turn(**row._asdict()) for row in rows]))

    def said_by_others(self, run_id: str, seat: str, limit: int) -> tuple[Turn, ...]:
        """The newest answers of the run's other seats, in order."""
        wanted = (turns.c.run_id == run_id, turns.c.seat != seat, turns.c.voice == TurnVoice.SAID)
        newest = select(turns).where(*wanted).order_by(turns.c.created_at.desc(), turns.c.seat)
        rows = self._conn.execute(newest.limit(limit))
        return tuple(reversed([Turn(**row._asdict()) for row in rows]))

    def erase_run(self, run_id: str) -> int:
        """Erase the text of all turns of a run."""
        erased = update(turns).where(turns.c.run_id == run_id).values(text="", author="")
        return self._conn.execute(erased).rowcount

    def erase(self, message_id: int) -> int:
        """Erase the turns that hold a person's message; returns how many there were."""
        heard = (turns.c.message_id == message_id, turns.c.voice == TurnVoice.HEARD)
        return self._conn.execute(update(turns).where(*heard).values(text="", author="")).rowcount

    def reword(self, message_id: int, text: str) -> int:
        """Replace the text of a person's message in turns by its new text."""
        heard = (turns.c.message_id == message_id, turns.c.voice == TurnVoice.HEARD)
        return self._conn.execute(update(turns).where(*heard).values(text=text)).rowcount
