"""Approvals: side effects that wait for a person, once per idempotency key (B30-B33)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Connection, select, update

from bot.store.errors import ConflictError, MissingRowError
from bot.store.log import events
from bot.store.log.events import EventType, Right, require
from bot.store.rows import fresh_id
from bot.store.tables import approvals
from bot.store.tables import events as event_table
from bot.store.vocabulary import Actor, ApprovalStatus, SideEffect


@dataclass(frozen=True, slots=True)
class NewApproval:
    """A side effect somebody asks for; `details` hold ids for the effect, no person's words.

    `gates` says that the run waits for the decision in `awaiting_approval` (B23).
    """

    run_id: str
    requested_action: str
    side_effect_kind: SideEffect
    idempotency_key: str
    requested_by: str
    effect: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    rollback_hint: str = ""
    attempt: int = 0
    gates: bool = False


@dataclass(frozen=True, slots=True)
class Approval:
    """A side effect and what was decided about it; `note` may hold a person's words."""

    id: str
    run_id: str
    requested_action: str
    side_effect_kind: SideEffect
    idempotency_key: str
    status: ApprovalStatus
    requested_by: str
    resolved_by: str | None
    note: str
    created_at: float
    resolved_at: float | None
    effect: str
    details: dict[str, Any]
    rollback_hint: str
    attempt: int
    gates: bool


class ApprovalRepository:
    """Approvals, each asked for once per idempotency key."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def request(self, new: NewApproval, actor: Actor, now: float) -> Approval:
        """Create an approval, or return the one created before under the same key."""
        require(actor, Right.REQUEST_APPROVAL)
        known = self.find(new.idempotency_key)
        if known is not None:
            if known.run_id != new.run_id:
                raise ConflictError(
                    f"the idempotency key {new.idempotency_key} belongs to {known.run_id}"
                )
            return known
        row = asdict(new) | {
            "id": fresh_id(self._conn, approvals, "apr"),
            "status": ApprovalStatus.PENDING,
            "resolved_by": None,
            "note": "",
            "created_at": now,
            "resolved_at": None,
            "gates": int(new.gates),
        }
        self._conn.execute(approvals.insert(), row)
        payload = {"id": row["id"], "side_effect_kind": new.side_effect_kind}
        asked = EventType.APPROVAL_REQUESTED
        events.append(self._conn, new.run_id, asked, new.idempotency_key, actor, payload, now)
        return _approval(row)

    def resolve(
        self,
        approval_id: str,
        status: ApprovalStatus,
        resolved_by: str,
        note: str,
        actor: Actor,
        now: float,
    ) -> bool:
        """Decide a pending approval; False when it was decided before. Never moves a phase."""
        require(actor, Right.RESOLVE_APPROVAL)
        if status is ApprovalStatus.PENDING:
            raise ConflictError("an approval cannot be resolved as pending")
        known = self.get(approval_id)
        if known is None:
            raise MissingRowError(f"there is no approval {approval_id}")
        pending = (approvals.c.id == approval_id, approvals.c.status == ApprovalStatus.PENDING)
        decision = {"status": status, "resolved_by": resolved_by, "note": note, "resolved_at": now}
        if not self._conn.execute(update(approvals).where(*pending).values(decision)).rowcount:
            return False
        payload = {"id": approval_id, "status": status}
        resolved = EventType.APPROVAL_RESOLVED
        return events.append(
            self._conn, known.run_id, resolved, known.idempotency_key, actor, payload, now
        )

    def get(self, approval_id: str) -> Approval | None:
        """The approval, or None."""
        row = self._conn.execute(select(approvals).where(approvals.c.id == approval_id)).first()
        return None if row is None else _approval(row._asdict())

    def find(self, idempotency_key: str) -> Approval | None:
        """The approval asked for under the key, or None."""
        wanted = approvals.c.idempotency_key == idempotency_key
        row = self._conn.execute(select(approvals).where(wanted)).first()
        return None if row is None else _approval(row._asdict())

    def of_key(self, run_id: str, name: str) -> tuple[Approval, ...]:
        """Every approval asked for under `<name>#1`, `<name>#2` …, oldest first."""
        named = approvals.c.idempotency_key.startswith(f"{name}#", autoescape=True)
        return _select(self._conn, approvals.c.run_id == run_id, named)

    def of_run(self, run_id: str) -> tuple[Approval, ...]:
        """Every approval that was asked for in a run, oldest first."""
        return _select(self._conn, approvals.c.run_id == run_id)

    def pending(self, run_id: str | None = None) -> tuple[Approval, ...]:
        """Undecided approvals, oldest first; a restart shows them again."""
        own = [] if run_id is None else [approvals.c.run_id == run_id]
        return _select(self._conn, approvals.c.status == ApprovalStatus.PENDING, *own)

    def unfinished(self) -> tuple[Approval, ...]:
        """Granted approvals whose effect has neither succeeded nor finally failed."""
        ended = (
            select(event_table.c.id)
            .where(
                event_table.c.run_id == approvals.c.run_id,
                event_table.c.key == approvals.c.idempotency_key,
                event_table.c.type.in_([EventType.EFFECT_DONE, EventType.EFFECT_FAILED]),
            )
            .exists()
        )
        return _select(self._conn, approvals.c.status == ApprovalStatus.APPROVED, ~ended)

    def gate_is_open(self, run_id: str) -> bool:
        """Whether the newest effect that the run waited for has taken place."""
        asked = [approval for approval in self.of_run(run_id) if approval.gates]
        if not asked:
            return False
        key = asked[-1].idempotency_key
        return events.find(self._conn, run_id, EventType.EFFECT_DONE, key) is not None


def _select(conn: Connection, *wanted: ColumnElement[bool]) -> tuple[Approval, ...]:
    query = select(approvals).where(*wanted).order_by(approvals.c.created_at, approvals.c.id)
    return tuple(_approval(row._asdict()) for row in conn.execute(query))


def _approval(values: Mapping[str, Any]) -> Approval:
    return Approval(**{**values, "gates": bool(values["gates"])})
