"""Files: the name each run's exports have outside the database; a name is never given twice."""

from sqlalchemy import Connection, select

from bot.store.tables import files


def reserve(conn: Connection, run_id: str, base: str, taken_on_disk: frozenset[str]) -> str:
    """The run's file name: the one it has, else `base`, `base-2`, `base-3` … (2.2#46)."""
    known = name_of(conn, run_id)
    if known is not None:
        return known
    stored = conn.execute(select(files.c.stem).where(files.c.stem.startswith(base))).scalars()
    taken = taken_on_disk | frozenset(stored)
    stem, number = base, 1
    while stem in taken:
        number += 1
        stem = f"{base}-{number}"
    conn.execute(files.insert(), {"run_id": run_id, "stem": stem})
    return stem


def name_of(conn: Connection, run_id: str) -> str | None:
    """The run's file name, or None while it has none."""
    found: str | None = conn.execute(
        select(files.c.stem).where(files.c.run_id == run_id)
    ).scalar_one_or_none()
    return found
