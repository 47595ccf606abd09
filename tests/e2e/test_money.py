"""Money in Discord: the price before, consent, limits, the ledger, and what people are told."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.playground.model import Channel, Message
from bot.store.repositories.budgets import BudgetRepository
from bot.store.repositories.calls import Call, CallRepository
from bot.store.repositories.runs import RunRepository
from tests.e2e.playground_harness import EditPanels, PlaygroundHarness
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import HOUSE, ReceivedPrompt, ScriptedModels, scripted_playground
from tests.e2e.talk_steps import answered
from tests.support.time_travel import fast_time, set_clock

QUICK = "roundtable --quick --debate --panel opus,grok should we drink tea?"
ASKED = "roundtable --debate --panel opus,grok should we drink tea?"


def priced(per_million: float, **limits: float) -> EditPanels:
    """Every model costs so much, read or written, under these limits; the server is a gateway."""

    def edit(panels: dict[str, Any]) -> None:
        panels["providers"][HOUSE]["free"] = False
        for model in panels["models"].values():
            model["price"] = {"inputPerMillion": per_million, "outputPerMillion": per_million}
        panels["budgets"] |= limits
        panels["trigger"]["cooldownSeconds"] = 0

    return edit


async def waiting_card(table: PlaygroundHarness, thread: Channel, ending: str) -> Message:
    """The card, once it has a button whose id ends so."""
    found = await table.discord.until(
        lambda: next(
            (m for m in table.said_in(thread) if any(i.endswith(ending) for i in m.custom_ids)),
            None,
        )
    )
    assert found
    return found


async def press(table: PlaygroundHarness, message: Message, ending: str, person: str) -> str:
    custom_id = next(i for i in message.custom_ids if i.endswith(ending))
    pressed = await table.discord.press(table.discord.person(person).id, message.id, custom_id)
    return (await pressed.message()).content


async def test_above_the_limit_nothing_is_paid_before_the_starter_agrees(tmp_path: Path) -> None:
    """2.2#32: the price is a range with the number of calls; only the starter starts it."""
    cast = ScriptedModels()
    async with scripted_playground(
        tmp_path, cast, edit_panels=priced(20.0, confirmAboveUsd=0.05, perRunUsd=9.0)
    ) as table:
        answer = await table.reply_to(await table.say(ASKED))
        thread = await table.thread()
        shown = await waiting_card(table, thread, ":start")
        asked_early = list(cast.heard)
        refusal = await press(table, shown, ":start", "Ines")
        begun = await press(table, answer, ":start", "Jonas")
        held = await table.held(await table.concluded(thread))
        too_late = await press(table, answer, ":start", "Jonas")
    assert asked_early == []
    assert "This will cost about $0." in answer.content
    assert " for 4–8 calls: <@" in answer.content
    assert "press Start or Cancel" in shown.text
    assert "Only the person who asked for it" in refusal
    assert begun == "Starting now."
    assert "This request has already been answered" in too_late
    assert "Estimate: 4–8 calls · $0." in held.card
    assert held.export["estimated_calls"] == [4, 8]
    assert held.export["cost_usd"] == pytest.approx(0.001 * len(held.calls))
    assert f"· ${held.export['cost_usd']:.2g} ·" in held.meta
    assert {call.person_id for call in held.calls} == {table.discord.person("Jonas").id}
    assert {call.guild_id for call in held.calls} == {table.discord.channel("general").guild_id}


async def test_a_cancelled_run_cost_nothing_and_says_who_cancelled_it(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with scripted_playground(
        tmp_path, cast, edit_panels=priced(20.0, confirmAboveUsd=0.05, perRunUsd=9.0)
    ) as table:
        answer = await table.reply_to(await table.say(ASKED))
        thread = await table.thread()
        cancelled = await press(table, answer, ":cancel", "Mara")
        await table.concluded(thread)
        (run,) = table.exports()
        budget = await table.stored(lambda conn: BudgetRepository(conn).get(run["id"]))
    assert "Cancelled" in cancelled
    assert cast.heard == []
    assert table.said_in(thread)[-1].content.startswith("⏹️ Cancelled by <@")
    assert run["ending"] == "failed"
    assert budget.closed_at is not None


async def test_nobody_answers_in_time(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with scripted_playground(
        tmp_path, cast, edit_panels=priced(20.0, confirmAboveUsd=0.05, perRunUsd=9.0)
    ) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await waiting_card(table, thread, ":start")
        store = table.session.app.store
        later = store.now() + 16 * 60.0
        set_clock(store, lambda: later)
        async with fast_time(100):
            await asyncio.sleep(60)  # it looks again after half a minute
        await table.concluded(thread)
    assert cast.heard == []
    assert table.said_in(thread)[-1].content.startswith("⌛ Nobody approved the price in time")
    assert [i.rpartition(":")[2] for i in table.card(thread).custom_ids] == ["retry"]


async def no_pause(_: float) -> None:
    """Nothing fails here, so nobody waits."""


def expensive(bench: RestartHarness) -> None:
    data = json.loads(bench.settings.panels.read_text(encoding="utf-8"))
    priced(20.0, confirmAboveUsd=0.05, perRunUsd=9.0)(data)
    bench.settings.panels.write_text(json.dumps(data), encoding="utf-8")


async def test_the_question_outlives_a_restart(tmp_path: Path) -> None:
    cast = ScriptedModels()
    async with restart_harness(tmp_path, cast) as bench:
        expensive(bench)
        async with bench.bot(no_pause):
            thread = await bench.asked(ASKED)
            await bench.discord.until(lambda: bench.shown(thread, "press Start or Cancel"))
        async with bench.bot(no_pause) as app:
            card = next(m for m in bench.discord.messages(thread.id) if m.custom_ids)
            custom_id = next(i for i in card.custom_ids if i.endswith(":start"))
            jonas = bench.discord.person("Jonas").id
            pressed = await bench.discord.press(jonas, card.id, custom_id)
            assert (await pressed.message()).content == "Starting now."
            await bench.discord.until(lambda: bench.shown(thread, "Concluded after"))
            await app.run_service.idle()
            (run,) = await app.store.read(lambda conn: [RunRepository(conn).by_thread(thread.id)])
    assert run is not None
    assert run.status_reason == "concluded"
    assert bench.count(thread, "🔧 META") == 1


async def test_above_the_run_limit_an_approver_decides(tmp_path: Path) -> None:
    """2.2#32: the run waits in spec_review until somebody who may says yes."""
    cast = ScriptedModels()
    edit = priced(20.0, confirmAboveUsd=0.01, perRunUsd=0.05)
    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        await table.say(ASKED)
        thread = await table.thread()
        shown = await waiting_card(table, thread, ":approve")
        run = await table.session.app.run_service.last_in(thread.id)
        asked_early = list(cast.heard)
        refusal = await press(table, shown, ":approve", "Jonas")
        approved = await press(table, shown, ":approve", "Mara")
        held = await table.held(await table.concluded(thread))
    assert run is not None
    assert (run.phase, asked_early) == ("spec_review", [])
    assert "run this roundtable for about $0." in shown.content
    assert "can decide this" in refusal
    assert "may spend up to $1." in approved
    assert held.export["ending"] == "concluded"


async def test_at_the_cap_the_run_goes_to_its_conclusion_and_says_so_first(tmp_path: Path) -> None:
    """E93: the files tell the cost, too. The next start is refused until it is free again."""
    cast = ScriptedModels()
    limits = priced(0.5, perRunUsd=0.8, perPersonPerDayUsd=0.85)
    async with scripted_playground(tmp_path, cast, edit_panels=limits, cost=0.3) as table:
        held = await table.hold(ASKED)
        refused = await table.reply_to(await table.say(ASKED.replace("tea", "milk")))
        other = await table.hold(ASKED.replace("tea", "juice"), person="Ines")
        threads = table.discord.threads()
        costs = await table.reply_to(await table.say("roundtable costs"))
    assert held.conclusion.splitlines()[1] == (
        "⚠️ BUDGET REACHED — The rounds end here because the limit of $0.80 for this roundtable "
        "is reached. The conclusion is based on what was said before that."
    )
    assert (held.record.rounds_held, held.record.rounds_planned) == (1, 2)
    assert cast.asked("r2:*") == []
    assert held.export["cost_usd"] == pytest.approx(0.9)
    assert held.export["budget_note"].startswith("⚠️ BUDGET REACHED")
    assert held.export["panel_degraded"] is False
    assert refused.content.startswith("Your budget has $0.00 left for today and this roundtable")
    assert "<t:" in refused.content
    assert other.export["ending"] == "concluded"
    assert len(threads) == 2
    assert "Today $0.90 of $0.85 · 1 roundtable, 3 calls" in costs.content


async def test_a_build_that_cannot_be_paid_says_so(tmp_path: Path) -> None:
    limits = priced(0.5, perRunUsd=0.8, perPersonPerDayUsd=9.0)
    async with scripted_playground(
        tmp_path, ScriptedModels(), edit_panels=limits, cost=0.3
    ) as table:
        await table.say("roundtable --build --quick we should have a rate limiter")
        thread = await table.concluded(await table.thread())
        (told,) = [m.content for m in table.said_in(thread) if "failed" in m.content]
    assert "over budget: the limit of $0.80 for this roundtable is reached" in told


def busy_once() -> Callable[[ReceivedPrompt], str]:
    """Overloaded the first time somebody asks, and an answer afterwards."""
    cast = ScriptedModels()
    refused: list[ReceivedPrompt] = []

    def answer(asked: ReceivedPrompt) -> str:
        if not refused:
            refused.append(asked)
            raise web.HTTPServiceUnavailable(headers={"Retry-After": "0"})
        return cast.written(asked)

    return answer


async def test_every_repeated_try_is_in_the_ledger(tmp_path: Path) -> None:
    cast = ScriptedModels(says={"r1:Advocate": busy_once()})
    async with scripted_playground(tmp_path, cast, edit_panels=priced(1.0)) as table:
        held = await table.hold(QUICK)
    tried = [call for call in held.calls if call.key == "r1:advocate"]
    assert [(c.attempt, c.status, c.error_kind) for c in tried] == [
        (1, "failed", "overloaded"),
        (2, "ok", ""),
    ]
    assert [c.cost_usd for c in tried] == [None, 0.001]
    assert held.record.spending.unpriced_calls == 0


async def test_costs_show_everybody_their_own_and_moderators_the_server(tmp_path: Path) -> None:
    """E20: the table is computed from the prices of the configured panel."""
    async with scripted_playground(tmp_path, ScriptedModels(), edit_panels=priced(1.0)) as table:
        await table.hold(ASKED, person="Ines")
        people = {name: table.discord.person(name).id for name in ("Ines", "Jonas", "Mara")}
        channel = table.discord.channel("general").id
        shown = {}
        for name, person in people.items():
            pressed = await table.discord.slash(person, channel, "roundtable costs")
            shown[name] = await pressed.message()
        aloud = await table.reply_to(await table.say("roundtable costs", person="Mara"))
    ines, jonas, mara = (shown[name].content for name in ("Ines", "Jonas", "Mara"))
    assert shown["Ines"].only_for == people["Ines"]
    assert "Today $0.007 of $5.00 · 1 roundtable, 7 calls" in ines
    assert "By model this month: " in ines
    assert "claude-opus $0.002" in ines
    assert "By panel this month: debate $0.007" in ines
    assert "- a full debate: $0." in ines
    assert "- with `--quick`: $0." in ines
    assert "Today $0.00 of $5.00 · 0 roundtables, 0 calls" in jonas
    assert "This server" not in ines + jonas
    assert "$0.007 " not in jonas
    assert f"By person this month: <@{people['Ines']}> $0.007" in mara
    assert "Today $0.007 of $20.00" in mara
    assert "This server" not in aloud.content


async def test_what_came_from_a_cache_costs_less_and_is_told(tmp_path: Path) -> None:
    """providers 1.1: in `costs`, in META, in the minutes and in the JSON file."""
    usage = {
        "prompt_tokens": 2000,
        "completion_tokens": 100,
        "prompt_tokens_details": {"cached_tokens": 1500},
    }

    def cheaper_cache(panels: dict[str, Any]) -> None:
        priced(10.0)(panels)
        for model in panels["models"].values():
            model["price"]["cachedInputPerMillion"] = 1.0

    async with scripted_playground(
        tmp_path, ScriptedModels(), edit_panels=cheaper_cache, usage=usage
    ) as table:
        held = await table.hold(QUICK)
        costs = await table.reply_to(await table.say("roundtable costs"))
        (minutes,) = table.minutes()
    calls = held.export["calls"]
    told = f"{calls * 2100:,} tokens ({calls * 1500:,} cached)"
    assert held.export["cached_tokens"] == calls * 1500
    assert held.export["cost_usd"] == pytest.approx(calls * 0.0075)
    assert told in held.meta
    assert told in minutes
    assert told in costs.content


async def test_a_rehearsal_costs_nothing_and_says_so(table: PlaygroundHarness) -> None:
    held = await table.hold("roundtable --quick --debate should we drink tea?")
    costs = await table.reply_to(await table.say("roundtable costs"))
    stored: tuple[Call, ...] = await table.stored(
        lambda conn: CallRepository(conn).of_run(held.export["id"])
    )
    assert "Estimate: 5–7 calls · costs nothing" in held.card
    assert "· costs nothing ·" in held.meta
    assert "everything is free" in costs.content
    assert {call.charged_usd for call in stored} == {0.0}
    assert await table.stored(lambda conn: BudgetRepository(conn).get(held.export["id"])) is None


async def test_whoever_asks_back_pays_and_is_told_when_their_share_is_used_up(
    tmp_path: Path,
) -> None:
    """Half of a day's budget is for follow-ups."""
    limits = priced(0.5, perPersonPerDayUsd=0.8)
    async with scripted_playground(
        tmp_path, ScriptedModels(), edit_panels=limits, cost=0.3
    ) as table:
        held = await table.hold(QUICK)
        for number in range(1, 3):
            await table.write_in(held.thread, "Advocate: why?", person="Ines")
            await answered(table, held.thread, number)
        said = await table.write_in(held.thread, "Advocate: and why?", person="Ines")
        refused = await table.reply_to(said)
        paid = await table.stored(lambda conn: CallRepository(conn).of_run(held.export["id"]))
    ines = [call for call in paid if call.person_id == table.discord.person("Ines").id]
    assert {call.purpose for call in ines} == {"follow-up"}
    assert sum(call.charged_usd for call in ines) == pytest.approx(0.6)
    assert refused.content.startswith("You have used today's budget for follow-up questions")
