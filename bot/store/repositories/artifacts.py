"""The output of runs: artifacts, bundles of files, and the names of exported files."""

import hashlib
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from sqlalchemy import Connection, bindparam, select, update

from bot.messages.approvals import EffectText
from bot.store.log import events
from bot.store.log.events import EventType, Right, require
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.runs import Run, RunRepository
from bot.store.rows import fresh_id, insert_new, row_of
from bot.store.tables import artifacts, files
from bot.store.tables import runs as run_table
from bot.store.tables.types import storable
from bot.store.vocabulary import Actor, ArtifactKind, Phase

_MINE = select(artifacts).where(artifacts.c.run_id == bindparam("run_id"))
_BY_ID = select(artifacts).where(artifacts.c.id == bindparam("id"))
_NAMED = _MINE.where(
    *(artifacts.c[name] == bindparam(name) for name in ("attempt", "kind", "name"))
)
_OF_RUN = _MINE.order_by(artifacts.c.created_at, artifacts.c.attempt, artifacts.c.id)
BUILT: Final = "build/"
"""Prefix of the names of built files, which keeps them apart from the bot's own files."""
MINUTES: Final = "minutes.md"
"""What the minutes are called; they are made of the record and hold what people said."""
FILES: Final = "files"
REPLACED: Final = "replaced"
"""Keys in an approval's details: the files it is about, and those that exist already."""
_BUNDLE: Final = "bundle"
_LISTING: Final = "listing"
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
_STEM = select(files.c.stem).where(files.c.run_id == bindparam("run_id"))
_LIKE = select(files.c.stem).where(files.c.stem.startswith(bindparam("base")))


@dataclass(frozen=True, slots=True)
class Artifact:
    """A piece of output with its content and its hash."""

    id: str
    run_id: str
    attempt: int
    kind: ArtifactKind
    name: str
    content: str
    sha256: str
    size: int
    produced_by: Actor
    created_at: float


class ArtifactRepository:
    """The artifacts of runs, each recorded once under its name in an attempt."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def record(
        self,
        run_id: str,
        attempt: int,
        kind: ArtifactKind,
        name: str,
        content: str,
        actor: Actor,
        now: float,
    ) -> Artifact:
        """Store an artifact with its event, or return the one recorded before under the same
        name.
        """
        require(actor, Right.ARTIFACT)
        known = self.find(run_id, attempt, kind, name)
        if known is not None:
            return known
        text = storable(content)
        data = text.encode()
        artifact = Artifact(
            id=fresh_id(self._conn, artifacts, "art"),
            run_id=run_id,
            attempt=attempt,
            kind=kind,
            name=name,
            content=text,
            sha256=hashlib.sha256(data).hexdigest(),
            size=len(data),
            produced_by=actor,
            created_at=now,
        )
        insert_new(self._conn, artifacts, row_of(artifact, artifacts), "id")
        payload = {"id": artifact.id, "sha256": artifact.sha256, "size": artifact.size}
        key = f"{attempt}:{kind}:{name}"
        events.append(self._conn, run_id, EventType.ARTIFACT_RECORDED, key, actor, payload, now)
        return artifact

    def write_minutes_anew(self, run_id: str, content: str) -> None:
        """Replace the minutes of a run, as far as there are any, after somebody's words went."""
        data = storable(content).encode()
        same = (artifacts.c.run_id == run_id, artifacts.c.name == MINUTES)
        digest = hashlib.sha256(data).hexdigest()
        changed = {"content": data.decode(), "sha256": digest, "size": len(data)}
        self._conn.execute(update(artifacts).where(*same).values(changed))

    def get(self, artifact_id: str) -> Artifact | None:
        """The artifact, or None."""
        row = self._conn.execute(_BY_ID, {"id": artifact_id}).mappings().first()
        return None if row is None else Artifact(**row)

    def find(self, run_id: str, attempt: int, kind: ArtifactKind, name: str) -> Artifact | None:
        """The artifact recorded under the name in the attempt, or None."""
        wanted = {"run_id": run_id, "attempt": attempt, "kind": kind, "name": name}
        row = self._conn.execute(_NAMED, wanted).mappings().first()
        return None if row is None else Artifact(**row)

    def of_run(self, run_id: str) -> tuple[Artifact, ...]:
        """The run's artifacts, oldest first; a recovery continues from the last."""
        return tuple(
            Artifact(**row) for row in self._conn.execute(_OF_RUN, {"run_id": run_id}).mappings()
        )


def bundle_id(run_id: str, attempt: int) -> str:
    """The id by which an attachment names all files of an attempt."""
    return f"{_BUNDLE}:{run_id}:{attempt}"


def listing_id(approval_id: str) -> str:
    """The id by which an attachment names the list of an approval's files."""
    return f"{_LISTING}:{approval_id}"


def file_bytes(conn: Connection, wanted: str) -> bytes | None:
    """The content of an attachment: an artifact, a list, or the files of an attempt as a zip."""
    if wanted.startswith(f"{_LISTING}:"):
        asked = ApprovalRepository(conn).get(wanted.partition(":")[2])
        details = asked.details if asked else {}
        return (
            EffectText.file_list(details.get(FILES, ()), details.get(REPLACED, ())).encode() or None
        )
    if not wanted.startswith(f"{_BUNDLE}:"):
        artifact = ArtifactRepository(conn).get(wanted)
        return artifact.content.encode() if artifact else None
    _, run_id, attempt = wanted.split(":")
    found = (a for a in ArtifactRepository(conn).of_run(run_id) if a.attempt == int(attempt))
    return _zipped([a for a in found if a.name.startswith(BUILT)])


def _zipped(files: Sequence[Artifact]) -> bytes:
    """The files as a zip with a fixed timestamp, so that the same files give the same bytes."""
    import zipfile  # noqa: PLC0415 (a start should not pay for it)

    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as bundle:
        for file in sorted(files, key=lambda one: one.name):
            entry = zipfile.ZipInfo(file.name.removeprefix(BUILT), _MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            bundle.writestr(entry, file.content)
    return data.getvalue()


class FileRepository:
    """The file names under which runs are exported, unique among all runs."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def reserve(self, run_id: str, base: str, taken_on_disk: frozenset[str]) -> str:
        """The run's file name: the existing one, else `base`, `base-2`, `base-3` … (2.2#46)."""
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
        """Concluded runs of a server by file name, dated or not, newest first (2.2#45)."""
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
