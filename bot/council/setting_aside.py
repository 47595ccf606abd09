"""The budget of a run is reserved in the transaction that starts it."""

from sqlalchemy import Connection

from bot.money.estimate import NO_ESTIMATE, Estimate
from bot.money.leases import open_budget
from bot.panels import Budgets
from bot.store import budgets
from bot.store.budgets import RUN, Budget
from bot.store.runs import Run


def set_aside(conn: Connection, run: Run, estimate: Estimate, limits: Budgets, now: float) -> None:
    """Reserve what the run may cost, or refuse it with one sentence."""
    wanted = Budget(run.id, RUN, run.starter_id, run.guild_id)
    open_budget(conn, wanted, estimate, limits, now)


def set_aside_rest(
    conn: Connection, run: Run, estimate: Estimate, limits: Budgets, now: float
) -> None:
    """Reserve the remaining budget of a resumed run, unless a reservation exists."""
    known = budgets.get(conn, run.id) or Budget(run.id, RUN, run.starter_id, run.guild_id)
    if known.closed_at is None and known.reserved_usd > known.spent_usd:
        return
    set_aside(conn, run, estimate.after(known.spent_usd, known.spent_tokens), limits, now)


def release(conn: Connection, run: Run, now: float) -> None:
    """Hold nothing for a run while it waits for a person."""
    budgets.close(conn, run.id, RUN, now)


def stored_estimate(run: Run) -> Estimate:
    """What the run was estimated at when it was asked for."""
    stored = run.request.get("estimate")
    return Estimate.from_dict(stored) if stored else NO_ESTIMATE
