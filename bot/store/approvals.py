"""Approvals: side effects that wait for a person, once per idempotency key (B30-B33)."""

from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from bot.store import events
from bot.store.actors import Actor
from bot.store.errors import ConflictError, MissingRowError
from bot.store.events import EventType
from bot.store.ids import fresh_id
from bot.store.rights import Right, require
from bot.store.rows import row_of
from bot.store.tables import approvals
from bot.store.vocabulary import ApprovalStatus, SideEffect


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


def request(
    conn: Connection,
    run_id: str,
    requested_action: str,
    side_effect: SideEffect,
    idempotency_key: str,
    requested_by: str,
    actor: Actor,
    now: float,
) -> Approval:
    """Ask for an approval, or return the one asked for before under the same key."""
    require(actor, Right.REQUEST_APPROVAL)
    known = find(conn, idempotency_key)
    if known is not None:
        if known.run_id != run_id:
            raise ConflictError(f"the idempotency key {idempotency_key} belongs to {known.run_id}")
        return known
    approval = Approval(
        id=fresh_id(conn, approvals, "apr"),
        run_id=run_id,
        requested_action=requested_action,
        side_effect_kind=side_effect,
        idempotency_key=idempotency_key,
        status=ApprovalStatus.PENDING,
        requested_by=requested_by,
        resolved_by=None,
        note="",
        created_at=now,
        resolved_at=None,
    )
    conn.execute(approvals.insert(), row_of(approval, approvals))
    payload = {"id": approval.id, "side_effect_kind": side_effect}
    asked = EventType.APPROVAL_REQUESTED
    events.append(conn, run_id, asked, idempotency_key, actor, payload, now)
    return approval


def resolve(
    conn: Connection,
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
    known = get(conn, approval_id)
    if known is None:
        raise MissingRowError(f"there is no approval {approval_id}")
    pending = (approvals.c.id == approval_id, approvals.c.status == ApprovalStatus.PENDING)
    decision = {"status": status, "resolved_by": resolved_by, "note": note, "resolved_at": now}
    if not conn.execute(update(approvals).where(*pending).values(decision)).rowcount:
        return False
    payload = {"id": approval_id, "status": status}
    resolved = EventType.APPROVAL_RESOLVED
    return events.append(conn, known.run_id, resolved, known.idempotency_key, actor, payload, now)


def get(conn: Connection, approval_id: str) -> Approval | None:
    """The approval, or None."""
    row = conn.execute(select(approvals).where(approvals.c.id == approval_id)).first()
    return None if row is None else Approval(**row._asdict())


def find(conn: Connection, idempotency_key: str) -> Approval | None:
    """The approval asked for under the key, or None."""
    wanted = approvals.c.idempotency_key == idempotency_key
    row = conn.execute(select(approvals).where(wanted)).first()
    return None if row is None else Approval(**row._asdict())


def pending(conn: Connection, run_id: str | None = None) -> tuple[Approval, ...]:
    """Approvals nobody decided yet, oldest first; a restart shows them again."""
    query = select(approvals).where(approvals.c.status == ApprovalStatus.PENDING)
    if run_id is not None:
        query = query.where(approvals.c.run_id == run_id)
    ordered = query.order_by(approvals.c.created_at, approvals.c.id)
    return tuple(Approval(**row._asdict()) for row in conn.execute(ordered))
