"""A run above its limit as an effect that an approver grants: more money for this one run."""

from collections.abc import Callable

from sqlalchemy import Connection

from bot.council.approvals import Approvals
from bot.council.dedup import place_of
from bot.council.tools import Tools
from bot.council.waiting import SPEND
from bot.messages.money import MoneyText
from bot.messages.starting import ConsentText
from bot.money import leases
from bot.money.estimate import Estimate
from bot.money.words import usd_words
from bot.store import ApprovalStatus, SideEffect, approvals, runs
from bot.store.approvals import Approval, NewApproval
from bot.store.budgets import RUN, Budget
from bot.store.runs import Run


def register_spending(tools: Tools, gate: Approvals, wake: Callable[[str], None]) -> None:
    """Register the approval of a run's price with the gate; `wake` resumes the waiting run."""

    async def raise_cap(approval: Approval) -> str:
        usd = float(approval.details["usd"])

        def work(conn: Connection) -> Run:
            run = runs.require(conn, approval.run_id)
            leases.raise_cap(conn, Budget(run.id, RUN, run.starter_id, run.guild_id), usd)
            return run

        run = await tools.store.write(work)
        wake(run.id)
        return ConsentText.may_spend(place_of(run).target_id, MoneyText.dollars(usd))

    gate.register(SPEND, raise_cap)


def approval_of_spending(run: Run, stage: str, estimate: Estimate) -> NewApproval:
    """What an approver is asked for before an expensive run is held."""
    return NewApproval(
        run_id=run.id,
        requested_action=ConsentText.hold_for(usd_words(estimate)),
        side_effect_kind=SideEffect.OTHER,
        idempotency_key=f"{SPEND}:{run.id}#{stage}",
        requested_by=str(run.starter_id),
        effect=SPEND,
        details={"usd": estimate.most_usd},
        rollback_hint=ConsentText.UNDO_SPENDING,
        attempt=run.attempt,
    )


def granted_usd(conn: Connection, run_id: str) -> float:
    """The highest sum an approver allowed for the run, 0 when none did."""
    asked = approvals.of_key(conn, run_id, f"{SPEND}:{run_id}")
    approved = [found for found in asked if found.status is ApprovalStatus.APPROVED]
    return max((float(found.details["usd"]) for found in approved), default=0.0)
