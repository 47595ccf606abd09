"""Files: the name each run's exports have outside the database; a name is never given twice."""

import re
from collections.abc import Collection
from itertools import islice

from sqlalchemy import Connection, bindparam, select

from bot.store.repositories.runs import Run, RunRepository
from bot.store.rows import insert_new
from bot.store.tables import files
from bot.store.tables import runs as run_table
from bot.store.vocabulary import Phase

_STEM = select(files.c.stem).where(files.c.run_id == bindparam("run_id"))
_LIKE = select(files.c.stem).where(files.c.stem.startswith(bindparam("base")))


class FileRepository:
    """The rows of one transaction: files."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def reserve(self, run_id: str, base: str, taken_on_disk: frozenset[str]) -> str:
        """The run's file name: the one it has, else `base`, `base-2`, `base-3` … (2.2#46)."""
        known = self.name_of(run_id)
        if known is not None:
            return known
        taken = taken_on_disk.union(self._conn.execute(_LIKE, {"base": base}).scalars())
        stem, number = base, 1
        while stem in taken:
            number += 1
            stem = f"{base}-{number}"
        insert_new(self._conn, files, {"run_id": run_id, "stem": stem}, "run_id")
        return stem

    def name_of(self, run_id: str) -> str | None:
        """The run's file name, or None while it has none."""
        found: str | None = self._conn.execute(_STEM, {"run_id": run_id}).scalar()
        return found

    def find_runs(self, slug: str, guild_id: int, limit: int) -> tuple[Run, ...]:
        """Concluded runs of a server whose file is called so, dated or not, newest first
        (2.2#45).
        """
        query = (
            select(files.c.run_id, files.c.stem)
            .join(run_table, run_table.c.id == files.c.run_id)
            .where(
                run_table.c.guild_id == guild_id,
                run_table.c.phase == Phase.COMPLETED,
                files.c.stem.contains(slug, autoescape=True),
            )
            .order_by(run_table.c.created_at.desc())
        )
        name = re.compile(rf"(?:\d{{4}}-\d\d-\d\d-)?{re.escape(slug)}(?:-\d+)?")
        rows = self._conn.execute(query)
        fitting = (row.run_id for row in rows if row.stem == slug or name.fullmatch(row.stem))
        return tuple(RunRepository(self._conn).require(run_id) for run_id in islice(fitting, limit))

    def names_of(self, run_ids: Collection[str]) -> dict[str, str]:
        """The file names of runs that have one, by their ids."""
        query = select(files.c.run_id, files.c.stem).where(files.c.run_id.in_(run_ids))
        return {row.run_id: row.stem for row in self._conn.execute(query)}
