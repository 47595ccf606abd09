"""Answers that come after their time are kept, marked and never posted."""

import asyncio
from pathlib import Path

from bot.playground.model import Channel
from bot.store import CallStatus, Event, EventType, Phase
from bot.store.log import events
from bot.store.repositories.answers import AnswerRepository
from bot.store.repositories.calls import CallRepository
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.e2e.scripted_models import (
    ScriptedModels,
    after,
    quick_timeouts,
    scripted_playground,
)


async def late_events(table: PlaygroundHarness, thread: Channel, count: int) -> list[Event]:
    """The late answers of the thread's run, once there are so many."""
    run = await table.session.app.run_service.last_in(thread.id)
    assert run
    async with asyncio.timeout(10):
        while True:
            found = await table.stored(
                lambda conn: events.history(conn, run.id, EventType.CALL_LATE)
            )
            if len(found) >= count:
                return list(found)
            await asyncio.sleep(0.01)


async def test_an_answer_after_its_timeout_is_kept_and_changes_nothing(tmp_path: Path) -> None:
    """E103 2.2#10 2.2#23: the seat stays absent and neutral; its cost counts, its words do not."""
    cast, go, kept = ScriptedModels(), asyncio.Event(), asyncio.Event()
    cast.says |= {"r1:Judge": after(cast, go), "synthesis": after(cast, kept)}
    adjust = quick_timeouts(round=0.7)
    async with scripted_playground(tmp_path, cast, adjust=adjust) as table:
        await table.say("roundtable --redteam is it so?")
        thread = await table.thread()
        await table.discord.until(
            lambda: any("timeout after 0.7 s" in m.text for m in table.said_in(thread))
        )
        go.set()
        (late,) = await late_events(table, thread, 1)
        kept.set()
        held = await table.held(await table.concluded(thread))
        run_id = held.record.run_id
        row = await table.stored(lambda conn: AnswerRepository(conn).get(run_id, "r1:judge:late"))
        spent = await table.stored(lambda conn: CallRepository(conn).spent(run_id))
    assert late.key == "r1:judge"
    assert (row.late, row.seat, row.round) == (True, "judge", 1)
    assert "r1 of judge thesis" in row.text
    assert held.voices == ("Planner", "Critic") * 2
    assert {asked.role for asked in cast.asked("r2:*")} == {"Planner", "Critic"}
    assert "[TIMEOUT] Judge (round 1)" in held.meta
    assert "r1 of judge" not in "".join(m.text for m in table.said_in(thread))
    assert not any("r1 of judge" in asked.text for asked in cast.heard)
    stalled, call = [call for call in held.calls if call.key == "r1:judge"]
    assert (stalled.status, stalled.model) == (CallStatus.TIMEOUT, "gemini-pro")
    assert (call.status, call.cost_usd) == (CallStatus.TIMEOUT, 0.001)
    assert spent.unpriced_calls == 0
    assert "timeout after 0.7 s · counted as neutral · a late answer is kept" in table.minutes()[0]


async def test_an_answer_under_way_at_a_stop_is_kept_and_the_run_stays_stopped(
    tmp_path: Path,
) -> None:
    """A35: whoever had begun to speak is heard to the end, by the store alone."""
    async with open_harness(tmp_path, seconds_per_answer=1.0) as table:
        await table.say("roundtable --quick --debate is it so?")
        thread = await table.thread()
        await table.discord.until(
            lambda: any("words so far" in m.text for m in table.said_in(thread))
        )
        await table.reply_to(await table.write_in(thread, "roundtable stop"))
        await table.concluded(thread)
        said = len(table.said_in(thread))
        (late, *_) = await late_events(table, thread, 1)
        run = await table.session.app.run_service.last_in(thread.id)
        assert run
        row = await table.stored(
            lambda conn: AnswerRepository(conn).get(run.id, f"{late.key}:late")
        )
        done = await table.stored(lambda conn: events.history(conn, run.id, EventType.CALL_DONE))
        assert len(table.said_in(thread)) == said
    assert row.late
    assert row.text
    assert (run.phase, run.status_reason) == (Phase.FAILED, "stopped by a person")
    assert late.key not in {event.key for event in done}
