"""Money is set aside before it is spent, given back afterwards, and never promised twice."""

import asyncio

import pytest

from bot.errors import NotAllowedError
from bot.money.budget_rules import Day
from bot.store import Phase, Store, move
from bot.store.repositories.budgets import BudgetRepository
from bot.store.repositories.run_lists import RunListRepository
from bot.store.repositories.runs import RunRepository
from bot.store.vocabulary import Actor
from tests.money.budget_setup import costing, limits, spend, start
from tests.store.conftest import Clock

DAY = 86_400.0


async def end(store: Store, run_id: str) -> None:
    failed, boss = Phase.FAILED, Actor.ORCHESTRATOR
    await store.write(
        lambda conn: move(
            conn, run_id, RunRepository(conn).require(run_id).phase, failed, boss, "x", store.now()
        )
    )


async def test_of_100_starts_at_once_only_as_many_pass_as_the_cap_can_pay(store: Store) -> None:
    """The starts race through one writer, and each sees what the others reserved."""
    under = limits(per_person_per_day_usd=1000.0, per_server_per_day_usd=10.0)
    racing = [start(store, f"topic {n}", costing(0.5, 0.5), under, person=n) for n in range(1, 101)]
    ended = await asyncio.gather(*racing, return_exceptions=True)
    started = [run for run in ended if not isinstance(run, BaseException)]
    refused = [error for error in ended if isinstance(error, NotAllowedError)]
    assert (len(started), len(refused)) == (20, 80)
    assert len(await store.read(lambda conn: RunListRepository(conn).unfinished())) == 20


async def test_a_refused_start_leaves_no_run_and_says_when_it_is_free_again(
    store: Store, clock: Clock
) -> None:
    clock.now = 1_000_000.0
    under = limits(per_person_per_day_usd=1.0)
    first = await start(store, "one", costing(0.4, 0.8), under)
    with pytest.raises(NotAllowedError) as refusal:
        await start(store, "two", costing(0.4, 0.8), under)
    text = str(refusal.value)
    midnight = int((1_000_000 // DAY + 1) * DAY)
    assert text.startswith("Your budget has $0.20 left for today and this roundtable needs $0.40–")
    assert f"<t:{midnight}:R> or when a running roundtable ends" in text
    assert [
        run.id for run in await store.read(lambda conn: RunListRepository(conn).unfinished())
    ] == [first.id]


async def test_what_a_run_did_not_use_is_free_when_it_ends(store: Store) -> None:
    under = limits(per_person_per_day_usd=1.0)
    first = await start(store, "one", costing(0.8, 0.8), under)
    await spend(store, first, 0.1)
    with pytest.raises(NotAllowedError):
        await start(store, "two", costing(0.5, 0.5), under)
    await end(store, first.id)
    await start(store, "two", costing(0.5, 0.9), under)


async def test_a_run_gets_what_is_left_when_its_cheapest_outcome_fits(store: Store) -> None:
    under = limits(per_person_per_day_usd=1.0)
    await start(store, "one", costing(0.1, 0.7), under)
    second = await start(store, "two", costing(0.2, 0.9), under)
    found = await store.read(lambda conn: BudgetRepository(conn).get(second.id))
    assert found is not None
    assert found.reserved_usd == pytest.approx(0.3)


async def test_a_new_day_has_a_new_budget(store: Store, clock: Clock) -> None:
    clock.now = 10 * DAY + 100
    under = limits(per_person_per_day_usd=1.0)
    first = await start(store, "one", costing(0.9, 0.9), under)
    await spend(store, first, 0.9)
    await end(store, first.id)
    with pytest.raises(NotAllowedError):
        await start(store, "two", costing(0.9, 0.9), under)
    clock.now = 11 * DAY
    await start(store, "three", costing(0.9, 0.9), under)


async def test_the_server_has_a_limit_of_its_own(store: Store) -> None:
    under = limits(per_person_per_day_usd=9.0, per_server_per_day_usd=1.0)
    await start(store, "one", costing(0.7, 0.7), under, person=1)
    with pytest.raises(NotAllowedError, match="This server's budget has"):
        await start(store, "two", costing(0.7, 0.7), under, person=2)


async def test_tokens_without_a_price_have_a_quota(store: Store) -> None:
    under = limits(unpriced_tokens_per_day=10_000)
    first = await start(store, "one", costing(0, 0, tokens=8000), under)
    with pytest.raises(
        NotAllowedError, match=r"odd: the price is unknown, and 2,000 of .* are left"
    ):
        await start(store, "two", costing(0, 0, tokens=3000), under)
    await spend(store, first, 0.0, tokens=1000)
    await end(store, first.id)
    await start(store, "two", costing(0, 0, tokens=3000), under)


async def test_what_costs_nothing_needs_no_budget(store: Store) -> None:
    under = limits(per_person_per_day_usd=0.0, per_server_per_day_usd=0.0)
    run = await start(store, "one", costing(0, 0), under)
    assert await store.read(lambda conn: BudgetRepository(conn).get(run.id)) is None


def test_a_day_begins_where_the_settings_say() -> None:
    """With the clock change a day in Berlin has 23 hours."""
    noon_utc = 1_774_785_600.0  # 2026-03-29 12:00 UTC
    utc, berlin = Day.of(noon_utc, "UTC"), Day.of(noon_utc, "Europe/Berlin")
    assert (utc.began, utc.ends - utc.began) == (noon_utc - 12 * 3600, DAY)
    assert (berlin.began, berlin.ends - berlin.began) == (noon_utc - 13 * 3600, DAY - 3600)
    assert utc.month_began == 1_772_323_200.0  # 2026-03-01
