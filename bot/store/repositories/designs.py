"""Designs: what of a frozen design people or models put into words, beside the log."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from bot.store.rows import insert_new
from bot.store.tables import designs


def keep(conn: Connection, run_id: str, texts: Mapping[str, Any]) -> None:
    """Store the words of a design, once."""
    insert_new(conn, designs, {"run_id": run_id, "texts": texts}, "run_id")


def of_run(conn: Connection, run_id: str) -> dict[str, Any]:
    """The words of a run's design; none when it has no design yet, or an old one."""
    found: dict[str, Any] | None = conn.execute(_OF_RUN, {"run_id": run_id}).scalar()
    return found or {}


_OF_RUN = select(designs.c.texts).where(designs.c.run_id == bindparam("run_id"))


def erase(conn: Connection, run_id: str) -> None:
    """Forget the words; every one of them is left empty."""
    try:
        known = of_run(conn, run_id)
    except ValueError:
        known = {}  # damaged, so nothing of it is worth its shape
    empty = {name: type(value)() for name, value in known.items()}
    conn.execute(update(designs).where(designs.c.run_id == run_id).values(texts=empty))
