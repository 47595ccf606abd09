"""How rounds end: agreement, the last round, the clock; minutes are written on every ending."""

import asyncio
import gc
from pathlib import Path

import pytest

from bot.meeting.context import RunContext
from bot.prompting.closing_lines import Stance
from bot.store.log import events
from bot.store.repositories.answers import AnswerRepository
from tests.e2e.playground_harness import open_harness
from tests.e2e.scripted_models import (
    FAIL,
    HANG,
    Plan,
    ScriptedModels,
    on_stored,
    quick_timeouts,
    scripted_playground,
)
from tests.e2e.talk_steps import on_call

pytestmark = pytest.mark.heavy

ALL = {"Planner": "AGREE", "Critic": "AGREE", "Judge": "AGREE"}


def minutes(home: Path) -> str:
    (file,) = (home / "memory" / "roundtables").glob("*.md")
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("judge", "result", "why"),
    [
        ("AGREE", "FULL_CONSENSUS", "All panelists agree, so the rounds end early."),
        (
            "NEUTRAL",
            "MAJORITY_CONSENSUS",
            "Most panelists agree and none disagrees, so the rounds end early.",
        ),
    ],
)
async def test_a_debate_ends_as_soon_as_it_agrees(
    tmp_path: Path, judge: str, result: str, why: str
) -> None:
    """A6 A19 A20 A22 A35 E69 2.2#5: no second round, no percentage, minutes all the same."""
    cast = ScriptedModels(stances=ALL | {"Judge": judge})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert not cast.asked("r2:*")
    assert held.export["stance_result"] == result
    assert held.export["consensus_pct"] == "N/A"
    assert why in held.card
    assert why in held.meta
    assert "- Rounds: 1 of 2" in minutes(tmp_path)
    words = {"FULL_CONSENSUS": "the panel agrees", "MAJORITY_CONSENSUS": "most of the panel agrees"}
    assert f"- Stance: {words[result]} (" in minutes(tmp_path)


async def test_one_objection_keeps_the_debate_going_to_its_last_round(tmp_path: Path) -> None:
    """A5 A7 A21 A23 A33 A34: minutes hold every speech, stance and summary of both rounds.

    What people say is noted before each of them and before the conclusion, and for no other round.
    """
    cast = ScriptedModels(stances=ALL | {"Judge": "DISAGREE"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        log = await table.stored(lambda conn: events.history(conn, held.record.run_id))
    assert held.record.rounds_held == 2
    noted = [event.key for event in log if event.key.startswith("floor:")]
    assert noted == ["floor:r1", "floor:r2", "floor:synthesis"]
    assert held.export["stance_result"] == "NO_CONSENSUS"
    text = minutes(tmp_path)
    for words in (
        "# Roundtable Conclusion: is it so?",
        "Participants: Planner(claude-opus), Critic(gpt), Judge(gemini-pro)",
        "**Planner(claude-opus)**: **THESIS:** r1 of planner thesis",
        "r2 of critic stays",
        "_Stance: disagree_",
        "**Rolling summary**: summary:1 sums up",
        "**Rolling summary**: summary:2 sums up",
        "Stance: the panel is divided (2 agree, 1 disagree, 0 neutral)",
        "Ending: Concluded after",
    ):
        assert words in text
    assert "[STANCE" not in text
    (dissent,) = held.export["dissents"]
    assert (dissent["role"], dissent["text"]) == ("Judge", "I, Judge, do not agree.")
    assert (dissent["model"], dissent["stood_in_for"]) == ("gemini-pro", "")
    assert "> **Judge:** I, Judge, do not agree." in held.conclusion


async def test_where_agreement_is_suspicious_the_second_round_is_held(tmp_path: Path) -> None:
    """2.2#5: a red team that agrees goes on."""
    cast = ScriptedModels(stances=ALL)
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --redteam tea or coffee")
    assert len(cast.asked("r2:*")) == 3
    assert held.export["stance_result"] == "FULL_CONSENSUS"
    assert held.export["consensus_pct"] == "80.0%"


async def test_a_missing_marker_is_kept_as_unknown_and_counts_as_neutral(tmp_path: Path) -> None:
    """A14 A15 A16 A17 A24: it blocks full agreement and not the majority."""
    cast = ScriptedModels(stances=ALL | {"Judge": "AGREE/DISAGREE/NEUTRAL"})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
        kept = await table.stored(
            lambda conn: AnswerRepository(conn).get(held.record.run_id, "r1:judge")
        )
    assert kept.stance == "UNKNOWN"
    assert held.export["stance_result"] == "MAJORITY_CONSENSUS"
    assert held.record.speeches[2].stance is Stance.UNKNOWN
    assert "[STANCE" not in "".join(m.content for m in table.said_in(held.thread))


async def test_a_converged_panel_stops_after_round_2_and_not_before(tmp_path: Path) -> None:
    """C21 C22 2.2#5 2.2#7: the score of the findings ends the debate from round 2 on."""
    shared = [{"text": f"point {n}", "from": ["Planner", "Critic"]} for n in range(5)]
    dispute = [{"text": "the rest", "from": ["Judge"]}]
    cast = ScriptedModels(
        plan=Plan(rounds=3), points={"consensus": shared, "disagreement": dispute}
    )
    cast.says["r3:*"] = on_call(cast, asyncio.Event())
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.record.rounds_held == 2
    assert not any(call.key.startswith("r3:") for call in held.calls)
    assert "Round 3" not in held.card
    assert "The panel converged" in held.card
    assert held.export["convergence_score"] == pytest.approx(5 / 6)
    assert "The panel converged" in held.meta
    assert "Convergence: 83% of the points are shared" in held.meta
    assert "1. point 0 ([Planner](https://discord.com/channels/" in minutes(tmp_path)


async def test_convergence_that_arrives_after_an_answer_ends_nothing(tmp_path: Path) -> None:
    """2.2#5: what was paid for in the next round counts; the score is kept."""
    shared = [{"text": "point", "from": ["Planner", "Critic"]}]
    cast = ScriptedModels(plan=Plan(rounds=3), points={"consensus": shared})
    async with scripted_playground(tmp_path, cast) as table:
        store = table.session.app.store
        cast.says["summary:2"] = on_stored(store, cast, "r3:planner")
        cast.says["r3:Judge"] = on_stored(store, cast, "summary:2")
        held = await table.hold("roundtable --debate is it so?")
    assert held.record.rounds_held == 3
    assert held.voices == ("Planner", "Critic", "Judge") * 3
    assert [found.score for found in held.record.convergence] == [1.0, 1.0, 1.0]


async def test_a_silent_seat_is_neutral_absent_and_named_and_nobody_waits_longer(
    tmp_path: Path,
) -> None:
    """A18 A29 A31 E103 E111 2.2#10 2.2#23 2.2#24: the fallback shares the deadline of the seat."""
    cast = ScriptedModels(stances=ALL, says={"r1:Judge": HANG})
    async with scripted_playground(tmp_path, cast, adjust=quick_timeouts(round=1.0)) as table:
        held = await table.hold("roundtable --redteam is it so?")
    assert [asked.model for asked in cast.asked("r1:Judge")] == ["gemini-pro", "claude-sonnet"]
    assert held.record.speeches[2].stance is Stance.NEUTRAL
    assert {asked.role for asked in cast.asked("r2:*")} == {"Planner", "Critic"}
    assert "Timeouts: [TIMEOUT] Judge (round 1)" in held.meta
    assert held.voices == ("Planner", "Critic") * 2
    assert "timeout after 1 s" in held.card
    assert held.export["stance_result"] == "MAJORITY_CONSENSUS"
    assert "did not speak: timeout after 1 s · counted as neutral" in minutes(tmp_path)


async def test_the_rehearsal_can_hang_as_well(tmp_path: Path) -> None:
    """A31 E103: the trouble is rehearsed from panels.json alone."""

    def hang(panels: dict[str, dict[str, dict[str, object]]]) -> None:
        panels["providers"]["rehearsal"]["troubles"] = {"r1:analyst": {"kind": "hang"}}

    adjust = quick_timeouts(round=1.0)
    async with open_harness(tmp_path, edit_panels=hang, adjust=adjust) as table:
        held = await table.hold("roundtable --quick --debate is it so?")
    assert held.voices == ("Advocate", "Devil's Advocate")
    assert "[TIMEOUT] Analyst (round 1)" in held.meta


async def test_the_overall_limit_ends_the_rounds_and_the_conclusion_is_still_written(
    tmp_path: Path,
) -> None:
    """A30 A31 A35 2.2#22: the time is up after round 1 of 3."""
    cast = ScriptedModels(plan=Plan(rounds=3), says={"r1:Judge": HANG})
    adjust = quick_timeouts(round=0.8, run=0.8)
    async with scripted_playground(tmp_path, cast, adjust=adjust) as table:
        held = await table.hold("roundtable --redteam is it so?")
    assert not cast.asked("r2:*")
    assert "There is no time left for another round." in held.meta
    assert held.export["ending"] == "concluded"
    assert "Rounds: 1 of 3" in minutes(tmp_path)


async def test_minutes_are_written_when_nobody_answered(tmp_path: Path) -> None:
    """A35 E107 E113."""
    cast = ScriptedModels(says={"r1:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.export["ending"] == "failed"
    assert "0 agents responded" in minutes(tmp_path)
    assert "did not speak" in minutes(tmp_path)


async def test_what_was_said_before_a_stop_is_in_the_minutes(tmp_path: Path) -> None:
    """A35: the first seat has spoken, the second thinks for ever."""
    cast = ScriptedModels(says={"r1:Critic": HANG})
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --debate is it so?")
        thread = await table.thread()
        await table.discord.until(lambda: any(m.webhook_id for m in table.said_in(thread)))
        await table.reply_to(await table.write_in(thread, "roundtable stop"))
        held = await table.held(await table.concluded(thread))
    assert held.export["ending"] == "stopped"
    assert "r1 of planner thesis" in minutes(tmp_path)
    assert "Ending: Stopped" in minutes(tmp_path)


async def test_a_meeting_that_is_over_leaves_memory_without_being_looked_for(
    tmp_path: Path,
) -> None:
    """Nothing of a run refers back to it, so its memory does not wait for a collection."""
    gc.collect()
    gc.disable()
    try:
        async with scripted_playground(tmp_path, ScriptedModels(stances=ALL)) as table:
            await table.hold("roundtable --debate is it so?")
            await table.session.app.run_service.idle()
            assert not [held for held in gc.get_objects() if isinstance(held, RunContext)]
    finally:
        gc.enable()
