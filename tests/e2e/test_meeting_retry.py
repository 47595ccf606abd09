"""A failed roundtable is taken up again, and what was answered is not asked twice."""

import json
from collections import Counter
from pathlib import Path

import pytest

from bot.playground.model import Channel
from tests.e2e.playground_harness import FinishedRun, PlaygroundHarness
from tests.e2e.scripted_models import FAIL, HANG, ScriptedModels, scripted_playground

pytestmark = pytest.mark.heavy

PANEL = ("Planner", "Critic", "Judge")
ASKED = "roundtable --debate is it so?"


async def retried(table: PlaygroundHarness, thread: Channel, person: str = "Jonas") -> FinishedRun:
    said = await table.write_in(thread, "roundtable retry", person=person)
    reply = await table.reply_to(said)
    assert "It continues in" in reply.content, reply.content
    return await table.held(await table.concluded(thread))


async def test_when_nobody_answers_the_failure_is_told_and_a_retry_succeeds(
    tmp_path: Path,
) -> None:
    """E107 2.2#21: the design is kept, only the seats are asked again, in the same thread."""
    cast = ScriptedModels(says={"r1:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        failed = await table.hold(ASKED)
        last = table.said_in(failed.thread)[-1].content
        assert last == (
            "⚠️ This roundtable failed: 0 agents responded: no panelist answered "
            "(not authorised). Type `roundtable retry` to try again."
        )
        assert failed.export["ending"] == "failed"
        assert "Failed" in failed.card
        asked_before = Counter(asked.label for asked in cast.heard)
        cast.says.clear()
        held = await retried(table, failed.thread)
        assert len(table.discord.threads()) == 1
    asked = Counter(asked.label for asked in cast.heard) - asked_before
    seats = [f"{round_}:{role}" for round_ in ("r1", "r2") for role in PANEL]
    assert asked == Counter([*seats, "summary:1", "summary:2", "synthesis"])
    assert held.export["ending"] == "concluded"
    assert held.export["id"] == failed.export["id"]
    assert held.export["panel_degraded"] is False
    assert "Concluded after" in held.card


async def test_a_lost_conclusion_is_all_that_a_retry_asks_for(tmp_path: Path) -> None:
    """2.2#21: answers, summaries and posts of the first attempt stay as they are."""
    cast = ScriptedModels(says={"synthesis": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        failed = await table.hold(ASKED)
        assert "the conclusion could not be written" in table.said_in(failed.thread)[-1].content
        before = len(cast.heard)
        cast.says.clear()
        held = await retried(table, failed.thread)
    assert [asked.label for asked in cast.heard[before:]] == ["synthesis"]
    assert held.voices == failed.voices == PANEL * 2
    assert held.conclusion.count("🔧 META") == 1


async def test_the_scorecard_tells_how_a_retried_run_ended(tmp_path: Path) -> None:
    """E94 2.2#27: one line per run, and it is the last truth."""
    cast = ScriptedModels(says={"synthesis": FAIL, "r2:Judge": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        failed = await table.hold(ASKED)
        cast.says.clear()
        await retried(table, failed.thread)
    card = tmp_path / "memory" / "roundtables" / "scorecard.jsonl"
    (line,) = [json.loads(text) for text in card.read_text().splitlines()]
    assert line["panel_degraded"] is False
    assert line["id"] == failed.export["id"]


async def test_a_stopped_run_can_be_retried_and_goes_on_where_it_was(tmp_path: Path) -> None:
    """2.2#21: the old stop does not stop the new attempt."""
    cast = ScriptedModels(says={"r1:Critic": HANG})
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await table.discord.until(lambda: any(m.webhook_id for m in table.said_in(thread)))
        await table.reply_to(await table.write_in(thread, "roundtable stop"))
        cast.says.clear()
        held = await retried(table, await table.concluded(thread))
    assert held.export["ending"] == "concluded"
    assert len(cast.asked("r1:Planner")) == 1
    assert held.voices == PANEL * 2


async def test_a_retried_run_that_fails_again_is_failed_and_not_stopped(tmp_path: Path) -> None:
    """2.2#29: every ending is told anew."""
    cast = ScriptedModels(says={"r1:*": HANG})
    async with scripted_playground(tmp_path, cast) as table:
        await table.say(ASKED)
        thread = await table.thread()
        await table.discord.until(lambda: any("thinking" in m.text for m in table.said_in(thread)))
        await table.reply_to(await table.write_in(thread, "roundtable stop"))
        cast.says["r1:*"] = FAIL
        held = await retried(table, await table.concluded(thread))
        assert "0 agents responded" in table.said_in(thread)[-1].content
    assert held.export["ending"] == "failed"


async def test_only_the_starter_or_an_admin_retries_and_only_what_failed(tmp_path: Path) -> None:
    cast = ScriptedModels(says={"synthesis": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        failed = await table.hold(ASKED)
        said = await table.write_in(failed.thread, "roundtable retry", person="Ines")
        assert "Only the person who started it" in (await table.reply_to(said)).content
        cast.says.clear()
        held = await retried(table, failed.thread, person="Mara")
        said = await table.write_in(held.thread, "roundtable retry")
        assert "failed or stopped" in (await table.reply_to(said)).content


async def test_a_later_roundtable_can_build_on_a_retried_one(tmp_path: Path) -> None:
    """E18: the conclusion of the second attempt is found."""
    cast = ScriptedModels(says={"synthesis": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        failed = await table.hold(ASKED)
        cast.says.clear()
        await retried(table, failed.thread)
        await table.hold("roundtable --quick --context-from is-it-so --debate and then?")
    context = cast.asked("r1:Advocate")[0].values["CURRENT_CONTEXT"]
    assert context.startswith("PRIOR ROUNDTABLE CONTEXT: ")
    assert "Do it. Then rest." in context
