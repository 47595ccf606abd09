"""Every call asks the purse first; at the cap only what money was kept for goes on."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, cast

import pytest
from sqlalchemy import Connection

from bot.money.call_budget import CallBudget
from bot.money.estimate import Amount
from bot.money.prices import PriceBook
from bot.panels import Budgets, Resolution, ResolvedModel
from bot.store import Store
from bot.store.repositories.budgets import BudgetRepository
from bot.store.repositories.runs import Run
from bot.types.model_port import ErrorKind, Usage
from tests.money.budget_setup import costing, limits, spend, start
from tests.money.test_prices import opened
from tests.panels.panels_data import bent, shipped

CHEAP = Amount(0.1)


def purse_of(store: Store, run: Run, under: Budgets) -> CallBudget:
    book, _, _ = opened(shipped(), "ANTHROPIC_API_KEY")
    return CallBudget(store, book, lambda: under, run.id, run.starter_id, run.guild_id)


async def test_calls_at_the_same_moment_never_hold_more_than_the_run_may_spend(
    store: Store,
) -> None:
    under = limits(per_run_usd=1.0)
    run = await start(store, "one", costing(0.1, 0.5), under)
    call_budget = purse_of(store, run, under)
    taken = await asyncio.gather(*(call_budget.take(CHEAP) for _ in range(50)))
    assert taken.count(True) == 10
    assert call_budget.obstacle == "the limit of $1.00 for this roundtable is reached"


async def test_two_runs_that_outgrow_their_estimate_share_the_day(store: Store) -> None:
    under = limits(per_run_usd=9.0, per_person_per_day_usd=1.0)
    runs = [await start(store, f"topic {n}", costing(0.1, 0.2), under) for n in range(2)]
    call_budgets = [purse_of(store, run, under) for run in runs]
    taken = await asyncio.gather(
        *(call_budget.take(CHEAP) for call_budget in call_budgets for _ in range(50))
    )
    assert taken.count(True) == 10
    assert call_budgets[1].obstacle == "the limit of $1.00 a day per person is reached"


async def test_what_is_kept_serves_the_conclusion_alone(store: Store) -> None:
    under = limits(per_run_usd=1.0)
    run = await start(store, "one", costing(0.1, 1.0), under)
    call_budget = purse_of(store, run, under)
    call_budget.keep(Amount(0.35))
    assert [await call_budget.take(CHEAP) for _ in range(8)].count(True) == 6
    assert await call_budget.take(Amount(0.35), essential=True)


async def test_after_a_restart_the_purse_is_what_the_store_says(store: Store) -> None:
    under = limits(per_run_usd=1.0)
    run = await start(store, "one", costing(0.1, 1.0), under)
    before = purse_of(store, run, under)
    assert await before.take(Amount(0.9))
    await spend(store, run, 0.75)
    after = purse_of(store, run, under)
    assert not await after.take(Amount(0.3))
    assert await after.take(Amount(0.25))


async def test_a_call_that_cost_less_than_held_leaves_the_rest_for_others(store: Store) -> None:
    under = limits(per_run_usd=1.0)
    run = await start(store, "one", costing(0.1, 1.0), under)
    call_budget = purse_of(store, run, under)
    assert await call_budget.take(Amount(0.9))
    assert not await call_budget.take(Amount(0.2))
    await store.write(lambda conn: call_budget.settle_in(conn, Amount(0.3)))
    call_budget.settled(Amount(0.9), Amount(0.3))
    assert await call_budget.take(Amount(0.7))
    stored = await store.read(lambda conn: BudgetRepository(conn).get(run.id))
    assert stored is not None
    assert stored.spent_usd == pytest.approx(0.3)


@cache
def prices() -> tuple[PriceBook, Resolution]:
    def unpriced(data: dict) -> None:  # type: ignore[type-arg]
        data["models"]["grok"]["routes"] = [{"provider": "openrouter", "model": "x-ai/grok-4"}]

    book, _, resolution = opened(bent(unpriced), "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY")
    return book, resolution


def bills(store: Store) -> CallBudget:
    return CallBudget(store, prices()[0], Budgets, "rt_00000000", 1, 1)


def model(key: str) -> ResolvedModel:
    return prices()[1].models[key]


async def test_a_reported_cost_comes_before_the_price(store: Store) -> None:
    usage = Usage(1000, 100, 0, cost_usd=0.5)
    opus = model("claude-opus")
    bill = bills(store).bill(opus, usage, None, read=10)
    assert (bill.cost_usd, bill.charged) == (0.5, Amount(0.5))


async def test_without_a_report_the_price_does_the_sum(store: Store) -> None:
    opus = model("claude-opus")
    bill = bills(store).bill(opus, Usage(1_000_000, 0), None, read=10)
    assert bill.cost_usd is not None
    assert bill.cost_usd >= 4.0
    assert bill.charged.usd == bill.cost_usd


async def test_an_unknown_price_is_none_and_counts_in_tokens(store: Store) -> None:
    grok = model("grok")
    bill = bills(store).bill(grok, Usage(900, 100), None, read=10)
    assert (bill.cost_usd, bill.charged) == (None, Amount(tokens=1000))


@pytest.mark.parametrize(
    ("error", "charged"),
    [(ErrorKind.TIMEOUT, True), (ErrorKind.NETWORK, True), (ErrorKind.RATE_LIMITED, False)],
)
async def test_a_lost_answer_is_charged_for_its_prompt_but_costs_an_unknown_sum(
    store: Store, error: ErrorKind, charged: bool
) -> None:
    opus = model("claude-opus")
    bill = bills(store).bill(opus, None, error, read=40_000)
    assert bill.cost_usd is None
    assert bool(bill.charged) is charged


async def test_an_answer_that_was_cut_off_is_charged_for_what_had_come(store: Store) -> None:
    """Issue 18, 3: a provider bills what it wrote, whether we keep it or not."""
    opus, call_budget, cut = model("claude-opus"), bills(store), ErrorKind.BAD_OUTPUT
    before, after = (
        call_budget.bill(opus, None, cut, read=100, written=written) for written in (0, 9000)
    )
    assert before.charged.usd < after.charged.usd


async def test_an_answer_without_usage_is_charged_by_its_length(store: Store) -> None:
    opus = model("claude-opus")
    call_budget = bills(store)
    short = call_budget.bill(opus, None, None, read=115, written=12)
    long = call_budget.bill(opus, None, None, read=115, written=1150)
    assert short.cost_usd is None
    assert 0 < short.charged.usd < long.charged.usd


class SettlingStore:
    """A store that lets a call be settled while somebody else looks at the budget."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.meanwhile: Callable[[], Awaitable[None]] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def read(self, work: Callable[[Connection], Any]) -> Any:
        found = await self._store.read(work)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return found


async def settled_meanwhile(store: Store, cost: Amount) -> tuple[CallBudget, SettlingStore]:
    """A budget of $1.00 of which $0.90 are held, and settled while somebody looks at it."""
    under = limits(per_run_usd=1.0)
    run = await start(store, "one", costing(0.1, 1.0), under)
    settling = SettlingStore(store)
    budget = purse_of(cast("Store", settling), run, under)
    assert await budget.take(Amount(0.9))

    async def settle() -> None:
        await store.write(lambda conn: budget.settle_in(conn, cost))
        budget.settled(Amount(0.9), cost)

    settling.meanwhile = settle
    return budget, settling


@pytest.mark.parametrize("look", ["take", "affords"])
async def test_a_call_settled_while_another_looks_makes_room_for_it(
    store: Store, look: str
) -> None:
    """What the other call held must not be counted beside what it cost."""
    (budget, settling), wanted = await settled_meanwhile(store, CHEAP), Amount(0.8)
    assert await (budget.take(wanted) if look == "take" else budget.affords(wanted))
    assert settling.meanwhile is None


async def test_a_call_that_does_not_fit_is_refused_though_another_was_settled_meanwhile(
    store: Store,
) -> None:
    budget, settling = await settled_meanwhile(store, Amount(0.5))
    assert not await budget.take(Amount(0.6))
    assert settling.meanwhile is None
    assert await budget.take(Amount(0.5))
