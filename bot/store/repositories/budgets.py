"""Budgets: money reserved for running work, so that it is not spent twice.

A row is opened before the first call of a run (or of an answer to a follow-up), its calls add to
what it has spent, and it is closed with the work. An open row counts as spent up to what it
reserves.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import BindParameter, Connection, Select, bindparam, case, func, select, update

from bot.store.rows import row_of
from bot.store.tables import budgets, calls

RUN = "run"
FOLLOWUPS = "followups:"
"""Prefix of the names of budgets that pay for people's follow-ups."""
_OTHERS = budgets.c.closed_at.is_(None) & ~(
    (budgets.c.run_id == bindparam("run")) & (budgets.c.name == bindparam("work"))
)
_PERSON: BindParameter[int] = bindparam("person")
_SERVER: BindParameter[int] = bindparam("server")
_SINCE: BindParameter[float] = bindparam("since")
_USD_LEFT = budgets.c.reserved_usd - budgets.c.spent_usd
_TOKENS_LEFT = budgets.c.reserved_tokens - budgets.c.spent_tokens
_HELD_USD = func.coalesce(func.sum(case((_USD_LEFT > 0, _USD_LEFT), else_=0.0)), 0.0)
_HELD_TOKENS = func.coalesce(func.sum(case((_TOKENS_LEFT > 0, _TOKENS_LEFT), else_=0)), 0)
_SPENT_USD = func.coalesce(func.sum(calls.c.charged_usd), 0.0)
_SPENT_TOKENS = func.coalesce(func.sum(calls.c.charged_tokens), 0)
_BY_PERSON = (calls.c.person_id == _PERSON, calls.c.finished_at >= _SINCE)
_BY_SERVER = (calls.c.guild_id == _SERVER, calls.c.finished_at >= _SINCE)
_ASKED_LATER = calls.c.key.startswith("talk:") | calls.c.key.startswith("memory:")
_FOR_LATER = (budgets.c.person_id == _PERSON, budgets.c.name.startswith(FOLLOWUPS), _OTHERS)
_USED: Select[Any] = select(
    select(_SPENT_USD).where(*_BY_PERSON).scalar_subquery(),
    select(_HELD_USD).where(budgets.c.person_id == _PERSON, _OTHERS).scalar_subquery(),
    select(_SPENT_USD).where(*_BY_SERVER).scalar_subquery(),
    select(_HELD_USD).where(budgets.c.guild_id == _SERVER, _OTHERS).scalar_subquery(),
    select(_SPENT_TOKENS).where(*_BY_SERVER).scalar_subquery(),
    select(_HELD_TOKENS).where(budgets.c.guild_id == _SERVER, _OTHERS).scalar_subquery(),
    select(_SPENT_USD).where(*_BY_PERSON, _ASKED_LATER).scalar_subquery(),
    select(_HELD_USD).where(*_FOR_LATER).scalar_subquery(),
    select(_SPENT_TOKENS).where(*_BY_PERSON, _ASKED_LATER).scalar_subquery(),
    select(_HELD_TOKENS).where(*_FOR_LATER).scalar_subquery(),
)
_THIS = (budgets.c.run_id == bindparam("run"), budgets.c.name == bindparam("work"))
_GET = select(budgets).where(*_THIS)
_SETTLE = (
    update(budgets)
    .where(*_THIS)
    .values(
        spent_usd=budgets.c.spent_usd + bindparam("usd"),
        spent_tokens=budgets.c.spent_tokens + bindparam("tokens"),
    )
)
_CLOSE = (
    update(budgets).where(*_THIS, budgets.c.closed_at.is_(None)).values(closed_at=bindparam("now"))
)
_REPLACE = (
    update(budgets)
    .where(*_THIS)
    .values(
        reserved_usd=bindparam("usd"),
        reserved_tokens=bindparam("tokens"),
        cap_usd=bindparam("cap"),
        closed_at=None,
    )
)


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget of one piece of work; tokens are those of models without a price."""

    run_id: str
    name: str
    person_id: int
    guild_id: int
    reserved_usd: float = 0.0
    spent_usd: float = 0.0
    reserved_tokens: int = 0
    spent_tokens: int = 0
    cap_usd: float = 0.0
    closed_at: float | None = None


@dataclass(frozen=True, slots=True)
class Used:
    """What is spent since a time and what open budgets reserve, by person and server."""

    person_spent: float
    person_held: float
    server_spent: float
    server_held: float
    tokens_spent: int
    tokens_held: int
    followups_spent: float
    followups_held: float
    followup_tokens_spent: int
    followup_tokens_held: int


class BudgetRepository:
    """The budgets of runs and follow-ups, open and closed."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def used(self, budget: Budget, since: float) -> Used:
        """What the budget's person and server used since a time, without this budget."""
        row = self._conn.execute(
            _USED,
            {
                "run": budget.run_id,
                "work": budget.name,
                "person": budget.person_id,
                "server": budget.guild_id,
                "since": since,
            },
        ).one()
        return Used(*row)

    def get(self, run_id: str, name: str = RUN) -> Budget | None:
        """The budget, or None when nothing was ever reserved."""
        row = self._conn.execute(_GET, {"run": run_id, "work": name}).mappings().first()
        return None if row is None else Budget(**row)

    def put(self, budget: Budget) -> None:
        """Open a budget or change the reserve of an open one; what it spent stays."""
        values = {
            "run": budget.run_id,
            "work": budget.name,
            "usd": budget.reserved_usd,
            "tokens": budget.reserved_tokens,
            "cap": budget.cap_usd,
        }
        if not self._conn.execute(_REPLACE, values).rowcount:
            self._conn.execute(budgets.insert(), row_of(budget, budgets))

    def settle(self, run_id: str, name: str, usd: float, tokens: int) -> None:
        """Add what a call used, in the transaction that stores its answer."""
        self._conn.execute(_SETTLE, {"run": run_id, "work": name, "usd": usd, "tokens": tokens})

    def close(self, run_id: str, name: str, now: float) -> None:
        """Close the budget, which releases the unused reserve."""
        self._conn.execute(_CLOSE, {"run": run_id, "work": name, "now": now})
