"""Seats of runs, and the text of their designs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, select, update

from bot.store.rows import insert_all, insert_new, row_of
from bot.store.tables import designs, seats
from bot.store.vocabulary import SeatStatus

_TEXTS_OF_RUN = select(designs.c.texts).where(designs.c.run_id == bindparam("run_id"))
_SEATS_OF_RUN = (
    select(seats)
    .where(seats.c.run_id == bindparam("run_id"))
    .order_by(seats.c.ordinal, seats.c.seat)
)


class DesignRepository:
    """The text of designs, kept apart from the log so that it can be erased."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def keep(self, run_id: str, texts: Mapping[str, Any]) -> None:
        """Store the text of a design, once."""
        insert_new(self._conn, designs, {"run_id": run_id, "texts": texts}, "run_id")

    def of_run(self, run_id: str) -> dict[str, Any]:
        """The text of a run's design; empty without a design or for an old one."""
        found: dict[str, Any] | None = self._conn.execute(
            _TEXTS_OF_RUN, {"run_id": run_id}
        ).scalar()
        return found or {}

    def erase(self, run_id: str) -> None:
        """Erase the text; every value becomes empty."""
        try:
            known = self.of_run(run_id)
        except ValueError:
            known = {}  # damaged, so its structure need not be kept
        empty = {name: type(value)() for name, value in known.items()}
        self._conn.execute(update(designs).where(designs.c.run_id == run_id).values(texts=empty))


@dataclass(frozen=True, slots=True)
class Seat:
    """One panelist of one run."""

    run_id: str
    slug: str
    ordinal: int
    role: str
    model: str
    provider: str
    wire_model: str
    family: str
    fallback: str = ""
    perspective: str = ""
    task: str = ""
    stage: int = 1
    status: SeatStatus = SeatStatus.SEATED
    last_activity: float | None = None
    external_session_ref: str | None = None

    @property
    def session_key(self) -> str:
        """The name of the seat's session, unique to the run."""
        return f"{self.run_id}:{self.slug}"


class SeatRepository:
    """The seats of runs."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def place(self, panel: Iterable[Seat]) -> None:
        """Store the seats of a panel; an existing seat stays as it is."""
        rows = [{**row_of(seat, seats), "seat": seat.slug} for seat in panel]
        insert_all(self._conn, seats, rows, "run_id", "seat")

    def get(self, run_id: str, seat: str) -> Seat | None:
        """The seat, or None."""
        query = select(seats).where(seats.c.run_id == run_id, seats.c.seat == seat)
        row = self._conn.execute(query).first()
        return None if row is None else _seat(row)

    def of_run(self, run_id: str) -> tuple[Seat, ...]:
        """The run's seats in panel order."""
        return tuple(_seat(row) for row in self._conn.execute(_SEATS_OF_RUN, {"run_id": run_id}))

    def touch(
        self, run_id: str, seat: str, now: float, external_session_ref: str | None = None
    ) -> bool:
        """Record that the seat's session was used, and the id of its external session."""
        values: dict[str, object] = {"last_activity": now}
        if external_session_ref is not None:
            values["external_session_ref"] = external_session_ref
        wanted = (seats.c.run_id == run_id, seats.c.seat == seat)
        return bool(self._conn.execute(update(seats).where(*wanted).values(values)).rowcount)


def _seat(row: Row[Any]) -> Seat:
    values = row._asdict()
    del values["session_key"]
    return Seat(slug=values.pop("seat"), **values)
