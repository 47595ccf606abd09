"""Designs: what of a frozen design people or models put into words, beside the log."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from bot.store.rows import insert_new
from bot.store.tables import designs

_OF_RUN = select(designs.c.texts).where(designs.c.run_id == bindparam("run_id"))


class DesignRepository:
    """The rows of one transaction: designs."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def keep(self, run_id: str, texts: Mapping[str, Any]) -> None:
        """Store the words of a design, once."""
        insert_new(self._conn, designs, {"run_id": run_id, "texts": texts}, "run_id")

    def of_run(self, run_id: str) -> dict[str, Any]:
        """The words of a run's design; none when it has no design yet, or an old one."""
        found: dict[str, Any] | None = self._conn.execute(_OF_RUN, {"run_id": run_id}).scalar()
        return found or {}

    def erase(self, run_id: str) -> None:
        """Forget the words; every one of them is left empty."""
        try:
            known = self.of_run(run_id)
        except ValueError:
            known = {}  # damaged, so nothing of it is worth its shape
        empty = {name: type(value)() for name, value in known.items()}
        self._conn.execute(update(designs).where(designs.c.run_id == run_id).values(texts=empty))
