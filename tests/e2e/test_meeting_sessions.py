"""Seats are sessions of one run; analysts and the writer are asked once and are gone."""

import logging
from pathlib import Path
from typing import Any

import pytest

from bot.store.repositories.calls import CallRepository
from bot.store.repositories.seats import SeatRepository
from tests.e2e.playground_harness import PlaygroundHarness
from tests.e2e.scripted_models import FAIL, Plan, ScriptedModels, scripted_playground


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
    assert keys.count("synthesis") == 1
    assert all(call.seat is None for call in made if call.key.startswith(("meta", "synthesis")))
    writer = next(call.model for call in made if call.key == "synthesis")
    assert writer in table.session.app.config.premium


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
