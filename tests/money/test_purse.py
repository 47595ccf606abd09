"""Every call asks the purse first; at the cap only what money was kept for goes on."""

import asyncio

import pytest

from bot.money.call_budget import CallBudget
from bot.money.estimate import Amount
from bot.money.prices import PriceBook
from bot.panels import Budgets, ResolvedModel
from bot.store import Store
from bot.store.repositories.budgets import BudgetRepository
from bot.store.repositories.runs import Run
from bot.types.model_port import ErrorKind, Usage
from tests.money.support import costing, limits, spend, start
from tests.money.test_prices import opened
from tests.panels.files import bent, shipped

CHEAP = Amount(0.1)


def purse_of(store: Store, run: Run, under: Budgets) -> CallBudget:
    book, _, _ = opened(shipped(), "ANTHROPIC_API_KEY")
    return CallBudget(store, book, lambda: under, run.id, run.starter_id, run.guild_id)


async def test_calls_at_the_same_moment_never_hold_more_than_the_run_may_spend(
    store: Store,
) -> None:
    under = limits(per_run_usd=1.0)
    run = await start(store, "one", costing(0.1, 0.5), under)
    purse = purse_of(store, run, under)
    taken = await asyncio.gather(*(purse.take(CHEAP) for _ in range(50)))
    assert taken.count(True) == 10
    assert purse.obstacle == "the limit of $1.00 for this roundtable is reached"


async def test_two_runs_that_outgrow_their_estimate_share_the_day(store: Store) -> None:
    under = limits(per_run_usd=9.0, per_person_per_day_usd=1.0)
    runs = [await start(store, f"topic {n}", costing(0.1, 0.2), under) for n in range(2)]
    purses = [purse_of(store, run, under) for run in runs]
    taken = await asyncio.gather(*(purse.take(CHEAP) for purse in purses for _ in range(50)))
    assert taken.count(True) == 10
    assert purses[1].obstacle == "the limit of $1.00 a day per person is reached"


async def test_what_is_kept_serves_the_conclusion_alone(store: Store) -> None:
    under = limits(per_run_usd=1.0)
    run = await start(store, "one", costing(0.1, 1.0), under)
    purse = purse_of(store, run, under)
    purse.keep(Amount(0.35))
    assert [await purse.take(CHEAP) for _ in range(8)].count(True) == 6
    assert await purse.take(Amount(0.35), essential=True)


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
    purse = purse_of(store, run, under)
    assert await purse.take(Amount(0.9))
    assert not await purse.take(Amount(0.2))
    await store.write(lambda conn: purse.settle_in(conn, Amount(0.3)))
    purse.settled(Amount(0.9), Amount(0.3))
    assert await purse.take(Amount(0.7))
    stored = await store.read(lambda conn: BudgetRepository(conn).get(run.id))
    assert stored is not None
    assert stored.spent_usd == pytest.approx(0.3)


@pytest.fixture
def book() -> PriceBook:
    def unpriced(data: dict) -> None:  # type: ignore[type-arg]
        data["models"]["grok"]["routes"] = [{"provider": "openrouter", "model": "x-ai/grok-4"}]

    return opened(bent(unpriced), "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY")[0]


def bills(store: Store, book: PriceBook) -> CallBudget:
    return CallBudget(store, book, Budgets, "rt_00000000", 1, 1)


def model(book: PriceBook, key: str) -> ResolvedModel:
    return book._served().models[key]


async def test_a_reported_cost_comes_before_the_price(store: Store, book: PriceBook) -> None:
    usage = Usage(1000, 100, 0, cost_usd=0.5)
    opus = model(book, "claude-opus")
    bill = bills(store, book).bill(opus, usage, None, read=10)
    assert (bill.cost_usd, bill.charged) == (0.5, Amount(0.5))


async def test_without_a_report_the_price_does_the_sum(store: Store, book: PriceBook) -> None:
    opus = model(book, "claude-opus")
    bill = bills(store, book).bill(opus, Usage(1_000_000, 0), None, read=10)
    assert bill.cost_usd is not None
    assert bill.cost_usd >= 4.0
    assert bill.charged.usd == bill.cost_usd


async def test_an_unknown_price_is_none_and_counts_in_tokens(store: Store, book: PriceBook) -> None:
    grok = model(book, "grok")
    bill = bills(store, book).bill(grok, Usage(900, 100), None, read=10)
    assert (bill.cost_usd, bill.charged) == (None, Amount(tokens=1000))


@pytest.mark.parametrize(
    ("error", "charged"),
    [(ErrorKind.TIMEOUT, True), (ErrorKind.NETWORK, True), (ErrorKind.RATE_LIMITED, False)],
)
async def test_a_lost_answer_is_charged_for_its_prompt_but_costs_an_unknown_sum(
    store: Store, book: PriceBook, error: ErrorKind, charged: bool
) -> None:
    opus = model(book, "claude-opus")
    bill = bills(store, book).bill(opus, None, error, read=40_000)
    assert bill.cost_usd is None
    assert bool(bill.charged) is charged


async def test_an_answer_that_was_cut_off_is_charged_for_what_had_come(
    store: Store, book: PriceBook
) -> None:
    """Issue 18, 3: a provider bills what it wrote, whether we keep it or not."""
    opus, purse, cut = model(book, "claude-opus"), bills(store, book), ErrorKind.BAD_OUTPUT
    before, after = (
        purse.bill(opus, None, cut, read=100, written=written) for written in (0, 9000)
    )
    assert before.charged.usd < after.charged.usd


async def test_an_answer_without_usage_is_charged_by_its_length(
    store: Store, book: PriceBook
) -> None:
    opus = model(book, "claude-opus")
    purse = bills(store, book)
    short = purse.bill(opus, None, None, read=115, written=12)
    long = purse.bill(opus, None, None, read=115, written=1150)
    assert short.cost_usd is None
    assert 0 < short.charged.usd < long.charged.usd
