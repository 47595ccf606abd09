"""Artifacts: what a run produced, recorded once per attempt, kind and name."""

import hashlib
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, select

from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.log.rights import Right, require
from bot.store.rows import fresh_id, insert_new, row_of
from bot.store.tables import artifacts
from bot.store.tables.types import storable
from bot.store.vocabulary import Actor, ArtifactKind


@dataclass(frozen=True, slots=True)
class Artifact:
    """A piece of output with its content and the hash of it."""

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


def record(
    conn: Connection,
    run_id: str,
    attempt: int,
    kind: ArtifactKind,
    name: str,
    content: str,
    actor: Actor,
    now: float,
) -> Artifact:
    """Store an artifact with its event, or return the one recorded before under the same name."""
    require(actor, Right.ARTIFACT)
    known = find(conn, run_id, attempt, kind, name)
    if known is not None:
        return known
    text = storable(content)
    data = text.encode()
    artifact = Artifact(
        id=fresh_id(conn, artifacts, "art"),
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
    insert_new(conn, artifacts, row_of(artifact, artifacts), "id")
    payload = {"id": artifact.id, "sha256": artifact.sha256, "size": artifact.size}
    key = f"{attempt}:{kind}:{name}"
    events.append(conn, run_id, EventType.ARTIFACT_RECORDED, key, actor, payload, now)
    return artifact


def get(conn: Connection, artifact_id: str) -> Artifact | None:
    """The artifact, or None."""
    row = conn.execute(_BY_ID, {"id": artifact_id}).mappings().first()
    return None if row is None else Artifact(**row)


def find(
    conn: Connection, run_id: str, attempt: int, kind: ArtifactKind, name: str
) -> Artifact | None:
    """The artifact recorded under the name in the attempt, or None."""
    wanted = {"run_id": run_id, "attempt": attempt, "kind": kind, "name": name}
    row = conn.execute(_NAMED, wanted).mappings().first()
    return None if row is None else Artifact(**row)


def of_run(conn: Connection, run_id: str) -> tuple[Artifact, ...]:
    """The run's artifacts, oldest first; a recovery continues from the last."""
    return tuple(Artifact(**row) for row in conn.execute(_OF_RUN, {"run_id": run_id}).mappings())


_MINE = select(artifacts).where(artifacts.c.run_id == bindparam("run_id"))
_BY_ID = select(artifacts).where(artifacts.c.id == bindparam("id"))
_NAMED = _MINE.where(
    *(artifacts.c[name] == bindparam(name) for name in ("attempt", "kind", "name"))
)
_OF_RUN = _MINE.order_by(artifacts.c.created_at, artifacts.c.attempt, artifacts.c.id)
