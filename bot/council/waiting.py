"""Whether a run waits for a person: for approval of its price, or for a decision about its spec."""

from typing import Final

from sqlalchemy import Connection

from bot.store import ApprovalStatus, EventType, approvals, events, specs

SPEND: Final = "spend_above_limit"
"""The effect of an approval that lets a run cost more than its limit."""


def waits_for_a_person(conn: Connection, run_id: str) -> bool:
    """Whether nothing happens in the run, and nothing is paid, until somebody decides."""
    return specs.waits(conn, run_id) or waits_for_consent(conn, run_id)


def waits_for_consent(conn: Connection, run_id: str) -> bool:
    """Whether the starter or an approver is still to agree to the price."""
    asked = events.history(conn, run_id, EventType.CONSENT_ASKED)
    given = {event.key for event in events.history(conn, run_id, EventType.CONSENT_GIVEN)}
    if asked and asked[-1].key not in given:
        return True
    pending = ApprovalStatus.PENDING
    return any(
        one.effect == SPEND and one.status is pending for one in approvals.of_run(conn, run_id)
    )
