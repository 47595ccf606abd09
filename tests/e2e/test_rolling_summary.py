"""The rolling summary beside the rounds: nobody waits for it, and a restart pays nothing twice."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import Connection

from bot.app import App
from bot.record.loader import read_record
from bot.record.record import RunRecord
from bot.store.repositories.answers import AnswerRepository
from bot.store.repositories.run_lists import RunListRepository
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import (
    HANG,
    ReceivedPrompt,
    ScriptedModels,
    on_stored,
    quick_timeouts,
    scripted_playground,
)
from tests.e2e.talk_steps import eventually, on_call, until_asked

ASKED = "roundtable --redteam is it so?"
ROUNDS = [f"{name}:{role}" for name in ("r1", "r2") for role in ("Planner", "Critic", "Judge")]


async def test_the_next_round_is_asked_while_the_summary_is_being_written(tmp_path: Path) -> None:
    """A25 2.2#5 2.2#7: the summary of round 1 waits for an answer of round 2."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast) as table:
        cast.says["summary:1"] = on_stored(table.session.app.store, cast, "r2:judge")
        held = await table.hold(ASKED)
    assert [s.summary for s in held.record.summaries] == ["summary:1 sums up", "summary:2 sums up"]
    assert held.export["ending"] == "concluded"


async def test_a_summary_waits_for_the_one_before_it(tmp_path: Path) -> None:
    """A25 A26: round 2 is over and the conclusion begun before round 1 is summed up."""
    cast = ScriptedModels()

    async def late(asked: ReceivedPrompt) -> str:
        await until_asked(cast, "synthesis")
        return cast.written(asked)

    cast.says["summary:1"] = late
    async with scripted_playground(tmp_path, cast) as table:
        await table.hold(ASKED)
    (second,) = cast.asked("summary:2")
    assert second.values["ROLLING_SUMMARY"] == "summary:1 sums up"


async def test_the_conclusion_does_not_wait_for_the_last_summary(tmp_path: Path) -> None:
    """2.2#7: the conclusion is posted first; the minutes still get the summary."""
    cast, released = ScriptedModels(), asyncio.Event()
    cast.says["summary:2"] = on_call(cast, released)
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await table.discord.until(lambda: any("META" in m.text for m in table.said_in(thread)))
        assert table.minutes() == []
        released.set()
        held = await table.held(await table.concluded(thread))
        (minutes,) = table.minutes()
    assert "**Rolling summary**: summary:2 sums up" in minutes
    assert held.export["ending"] == "concluded"


async def test_a_summary_that_never_comes_changes_nothing_but_its_line(tmp_path: Path) -> None:
    """A25 A31 2.2#7: no summary, no score; rounds, conclusion and files are as ever."""
    cast = ScriptedModels(says={"summary:1": HANG, "summary:2": HANG})
    adjust = quick_timeouts(summary=0.3)
    async with scripted_playground(tmp_path, cast, adjust=adjust) as table:
        held = await table.hold(ASKED)
        (minutes,) = table.minutes()
    assert held.voices == ("Planner", "Critic", "Judge") * 2
    assert held.record.summaries == ()
    assert held.export["ending"] == "concluded"
    assert held.export["convergence_score"] is None
    assert "Rolling summary" not in minutes


async def test_a_kill_while_a_summary_and_a_round_are_under_way_repeats_nothing_recorded(
    tmp_path: Path,
) -> None:
    """B50 2.3: recorded answers are kept; what was under way is asked again, once each."""
    cast = ScriptedModels(says={"summary:1": HANG, "r2:Judge": HANG})
    async with restart_harness(tmp_path, cast) as house:
        async with house.bot() as app:
            await house.asked(ASKED)
            await stored(app, "r2:planner", "r2:critic")
            await until_asked(cast, "summary:1")
            await until_asked(cast, "r2:Judge")
        cast.says.clear()
        record = await concluded(house)
    assert_whole(record, cast, again=["summary:1", "r2:Judge"])


async def test_a_kill_after_the_summary_and_during_the_round_pays_no_summary_again(
    tmp_path: Path,
) -> None:
    """B50: a summary that was recorded is not asked for again, and round 2 goes on."""
    cast = ScriptedModels(says={"r2:*": HANG})
    async with restart_harness(tmp_path, cast) as house:
        async with house.bot() as app:
            await house.asked(ASKED)
            await stored(app, "summary:1")
            await until_asked(cast, "r2:*", 3)
        cast.says.clear()
        record = await concluded(house)
    assert_whole(record, cast, again=[label for label in ROUNDS if label.startswith("r2:")])


async def stored(app: App, *keys: str) -> None:
    """Wait until the open run has answers under these keys."""
    (run,) = await app.store.read(lambda conn: RunListRepository(conn).unfinished())

    def found(conn: Connection) -> bool:
        return all(AnswerRepository(conn).get(run.id, key) for key in keys)

    async def answered() -> bool:
        return await app.store.read(found)

    await eventually(answered)


async def concluded(house: RestartHarness) -> RunRecord:
    """Start the bot again, let it conclude, and read what it has stored; it posts nothing twice."""
    async with house.bot() as app:
        (thread,) = house.discord.threads()
        await house.discord.until(lambda: house.shown(thread, "META"))
        await app.run_service.idle()
        run = await app.run_service.last_in(thread.id)
        assert run
        said = [m.content for m in house.discord.messages(thread.id) if m.webhook_id]
        assert len(said) == len(set(said)) == len(ROUNDS)
        assert house.count(thread, "META") == 1
        return await read_record(app.store, run.id)


def assert_whole(record: RunRecord, cast: ScriptedModels, again: Sequence[str]) -> None:
    """Everything was asked once, and a second time only what the kill cut off."""
    wanted = Counter([*ROUNDS, "summary:1", "summary:2", "synthesis", *again])
    assert Counter(asked.label for asked in cast.heard if asked.label in wanted) == wanted
    assert [s.summary for s in record.summaries] == ["summary:1 sums up", "summary:2 sums up"]
    assert all(speech.spoke for speech in record.speeches)
