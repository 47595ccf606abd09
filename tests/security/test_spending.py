"""Money is a limit: what a run, a follow-up or a lying provider can cost at most."""

import asyncio
import json
import math
import shutil
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.meeting.late_answers import LateAnswer, LateAnswers
from bot.models.answer_reader import reported_usage
from bot.models.collect import Asides
from bot.money.call_budget import CallBudget
from bot.money.estimate import NOTHING, SIZES, WORDS, Amount, output_limits
from bot.panels import Budgets, PanelsConfig
from bot.playground.model import Message as Shown
from bot.store import Store
from bot.store.repositories.budgets import BudgetRepository
from bot.types.model_port import (
    Answer,
    Delta,
    Finished,
    Message,
    ModelError,
    ModelEvent,
    ModelRequest,
    Prompt,
    Started,
)
from tests.e2e.playground_harness import EditPanels, PlaygroundHarness, open_harness
from tests.e2e.scripted_models import HANG, ScriptedModels, scripted_playground, served_by
from tests.e2e.talk_steps import QUICK, answers, heard_by_all, ping, until_asked
from tests.e2e.test_money import ASKED, press, priced, waiting_card
from tests.money.budget_setup import costing, limits, start
from tests.money.test_prices import opened
from tests.panels.panels_data import shipped
from tests.security.test_races import TOO_MANY, Rules, crowd, host_role
from tests.store.conftest import empty_file
from tests.support.model_server import ModelServer, Script

pytestmark = pytest.mark.heavy

MOST_TOKENS = 10_000_000

__all__ = ["empty_file"]

CAP = 1.0
UNDER = limits(per_run_usd=CAP, per_person_per_day_usd=100.0, per_server_per_day_usd=100.0)
SUMS = st.floats(0.001, 0.6)


@dataclass(frozen=True)
class Call:
    """A call that holds a sum, and costs another one in the end."""

    held: float
    cost: float


def honest() -> st.SearchStrategy[Call]:
    """A call whose provider keeps to its price and to the output limit."""
    return st.builds(lambda held, share: Call(held, held * share), SUMS, st.floats(0, 1))


@dataclass
class Till:
    """A purse on a store of its own, and what was really paid."""

    store: Store
    call_budget: CallBudget
    paid: list[float] = field(default_factory=list)
    excess: Amount = NOTHING
    """How far a call cost more than was held for it, which later ones must hold as well."""

    async def call(self, call: Call, *, essential: bool = False) -> bool:
        """Make a call if there is money for it, beside others that are made meanwhile."""
        held = Amount(call.held) + self.excess
        if not await self.call_budget.take(held, essential=essential):
            return False
        await asyncio.sleep(0)
        charged = Amount(call.cost)
        await self.store.write(lambda conn: self.call_budget.settle_in(conn, charged))
        self.call_budget.settled(held, charged)
        self.excess = self.excess.or_more(charged.beyond(held))
        self.paid.append(call.cost)
        return True


async def with_till(template: Path, work: Callable[[Till], Awaitable[None]]) -> Till:
    with TemporaryDirectory() as folder:
        store = await Store.open(Path(shutil.copy(template, folder)))
        try:
            run = await start(store, "one", costing(0.1, 0.5), UNDER)
            book, _, _ = opened(shipped(), "ANTHROPIC_API_KEY")
            call_budget = CallBudget(
                store, book, lambda: UNDER, run.id, run.starter_id, run.guild_id
            )
            till = Till(store, call_budget)
            await work(till)
            return till
        finally:
            await store.close()


@settings(max_examples=25, deadline=None)
@given(rounds=st.lists(st.lists(honest(), min_size=1, max_size=6), max_size=5), last=honest())
def test_a_run_costs_its_limit_at_most_and_one_conclusion(
    empty_file: Path, rounds: Sequence[Sequence[Call]], last: Call
) -> None:
    """However its calls come together; what is essential goes beyond the limit once."""

    async def meeting(till: Till) -> None:
        for calls in rounds:
            await asyncio.gather(*(till.call(call) for call in calls))
        assert sum(till.paid) <= CAP + 1e-9
        for _ in range(3):
            await till.call(last, essential=True)

    till = asyncio.run(with_till(empty_file, meeting))
    assert sum(till.paid) <= CAP + last.cost + 1e-9


@settings(max_examples=25, deadline=None)
@given(costs=st.lists(st.floats(0, 3), max_size=12))
def test_a_provider_that_charges_beyond_its_price_exceeds_the_limit_by_one_call(
    empty_file: Path, costs: Sequence[float]
) -> None:
    async def meeting(till: Till) -> None:
        for cost in costs:
            await till.call(Call(0.001, cost))

    till = asyncio.run(with_till(empty_file, meeting))
    assert sum(till.paid) <= CAP + max(costs, default=0.0) + 1e-9


async def test_a_call_waits_for_money_that_others_hold_and_do_not_need(empty_file: Path) -> None:
    async def meeting(till: Till) -> None:
        call_budget = till.call_budget
        assert await call_budget.take(Amount(0.8))
        waiting = asyncio.create_task(call_budget.take(Amount(0.5), patience=5.0))
        done, _ = await asyncio.wait([waiting], timeout=0.05)
        assert not done
        await till.store.write(lambda conn: call_budget.settle_in(conn, Amount(0.1)))
        call_budget.settled(Amount(0.8), Amount(0.1))
        assert await waiting
        assert not await call_budget.take(Amount(0.6), patience=0.1)
        call_budget.settled(Amount(0.5), NOTHING)
        assert not await call_budget.take(Amount(0.95), patience=5.0)

    await with_till(empty_file, meeting)


async def test_a_call_nobody_waits_for_stays_paid_for_until_it_is_heard_out(
    empty_file: Path,
) -> None:
    async def meeting(till: Till) -> None:
        call_budget = till.call_budget
        assert await call_budget.take(Amount(0.8))
        call_budget.settled(Amount(0.8), Amount(0.1), lingers=True)
        assert not await call_budget.take(Amount(0.5))
        call_budget.heard_out(Amount(0.8))
        assert await call_budget.take(Amount(0.5))

    await with_till(empty_file, meeting)


async def test_whoever_pays_hears_when_a_late_call_begins_and_ends() -> None:
    answers_now, told = asyncio.Event(), list[str]()

    class Slow:
        async def stream(self, _: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
            yield Started("slow")
            await answers_now.wait()
            yield Delta("Late.")
            yield Finished("stop")

        async def close(self) -> None:
            """Nothing is open."""

    async def keep(answer: Answer) -> None:
        told.append(answer.text)

    prompt = Prompt("round1", {}, (Message("user", "?"),))
    asked = ModelRequest("slow", prompt, "r1", 0.02, linger_seconds=5.0)
    late = LateAnswer(keep, lambda: told.append("begun"), lambda: told.append("over"))
    with pytest.raises(ModelError):
        await LateAnswers().hear("rt_1", Slow(), asked, None, late, Asides())
    assert told == ["begun"]
    answers_now.set()
    async with asyncio.timeout(5):
        while "over" not in told:  # noqa: ASYNC110 (a callback tells nobody else)
            await asyncio.sleep(0.001)
    assert told == ["begun", "Late.", "over"]


async def test_a_run_with_dear_calls_stays_below_its_limit_and_one_call(tmp_path: Path) -> None:
    """$3.69 was spent under a limit of $2.00."""
    limit = priced(0.5, perRunUsd=2.0, perPersonPerDayUsd=50.0, perServerPerDayUsd=50.0)
    async with scripted_playground(
        tmp_path, ScriptedModels(), edit_panels=limit, cost=0.41
    ) as table:
        held = await table.hold("roundtable --debate --validate --panel opus,grok is it so?")
    assert held.export["known_cost_usd"] <= 2.0 + 0.41
    assert held.export["ending"] == "concluded"
    assert "BUDGET REACHED" in held.conclusion


async def test_long_answers_stay_below_the_limit_and_one_call(tmp_path: Path) -> None:
    """A model that does not stop is billed by its tokens, whatever limit it was given."""
    limit = priced(20.0, perRunUsd=2.0, confirmAboveUsd=2.0, perPersonPerDayUsd=50.0)
    usage = {"prompt_tokens": 1000, "completion_tokens": 15_000}
    one = 20.0 * 16_000 / 1_000_000
    async with reporting(tmp_path, ScriptedModels(), usage, limit) as table:
        held = await table.hold("roundtable --debate --panel opus,grok,mistral is it so?")
    assert held.export["known_cost_usd"] <= 2.0 + one


@asynccontextmanager
async def reporting(
    home: Path, cast: ScriptedModels, usage: dict[str, Any], edit: EditPanels
) -> AsyncIterator[PlaygroundHarness]:
    """A table whose provider reports exactly this usage for every call."""
    async with ModelServer(cast) as server:
        server.script(None, Script(whole=True, usage=usage))

        def both(panels: dict[str, Any]) -> None:
            served_by(panels, server)
            edit(panels)

        async with open_harness(home, edit_panels=both) as table:
            yield table


@dataclass
class Listening(ScriptedModels):
    """A cast that remembers each request as it was sent."""

    bodies: list[dict[str, Any]] = field(default_factory=list)

    async def __call__(self, body: dict[str, Any]) -> str:
        self.bodies.append(body)
        return await super().__call__(body)


@pytest.mark.parametrize("asked", ["--debate --validate", "--vote", "--build"])
async def test_every_call_carries_an_output_limit(tmp_path: Path, asked: str) -> None:
    cast = Listening(stances={"Judge": "DISAGREE", "Planner": "AGREE", "Critic": "AGREE"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(f"roundtable {asked} tea or coffee?")
        role = held.record.seats[0].role
        await table.write_in(held.thread, f"{role}: why?")
        await table.discord.until(lambda: len(answers(table, held.thread)) == 1)
        await table.talked()
    assert len(cast.bodies) > 6
    assert {label.partition(":")[0] for label in (a.label for a in cast.heard)} >= {"r1", "ask"}
    assert all(500 <= body["max_tokens"] <= 60_000 for body in cast.bodies)


def test_a_limit_leaves_three_times_what_its_prompt_asks_for() -> None:
    assert WORDS.keys() == SIZES.keys()
    for purpose, size in SIZES.items():
        full, tight = output_limits(purpose, reasoning=0)
        assert full >= 3 * 1.5 * WORDS[purpose]
        assert full > tight >= size.most_written
        assert output_limits(purpose, reasoning=9000).tight == tight + 9000


async def test_whoever_works_on_the_same_budget_shares_what_is_under_way(
    table: PlaygroundHarness,
) -> None:
    held = await table.hold(QUICK)
    deps = table.session.app.deps
    run = await table.session.app.run_service.last_in(held.thread.id)
    assert run is not None
    one, other = deps.call_budget(run), deps.call_budget(run)
    assert await one.take(Amount(1.5))
    assert not await other.take(Amount(1.0))
    assert deps.call_budget(run, 7, "followups:7") is not one


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlaygroundHarness]:
    async with open_harness(tmp_path) as laid:
        yield laid


async def test_who_may_not_start_causes_no_calls_and_is_told_once(tmp_path: Path) -> None:
    """Three mentions by somebody without the role caused 31 paid calls."""
    cast, rules, discord = ScriptedModels(), Rules(), crowd()
    async with scripted_playground(tmp_path, cast, adjust=rules, discord=discord) as table:
        held = await table.hold(QUICK, person="Ines")
        await rules.become(table, allowed_role_ids=(host_role(discord),))
        before = len(cast.heard)
        said = [await table.write_in(held.thread, f"{ping(table)} why {n}?") for n in range(3)]
        (told,) = await table.discord.until(lambda: replies_of(table, said))
        await heard_by_all(table)
        replies = replies_of(table, said)
        calls = len(cast.heard) - before
        await table.write_in(held.thread, "Advocate: why?", person="Ines")
        await table.discord.until(lambda: len(answers(table, held.thread)) == 1)
        await table.talked()
    assert calls == 0
    assert [message.id for message in replies] == [told.id]
    assert told.content.endswith("can ask the panel here: ask one of them.")
    assert not told.pings


def replies_of(table: PlaygroundHarness, said: Sequence[Shown]) -> list[Shown]:
    here, asked = table.discord.messages(said[0].channel_id), {m.id for m in said}
    return [message for message in here if message.reply_to in asked]


class Slowly(Rules):
    """Rules with a cooldown between questions."""

    def __call__(self, config: PanelsConfig) -> PanelsConfig:
        changed = super().__call__(config)
        followups = changed.followups.model_copy(update={"cooldown_seconds": 30.0})
        return changed.model_copy(update={"followups": followups})


async def test_of_ten_questions_at_once_one_is_asked(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, adjust=Slowly()) as table:
        held = await table.hold(QUICK)
        asked = (table.write_in(held.thread, f"Advocate: why {n}?") for n in range(10))
        said = await asyncio.gather(*asked)
        await table.discord.until(lambda: len(answers(table, held.thread)) == 1)
        await heard_by_all(table)
        replies = [message.content for message in replies_of(table, said)]
    assert len(cast.asked("ask:Advocate")) == 1
    assert len(replies) == 1
    assert replies[0].startswith("You can ask the panel again <t:")


async def test_a_run_that_waits_for_consent_holds_neither_money_nor_a_place(
    tmp_path: Path,
) -> None:
    """The starter's yes is decided in a transaction, and may come at a bad moment."""
    cast, rules = ScriptedModels(says={"r1:*": HANG}), Rules(max_concurrent=1)
    dear = priced(20.0, confirmAboveUsd=1.0, perRunUsd=9.0)
    async with scripted_playground(tmp_path, cast, edit_panels=dear, adjust=rules) as table:
        await table.say("roundtable --debate is it so?")
        waiting = await table.thread()
        shown = await waiting_card(table, waiting, ":start")
        run = await table.session.app.run_service.last_in(waiting.id)
        assert run is not None
        stored = await table.stored(lambda conn: BudgetRepository(conn).get(run.id))
        await table.say("roundtable --quick --debate --panel opus cheap?", person="Ines")
        await until_asked(cast, "r1:Advocate")
        too_many = await press(table, shown, ":start", "Jonas")
        await rules.become(table, max_concurrent=5)
        agreed = await press(table, shown, ":start", "Jonas")
        held = await table.stored(lambda conn: BudgetRepository(conn).get(run.id))
    assert stored.closed_at is not None
    assert too_many.startswith(TOO_MANY.replace("3 roundtables are", "1 roundtables are"))
    assert agreed == "Starting now."
    assert (held.closed_at, held.reserved_usd > 1.0) == (None, True)


async def test_consent_is_refused_when_the_day_is_used_up_meanwhile(tmp_path: Path) -> None:
    cast = ScriptedModels()
    dear = priced(20.0, confirmAboveUsd=0.7, perRunUsd=9.0, perPersonPerDayUsd=1.2)
    async with scripted_playground(tmp_path, cast, edit_panels=dear, cost=0.5) as table:
        answer = await table.reply_to(await table.say(ASKED))
        await waiting_card(table, await table.thread(), ":start")
        await table.say("roundtable --quick --debate --panel opus should we drink milk?")
        other = await table.thread(2)
        await table.discord.until(lambda: any("🔧 META" in m.content for m in table.said_in(other)))
        asked = len(cast.heard)
        refused = await press(table, answer, ":start", "Jonas")
        assert len(cast.heard) == asked
    assert refused.startswith("Your budget has ")


@pytest.mark.parametrize(
    "nonsense", [math.inf, -math.inf, math.nan, 1e30, -1, 10**400, -(10**400), "1e999", "nan"]
)
def test_impossible_usage_is_capped_and_marked(nonsense: object) -> None:
    usage = reported_usage((nonsense, 5), (nonsense,), nonsense, nonsense)
    assert usage.odd
    assert 5 <= usage.input_tokens <= MOST_TOKENS
    assert 0 <= usage.output_tokens <= MOST_TOKENS
    assert 0 <= usage.cached_tokens <= MOST_TOKENS
    assert usage.cost_usd is None


def test_usual_and_missing_usage_is_as_reported() -> None:
    usage = reported_usage((1000, None), (200,), 10, {"total": "0.5"})
    assert usage == reported_usage(("1000",), (200.0,), 10, 0.5)
    assert (usage.input_tokens, usage.output_tokens, usage.cost_usd) == (1000, 200, 0.5)
    assert not usage.odd
    assert reported_usage((), ()).cost_usd is None


async def test_the_record_of_a_run_with_impossible_usage_stays_finite(tmp_path: Path) -> None:
    usage = {"prompt_tokens": 1e30, "completion_tokens": math.inf, "cost": math.inf}
    limit = priced(0.001, perRunUsd=2.0, perPersonPerDayUsd=50.0)
    async with reporting(tmp_path, ScriptedModels(), usage, limit) as table:
        held = await table.hold("roundtable --quick --debate --panel opus,grok is it so?")
        costs = await table.reply_to(await table.say("roundtable costs"))
    assert "The provider reported impossible usage for" in held.meta
    assert held.meta.count("impossible usage") == 1
    assert math.isfinite(held.export["known_cost_usd"])
    assert held.export["tokens"] <= 2 * MOST_TOKENS * len(held.calls)
    assert "inf" not in costs.content
    json.dumps(held.export, allow_nan=False)


def test_the_shipped_share_of_follow_ups_is_half_of_a_day() -> None:
    assert Budgets().followup_share == 0.5
