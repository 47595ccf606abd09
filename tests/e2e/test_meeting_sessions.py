"""Seats are sessions of one run; analysts and the writer are asked once and are gone."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from bot.meeting.context import TimeBudget
from bot.meeting.model_calls import ModelCaller
from bot.meeting.questions import CallResult, ModelCall
from bot.store.repositories.calls import CallRepository
from bot.store.repositories.seats import SeatRepository
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import (
    FAIL,
    Plan,
    ReceivedPrompt,
    ScriptedModels,
    quick_timeouts,
    scripted_playground,
)


async def test_every_seat_has_a_session_of_its_own_bound_to_the_run(
    table: PlaygroundHarness,
) -> None:
    """E5 E60 E61 B47 2.2#28: the key names run and role, and no two runs share one."""
    first = await table.hold("roundtable --quick --debate tea")
    second = await table.hold("roundtable --quick --debate coffee")
    store = table.session.app.store
    keys = [
        [
            seat.session_key
            for seat in await store.read(
                lambda c, r=run: SeatRepository(c).of_run(r)  # type: ignore[misc]
            )
        ]
        for run in (first.record.run_id, second.record.run_id)
    ]
    assert keys[0] == [
        f"{first.record.run_id}:{slug}" for slug in ("advocate", "devils-advocate", "analyst")
    ]
    assert not set(keys[0]) & set(keys[1])


async def test_all_seats_are_asked_at_once_and_the_quickest_is_heard_first(
    tmp_path: Path,
) -> None:
    """E60: none answers before all are asked, and who is ready waits for nobody."""
    cast, all_asked = ScriptedModels(), asyncio.Barrier(3)

    async def opens(asked: ReceivedPrompt) -> str:
        async with asyncio.timeout(30):
            await all_asked.wait()
            if asked.role == "Judge":
                await table.discord.until(lambda: len(spoken()) == 2, 30)
        return cast.written(asked)

    def spoken() -> list[str]:
        said = [m for thread in table.discord.threads() for m in table.said_in(thread)]
        return [message.author.name for message in said if message.webhook_id]

    cast.says["r1:*"] = opens
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert len(cast.asked("r1:*")) == 3
    assert held.export["ending"] == "concluded"
    assert len(held.record.speeches) == 6


async def test_analysts_and_writer_are_asked_once_and_hold_no_seat(
    table: PlaygroundHarness,
) -> None:
    """E6 E84: one-shot calls under their own keys, the writer from the premium models."""
    held = await table.hold("roundtable --debate should we adopt uv?")
    made = await table.session.app.store.read(
        lambda c: CallRepository(c).of_run(held.record.run_id)
    )
    keys = [call.key for call in made]
    assert [key for key in keys if key.startswith("meta:")] == sorted(
        ["meta:A", "meta:B", "meta:C", "meta:D"], key=keys.index
    )
    assert [key for key in keys if key.startswith("synthesis")] == ["synthesis"]
    assert all(call.seat is None for call in made if call.key.startswith(("meta", "synthesis")))
    writer = next(call.model for call in made if call.key == "synthesis")
    assert writer in table.session.app.config.premium


async def test_the_default_model_concludes_where_nobody_else_is_off_the_panel(
    tmp_path: Path,
) -> None:
    """E84 2.2#19: no analyst recommended one, and no premium model off the panel is served."""
    cast = ScriptedModels(plan=Plan(synthesis="none"))

    def edit(panels: dict[str, Any]) -> None:
        panels["synthesis"]["default"] = "claude-sonnet"
        seated = [model for model, _, _ in Plan().stage1]
        for name in set(panels["premium"]) - set(seated):
            panels["models"][name]["routes"] = [{"provider": "away", "model": name}]
        away = {**panels["providers"]["house"], "apiKeyEnv": "NOT_SET"}
        panels["providers"]["away"] = {k: v for k, v in away.items() if k != "apiKey"}

    async with scripted_playground(tmp_path, cast, edit_panels=edit) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert [asked.model for asked in cast.asked("synthesis")] == ["claude-sonnet"]
    assert held.export["synthesis_model"] == "claude-sonnet"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The seconds each question may take, by its key."""
    given: dict[str, float] = {}
    usual = ModelCaller.ask

    async def ask(caller: ModelCaller, call: ModelCall, parse: Any, *live: Any) -> CallResult:
        given[call.key] = call.seconds
        return await usual(caller, call, parse, *live)

    monkeypatch.setattr(ModelCaller, "ask", ask)
    return given


async def test_every_step_is_given_its_own_time(tmp_path: Path, given: dict[str, float]) -> None:
    """E40 E79 E84: analysts, validators and the writer each have a limit, as panels have."""
    adjust = quick_timeouts(meta=41, round=42, validation=43, synthesis=44)
    async with scripted_playground(tmp_path, ScriptedModels(), adjust=adjust) as table:
        await table.hold("roundtable --debate --validate is it so?")
    seconds = {"meta:A": 41, "r1:judge": 42, "validate:judge": 43, "synthesis": 44}
    assert {key: given[key] for key in seconds} == seconds


async def test_where_little_time_is_left_the_rounds_have_less_and_the_conclusion_its_own(
    tmp_path: Path, given: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A30 A31: nobody in the rounds has longer than they last; no question is without a limit."""
    monkeypatch.setattr(TimeBudget, "left", lambda _: 7.0)
    adjust = quick_timeouts(meta=41, round=42, validation=43, synthesis=44, summary=45)
    plan = Plan("sequential", stage2=(("grok", "Reviewer", "check"),))
    cast = ScriptedModels(plan=plan)
    async with scripted_playground(tmp_path, cast, adjust=adjust) as table:
        await table.hold("roundtable --debate --validate is it so?")
    rounds = ("meta:A", "r1:judge", "r2:judge", "s2:reviewer")
    tail = {"summary:1": 45, "validate:judge": 43, "synthesis": 44}
    seconds = dict.fromkeys(rounds, 7.0) | tail
    assert {key: given[key] for key in seconds} == seconds
    assert max(given.values()) <= 45


async def test_a_design_seats_configured_models_and_invents_none(tmp_path: Path) -> None:
    """A8 E122: a model nobody configured is passed over; the others are asked by their own ids."""
    invented = ("gpt-99-ultra", "Prophet", "foresee it")
    plan = Plan(stage1=(Plan().stage1[0], invented, *Plan().stage1[1:]))
    cast = ScriptedModels(plan=plan, says={"r1:Judge@judge-of-the-house": FAIL})

    def renamed(panels: dict[str, Any]) -> None:
        panels["models"]["gemini-pro"]["routes"][0]["model"] = "judge-of-the-house"
        panels["models"]["claude-sonnet"]["routes"][0]["model"] = "stand-in-of-the-house"

    async with scripted_playground(tmp_path, cast, edit_panels=renamed) as table:
        held = await table.hold("roundtable --debate is it so?")
        seats = await table.stored(lambda conn: SeatRepository(conn).of_run(held.record.run_id))
    assert [(seat.role, seat.model, seat.provider, seat.wire_model) for seat in seats] == [
        ("Planner", "claude-opus", "house", "claude-opus"),
        ("Critic", "gpt", "house", "gpt"),
        ("Judge", "gemini-pro", "house", "judge-of-the-house"),
    ]
    assert [asked.model for asked in cast.asked("r1:Judge")] == [
        "judge-of-the-house",
        "stand-in-of-the-house",
    ]
    assert {asked.model for asked in cast.asked("r1:*")} == {
        *("claude-opus", "gpt", "judge-of-the-house", "stand-in-of-the-house"),
    }


async def test_a_panel_by_name_seats_exactly_these_models_and_no_unknown_one(
    tmp_path: Path,
) -> None:
    """A8: an alias means its model; a name that nobody configured starts nothing."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        said = await table.say("roundtable --panel gpt,gpt-99-ultra tea")
        refusal = await table.reply_to(said)
        assert "gpt-99-ultra" in refusal.text
        assert cast.heard == []
        held = await table.hold("roundtable --panel grok,gpt tea")
    assert [seat.model for seat in held.record.seats] == ["grok", "gpt"]
    assert {asked.model for asked in cast.asked("r1:*")} == {"grok", "gpt"}


async def test_sessions_have_labels_where_people_and_logs_see_them(
    table: PlaygroundHarness, caplog: pytest.LogCaptureFixture
) -> None:
    """E40 E60 E79 E84: analysts, seats, validators and the writer; a seat has one in all rounds."""
    caplog.set_level(logging.INFO, logger="bot.meeting.model_calls")
    held = await table.hold("roundtable --debate --validate should we adopt uv?")
    (minutes,) = table.minutes()
    slugs = [seat.slug for seat in held.record.seats]
    wanted = {
        *("rt-meta-a", "rt-meta-b", "rt-meta-c", "rt-meta-d", "rt-synthesis"),
        *(f"rt-{slug}" for slug in slugs),
        *(f"rt-r3-validate-{slug}" for slug in slugs),
    }
    labels = held.export["sessions"]
    assert wanted <= set(labels)
    assert {label[-1] for label in labels if label.startswith("rt-meta-")} == set("abcd")
    assert len(labels) == len(set(labels))
    assert f"- Sessions: {', '.join(labels)}" in minutes
    for label, key in (
        ("rt-meta-a", "meta:A"),
        (f"rt-{slugs[0]}", f"r1:{slugs[0]}"),
        (f"rt-{slugs[0]}", f"r2:{slugs[0]}"),
        (f"rt-r3-validate-{slugs[0]}", f"validate:{slugs[0]}"),
        ("rt-synthesis", "synthesis"),
    ):
        assert f"{held.record.run_id}: session {label}: {key} is ok" in caplog.text


async def test_the_labels_of_a_masked_panel_name_nobody_before_the_reveal(
    table: PlaygroundHarness,
) -> None:
    """E60: they are made of roles."""
    held = await table.hold("roundtable --quick --masked --vote tabs or spaces?")
    assert held.export["sessions"] == []
    assert "- Sessions:" not in table.minutes()[0]
