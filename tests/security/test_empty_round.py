"""Issue 18, 9: a round that nobody answers crashes nothing; what was said before counts."""

from pathlib import Path

import pytest

from bot.playground.model import Channel
from tests.e2e.playground_harness import FinishedRun
from tests.e2e.restart_harness import RestartHarness, restart_harness
from tests.e2e.scripted_models import (
    FAIL,
    HANG,
    Plan,
    ScriptedModels,
    Trouble,
    quick_timeouts,
    scripted_playground,
)

pytestmark = pytest.mark.heavy

ASKED = "roundtable --debate is it so?"
ON_ROUND_1 = "nobody answered in round 2, so the conclusion is based on round 1"
THREE_ROUNDS = Plan(rounds=3)
STAGED = Plan(workflow="sequential", stage2=(("grok", "Reviewer", "check"),), rounds=2)


def is_said_everywhere(held: FinishedRun, text: str, minutes: str) -> None:
    """First in the conclusion, in META, on the card, in the JSON and in the minutes."""
    assert held.export["ending"] == "concluded"
    first = held.conclusion.removeprefix(f"<@{held.record.starter_id}>\n").splitlines()[0]
    assert first == f"⚠️ PANEL DEGRADED — {text}"
    assert text in held.meta.casefold()
    assert text in held.card.casefold()
    assert held.export["panel_degraded"] is True
    assert held.export["panel_degradation_notes"].splitlines()[0] == first
    assert first in minutes


@pytest.mark.parametrize("trouble", [FAIL, HANG])
async def test_a_round_2_that_nobody_answers_leaves_the_conclusion_to_round_1(
    tmp_path: Path, trouble: Trouble
) -> None:
    """E104: it is no crash, nothing is summed up that nobody said, and it is told first."""
    cast = ScriptedModels(says={"r2:*": trouble})
    quick = quick_timeouts(round=0.3) if trouble is HANG else (lambda config: config)
    async with scripted_playground(tmp_path, cast, adjust=quick) as table:
        held = await table.hold(ASKED)
        is_said_everywhere(held, ON_ROUND_1, table.minutes()[0])
    assert [asked.label for asked in cast.asked("summary:*")] == ["summary:1"]
    assert "r1 of judge digest" in cast.asked("synthesis")[0].values["ROUND1_SUMMARIES"]
    assert held.voices == ("Planner", "Critic", "Judge")
    assert held.record.rounds_held == 1
    assert "was left out" not in held.conclusion


async def test_a_round_3_that_nobody_answers_leaves_it_to_the_rounds_before(
    tmp_path: Path,
) -> None:
    cast = ScriptedModels(plan=THREE_ROUNDS, says={"r3:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        text = "nobody answered in round 3, so the conclusion is based on rounds 1 to 2"
        is_said_everywhere(held, text, table.minutes()[0])
    assert [asked.label for asked in cast.asked("summary:*")] == ["summary:1", "summary:2"]
    assert held.export["consensus_pct"] == "80.0%"
    assert "r2 of judge digest" in cast.asked("synthesis")[0].values["ROUND1_SUMMARIES"]


async def test_after_a_round_2_that_nobody_answers_no_round_3_is_held(tmp_path: Path) -> None:
    cast = ScriptedModels(plan=THREE_ROUNDS, says={"r2:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
        is_said_everywhere(held, ON_ROUND_1, table.minutes()[0])
    assert cast.asked("r3:*") == []


async def test_one_seat_that_answers_is_a_round(tmp_path: Path) -> None:
    """E104: those who failed stand where round 1 left them."""
    cast = ScriptedModels(plan=THREE_ROUNDS, says={"r2:Judge": FAIL, "r2:Critic": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold(ASKED)
    assert "nobody answered" not in held.conclusion.casefold()
    assert held.record.rounds_held == 2
    positions = cast.asked("synthesis")[0].values["ROUND1_SUMMARIES"]
    assert "r2 of planner digest" in positions
    assert "r1 of judge digest" in positions


async def test_in_a_vote_the_ballots_of_the_last_answered_round_count(tmp_path: Path) -> None:
    cast = ScriptedModels(says={"r2:*": FAIL}, ballots={"Planner": "coffee", "Judge": "coffee"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --vote tea or coffee?")
        is_said_everywhere(held, ON_ROUND_1, table.minutes()[0])
    assert "🗳️ **coffee wins with 2 votes, 1 ahead.**" in held.conclusion
    assert "No readable ballot" not in held.conclusion
    assert "coffee, 2 of 3" in held.card
    assert [dissent["role"] for dissent in held.export["dissents"]] == ["Critic"]
    assert "coffee wins with 2 votes" in cast.asked("synthesis")[0].values["BALLOTS"]


async def test_the_panel_can_still_check_what_rests_on_round_1(tmp_path: Path) -> None:
    cast = ScriptedModels(says={"r2:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate --validate is it so?")
        is_said_everywhere(held, ON_ROUND_1, table.minutes()[0])
    assert held.export["validated"] == "yes"
    assert "r1 of judge digest" in cast.asked("validate:Judge")[0].values["SELF_DIGEST"]


async def test_masks_do_not_hide_that_a_round_was_not_answered(tmp_path: Path) -> None:
    cast = ScriptedModels(says={"r2:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate --masked is it so?")
    said = held.conclusion.removeprefix(f"<@{held.record.starter_id}>\n")
    assert said.startswith(f"⚠️ PANEL DEGRADED — {ON_ROUND_1}")


async def test_validators_who_fail_as_well_break_nothing(
    tmp_path: Path,
) -> None:
    cast = ScriptedModels(says={"r2:*": FAIL, "validate:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate --validate is it so?")
        is_said_everywhere(held, ON_ROUND_1, table.minutes()[0])
    assert held.export["validated"] == "no"


async def test_a_stage_2_that_nobody_answers_is_said_first(tmp_path: Path) -> None:
    """E105: also when something smaller failed before it."""
    cast = ScriptedModels(plan=STAGED, says={"s2:*": FAIL, "r1:Critic": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --build a queue")
    first = held.conclusion.removeprefix(f"<@{held.record.starter_id}>\n").splitlines()[0]
    assert first == "⚠️ Reviewer failed in stage 2: the conclusion rests on stage 1"
    assert "Nobody answered in stage 2, so the conclusion is based on stage 1." in held.card


async def test_stage_2_works_with_round_1_when_nobody_answered_round_2(tmp_path: Path) -> None:
    cast = ScriptedModels(plan=STAGED, says={"r2:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --build a queue")
    assert "r1 of planner advice" in cast.asked("s2:Reviewer")[0].values["STAGE_1_OUTPUTS"]
    assert ON_ROUND_1 in held.conclusion
    assert held.voices[-1] == "Reviewer"


async def test_a_kill_in_the_round_that_nobody_answers_changes_nothing(tmp_path: Path) -> None:
    """What failed is not asked again after the restart, and the run is concluded the same way."""
    cast = ScriptedModels(says={"r2:Planner": FAIL, "r2:Critic": FAIL, "r2:Judge": HANG})
    async with restart_harness(tmp_path, cast) as bench:
        async with bench.bot():
            thread = await bench.asked(ASKED)
            await bench.discord.until(lambda: _failed_rows(bench, thread) == 2)
        asked = len(cast.asked("r2:Planner")), len(cast.asked("r2:Critic"))
        cast.says["r2:Judge"] = FAIL
        async with bench.bot():
            await bench.discord.until(lambda: bench.shown(thread, "Concluded after"))
        said = [m.content.casefold() for m in bench.discord.messages(thread.id)]
    assert (len(cast.asked("r2:Planner")), len(cast.asked("r2:Critic"))) == asked
    assert sum(f"⚠️ panel degraded — {ON_ROUND_1}" in text for text in said) == 1
    assert [asked.label for asked in cast.asked("summary:*")] == ["summary:1"]


def _failed_rows(bench: RestartHarness, thread: Channel) -> int:
    said = bench.discord.messages(thread.id)
    return sum(m.text.count("not authorised") for m in said if m.text.startswith("### 🎯"))


async def test_a_retry_that_gets_the_round_answered_goes_on_from_there(tmp_path: Path) -> None:
    """What ended the rounds in the first attempt is not true any more, and nobody reads it."""
    cast = ScriptedModels(plan=THREE_ROUNDS, says={"r2:*": FAIL, "synthesis": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        failed = await table.hold(ASKED)
        assert failed.export["ending"] == "failed"
        assert ON_ROUND_1 in failed.export["panel_degradation_notes"]
        cast.says.clear()
        said = await table.write_in(failed.thread, "roundtable retry")
        await table.reply_to(said)
        held = await table.held(await table.concluded(failed.thread))
    assert held.record.rounds_held == 3
    assert "nobody answered" not in held.conclusion.casefold()
    assert held.export["panel_degraded"] is False
    assert [asked.label for asked in cast.asked("summary:*")] == [
        "summary:1",
        "summary:2",
        "summary:3",
    ]
