"""The spec of a build: its versions, and the one that was accepted (B10-B12, B17).

The text of a version is an artifact, because events hold no text that a person wrote.
"""

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, exists, or_, select

from bot.store.log import events
from bot.store.log.events import EventType
from bot.store.repositories.artifacts import ArtifactRepository
from bot.store.tables import events as event_table
from bot.store.tables import runs as run_table
from bot.store.vocabulary import Actor, ArtifactKind, Phase

_ACCEPTED: Final = "accepted"
BY_RULE: Final = "rule"
"""The actor when `--quick` accepts a strong spec without a person."""
_OPEN: Final = (Phase.SPEC_DRAFT, Phase.SPEC_REVIEW)
# Looks up each open run, of which there are few, instead of scanning the whole log.
_IS_SHOWN = exists().where(
    event_table.c.run_id == run_table.c.id,
    event_table.c.type == bindparam("shown", EventType.SPEC_SHOWN),
)
_SHOWN = select(run_table.c.id, run_table.c.guild_id).where(
    run_table.c.finished_at.is_(None),
    or_(*(run_table.c.phase == bindparam(phase, phase) for phase in _OPEN)),
    _IS_SHOWN,
)


@dataclass(frozen=True, slots=True)
class SpecDraft:
    """One version; `by` is "panel" or a person's id, `after` is why it was written."""

    version: int
    text: str
    artifact_id: str
    by: str
    after: str
    shown: bool = False
    replaced: str = ""
    """Why it was replaced: "changes", "edit" or "review"; empty while it is current."""
    wish_id: int = 0
    """Under which id a person's words are stored that asked for changes."""


class SpecRepository:
    """The spec versions of builds, kept as events and artifacts."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def record(self, run_id: str, text: str, by: str, after: str, now: float) -> SpecDraft:
        """Store the next version."""
        version = len(events.history(self._conn, run_id, EventType.SPEC_DRAFTED)) + 1
        actor, kind = Actor.ORCHESTRATOR, ArtifactKind.OTHER
        name = f"spec-v{version}.md"
        artifact = ArtifactRepository(self._conn).record(run_id, 0, kind, name, text, actor, now)
        payload = {"artifact": artifact.id, "by": by, "after": after}
        events.append(
            self._conn, run_id, EventType.SPEC_DRAFTED, _key(version), actor, payload, now
        )
        return SpecDraft(version, artifact.content, artifact.id, by, after)

    def latest(self, run_id: str) -> SpecDraft | None:
        """The newest version, or None."""
        drafted = events.history(self._conn, run_id, EventType.SPEC_DRAFTED)
        return _draft(self._conn, run_id, len(drafted), drafted[-1].payload) if drafted else None

    def mark_shown(self, run_id: str, version: int, now: float) -> bool:
        """Record that the version was shown to its starter for a decision."""
        return _mark(self._conn, run_id, EventType.SPEC_SHOWN, version, {}, now)

    def replace(self, run_id: str, version: int, why: str, now: float, *, wish_id: int = 0) -> bool:
        """Mark the version as replaced; False when it was replaced before."""
        payload = {"why": why} | ({"wish": wish_id} if wish_id else {})
        return _mark(self._conn, run_id, EventType.SPEC_REPLACED, version, payload, now)

    def accept(self, run_id: str, draft: SpecDraft, by: str, now: float) -> bool:
        """Record the accepted version; False when one was accepted before."""
        payload = {"version": draft.version, "artifact": draft.artifact_id, "by": by}
        actor = Actor.ORCHESTRATOR
        return events.append(
            self._conn, run_id, EventType.SPEC_RECORDED, _ACCEPTED, actor, payload, now
        )

    def is_accepted(self, run_id: str) -> bool:
        """Whether a version was accepted, so that building may begin."""
        return events.find(self._conn, run_id, EventType.SPEC_RECORDED, _ACCEPTED) is not None

    def accepted(self, run_id: str) -> SpecDraft | None:
        """The accepted version, or None."""
        known = events.find(self._conn, run_id, EventType.SPEC_RECORDED, _ACCEPTED)
        if known is None:
            return None
        version = int(known["version"])
        payload = events.find(self._conn, run_id, EventType.SPEC_DRAFTED, _key(version)) or {}
        return _draft(self._conn, run_id, version, payload)

    def settled(self, run_id: str) -> tuple[int, ...]:
        """The versions that were before the starter and wait no more."""
        shown = [int(e.key[1:]) for e in events.history(self._conn, run_id, EventType.SPEC_SHOWN)]
        waiting = self.latest(run_id) if self.waits(run_id) else None
        return tuple(version for version in shown if not waiting or version != waiting.version)

    def waits(self, run_id: str) -> bool:
        """Whether the run waits for its starter's decision about the spec."""
        draft = None if self.is_accepted(run_id) else self.latest(run_id)
        return draft is not None and draft.shown and not draft.replaced

    def waiting(self) -> tuple[tuple[str, int], ...]:
        """The runs that wait for a decision about their spec, each with its server."""
        found = self._conn.execute(_SHOWN).all()
        return tuple((row.id, row.guild_id) for row in found if self.waits(row.id))


def _mark(
    conn: Connection, run_id: str, type_: EventType, version: int, payload: Any, now: float
) -> bool:
    return events.append(conn, run_id, type_, _key(version), Actor.ORCHESTRATOR, payload, now)


def _draft(conn: Connection, run_id: str, version: int, payload: dict[str, Any]) -> SpecDraft:
    artifact = ArtifactRepository(conn).get(payload["artifact"])
    replaced = events.find(conn, run_id, EventType.SPEC_REPLACED, _key(version)) or {}
    return SpecDraft(
        version,
        artifact.content if artifact else "",
        payload["artifact"],
        payload["by"],
        payload["after"],
        shown=events.find(conn, run_id, EventType.SPEC_SHOWN, _key(version)) is not None,
        replaced=str(replaced.get("why", "")),
        wish_id=int(replaced.get("wish", 0)),
    )


def _key(version: int) -> str:
    return f"v{version}"
