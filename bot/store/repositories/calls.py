"""Calls to models and what they cost; an unknown price is None, never 0."""

from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select, update

from bot.store.rows import insert_new, row_of
from bot.store.tables import calls
from bot.store.vocabulary import CallStatus

_MINE = calls.c.run_id == bindparam("run_id")
_COLUMNS = tuple(column for column in calls.columns if column.name != "id")
_OF_RUN = select(*_COLUMNS).where(_MINE).order_by(calls.c.id)
_FAILED = _OF_RUN.where(calls.c.error_kind != "")
UNPRICED = calls.c.cost_usd.is_(None) & (
    (calls.c.status == CallStatus.OK) | calls.c.output_tokens.is_not(None)
)
_SPENT = select(
    func.count().label("calls"),
    func.coalesce(func.sum(calls.c.input_tokens), 0).label("input_tokens"),
    func.coalesce(func.sum(calls.c.output_tokens), 0).label("output_tokens"),
    func.coalesce(func.sum(calls.c.cost_usd), 0.0).label("known_usd"),
    func.count().filter(UNPRICED).label("unpriced_calls"),
    func.coalesce(func.sum(calls.c.cached_tokens), 0).label("cached_tokens"),
).where(_MINE)


class Call(NamedTuple):
    """One call to a model; `attempt` counts the tries under one key from 1.

    `charged_usd` and `charged_tokens` are what it counts against budgets: its cost, an estimate
    where a priced model did not say what it used, or the tokens of a model without a price.
    """

    run_id: str
    key: str
    purpose: str
    provider: str
    model: str
    status: CallStatus
    started_at: float
    finished_at: float
    seat: str | None = None
    attempt: int = 1
    answered_model: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    person_id: int = 0
    guild_id: int = 0
    charged_usd: float = 0.0
    charged_tokens: int = 0
    error_kind: str = ""
    error_text: str = ""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a run used so far: the known cost, and how many calls have an unknown price."""

    calls: int
    input_tokens: int
    output_tokens: int
    known_usd: float
    unpriced_calls: int
    cached_tokens: int = 0
    """The part of `input_tokens` that providers read from their caches."""


class CallRepository:
    """The calls of runs, one row per try."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn

    def record(self, call: Call) -> bool:
        """Store a call once; False when this try is stored already."""
        return insert_new(self._conn, calls, row_of(call, calls), "run_id", "key", "attempt")

    def note_late(self, call: Call) -> Call | None:
        """Add what a late answer used to its timed-out call, or store the call.

        Returns the call as it was before, None when it was not stored.
        """
        if self.record(call):
            return None
        used = {
            "answered_model": call.answered_model,
            "input_tokens": call.input_tokens,
            "output_tokens": call.output_tokens,
            "cached_tokens": call.cached_tokens,
            "cost_usd": call.cost_usd,
            "charged_usd": call.charged_usd,
            "charged_tokens": call.charged_tokens,
            "finished_at": call.finished_at,
        }
        same = (
            calls.c.run_id == call.run_id,
            calls.c.key == call.key,
            calls.c.attempt == call.attempt,
        )
        before = self._conn.execute(select(*_COLUMNS).where(*same)).one()
        self._conn.execute(update(calls).where(*same).values(used))
        return Call(**before._asdict())

    def of_run(self, run_id: str) -> tuple[Call, ...]:
        """The run's calls in the order they were stored."""
        found = self._conn.execute(_OF_RUN, {"run_id": run_id})
        return tuple(Call(**row._asdict()) for row in found)

    def failed(self, run_id: str) -> tuple[Call, ...]:
        """The run's calls that failed, with what the provider said."""
        return tuple(
            Call(**row._asdict()) for row in self._conn.execute(_FAILED, {"run_id": run_id})
        )

    def spent(self, run_id: str) -> Spent:
        """What the run used; a call without a price counts as unpriced unless it failed
        unanswered.
        """
        total, used_in, used_out, cost, unknown, cached = self._conn.execute(
            _SPENT, {"run_id": run_id}
        ).one()
        return Spent(total, int(used_in), int(used_out), float(cost), unknown, int(cached))
