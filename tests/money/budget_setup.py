"""A store with runs of people, and limits to spend under."""

from sqlalchemy import Connection

from bot.money.budget_rules import open_budget
from bot.money.estimate import Estimate
from bot.panels import Budgets
from bot.request import topic_key
from bot.store import CallStatus, Store
from bot.store.repositories.budgets import RUN, Budget, BudgetRepository
from bot.store.repositories.calls import Call, CallRepository
from bot.store.repositories.runs import NewRun, Run, RunRepository, TopicPlace
from bot.store.vocabulary import Actor
from bot.types.mode import Mode

GUILD = 1
PERSON = 7


def limits(**dollars: float) -> Budgets:
    """The shipped limits with some of their own."""
    return Budgets().model_copy(update=dollars)


def costing(least: float, most: float, tokens: int = 0) -> Estimate:
    """An estimate between two sums."""
    unpriced = ("odd",) if tokens else ()
    return Estimate(5, 9, least, most, tokens, unpriced)


async def start(
    store: Store, topic: str, estimate: Estimate, under: Budgets, *, person: int = PERSON
) -> Run:
    """Start a run the way the council does: with its money, or not at all."""
    place = TopicPlace(GUILD, 20, Mode.DEBATE, topic_key(topic))
    new = NewRun(place, 20, None, person, topic, seed=7)

    def work(conn: Connection) -> Run:
        run = RunRepository(conn).start(new, Actor.ORCHESTRATOR, store.now()).run
        open_budget(conn, Budget(run.id, RUN, person, GUILD), estimate, under, store.now())
        return run

    return await store.write(work)


async def spend(store: Store, run: Run, usd: float, key: str = "r1:a", tokens: int = 0) -> None:
    """Store a call that was paid, as the caller does."""
    now = store.now()
    call = Call(
        run_id=run.id,
        key=key,
        purpose="round1",
        provider="p",
        model="odd" if tokens else "m",
        status=CallStatus.OK,
        started_at=now,
        finished_at=now,
        person_id=run.starter_id,
        guild_id=run.guild_id,
        input_tokens=100,
        output_tokens=10,
        cost_usd=None if tokens else usd,
        charged_usd=usd,
        charged_tokens=tokens,
    )

    def work(conn: Connection) -> None:
        CallRepository(conn).record(call)
        BudgetRepository(conn).settle(run.id, RUN, usd, tokens)

    await store.write(work)
