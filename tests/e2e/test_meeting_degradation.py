"""Bad days: models that fail, seats that stay empty, writers that are lost, and what is said."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.scripted_models import (
    FAIL,
    HANG,
    Plan,
    ScriptedModels,
    quick_timeouts,
    scripted_playground,
)
from tests.support.free_ports import closed_port, silent_port

pytestmark = pytest.mark.heavy

NOTE = "Synthesis by orchestrator (bias risk — no neutral model available)"
SILENT = "Blockrun not available. Full panel requires Blockrun at localhost:8402."
BUDGET = (
    "Blockrun not available. Using budget panel. Full panel requires Blockrun at localhost:8402."
)


async def test_a_fallback_of_the_same_family_speaks_and_the_first_line_says_so(
    tmp_path: Path,
) -> None:
    """E90 E91 E100: at once, inside the same round."""
    cast = ScriptedModels(says={"*@claude-opus": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --quick --debate is it so?")
        advocate = next(m for m in table.said_in(held.thread) if m.author.name == "Advocate")
    line = (
        "⚠️ PANEL DEGRADED — Advocate substituted claude-opus with claude-sonnet "
        "(same family: claude)"
    )
    assert held.conclusion.splitlines()[1] == line
    assert "Action: Check provider API key / quota, then retry" in held.conclusion
    assert [asked.model for asked in cast.asked("r1:Advocate")] == ["claude-opus", "claude-sonnet"]
    assert advocate.content.startswith("-# claude-sonnet")
    assert held.export["panel_degraded"] is True
    assert line in held.export["panel_degradation_notes"]


async def test_a_model_that_does_not_begin_is_replaced_in_the_same_round(tmp_path: Path) -> None:
    """2.2#24 E100: half of the seat's time is left for the fallback, and it is said."""
    cast = ScriptedModels(says={"r1:Advocate@claude-opus": HANG})
    async with scripted_playground(tmp_path, cast, adjust=quick_timeouts(round=2.0)) as table:
        held = await table.hold("roundtable --quick --debate is it so?")
    assert [asked.model for asked in cast.asked("r1:Advocate")] == ["claude-opus", "claude-sonnet"]
    assert "Timeouts: none" in held.meta
    assert "because claude-opus failed (timeout: " in held.meta
    assert "did not start to answer within 1 s" in held.meta


async def test_meta_and_files_name_who_really_answered_and_why_the_other_did_not(
    tmp_path: Path,
) -> None:
    """E85 E91 E100: the provider's own reason, and no failure among the timeouts."""
    cast = ScriptedModels(says={"r1:Advocate@claude-opus": FAIL, "r1:Analyst": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --quick --debate is it so?")
    meta = held.meta
    assert "Timeouts: none" in meta
    assert "Advocate (claude-opus: claude-sonnet)" in meta
    (failures,) = [line for line in meta.splitlines() if "Failures: " in line]
    assert "Advocate (round 1): " in failures
    assert "because claude-opus failed (" in failures
    assert "Analyst (round 1): " in failures
    assert "1 did not answer" in meta
    stages = {stage["role"]: stage for stage in held.export["stages"]}
    assert stages["Advocate"]["answered_by"] == ["claude-sonnet"]
    assert stages["Analyst"]["answered_by"] == []
    lost = {(call["role"], call["model"]) for call in held.export["failed_calls"]}
    assert ("Advocate", "claude-opus") in lost
    assert ("Analyst", "gemini-pro") in lost
    assert all(call["reason"] for call in held.export["failed_calls"])


async def test_a_fallback_of_a_family_that_is_seated_is_a_degraded_panel(tmp_path: Path) -> None:
    """2.2#18: another family than the original's, but not a new voice."""
    cast = ScriptedModels(says={"*@gpt": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --quick --debate is it so?")
    assert (
        "⚠️ PANEL DEGRADED — Devil's Advocate substituted gpt with claude-sonnet "
        "(family claude already sits as Advocate)"
    ) in held.conclusion
    assert held.export["panel_degraded"] is True


async def test_a_seat_whose_models_both_fail_is_left_out_and_nobody_waits(tmp_path: Path) -> None:
    """E101 E103: the meeting goes on with the others in both rounds."""
    cast = ScriptedModels(says={"r1:Critic": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.voices == ("Planner", "Judge") * 2
    assert "⚠️ Critic was left out: gpt and its fallback claude-sonnet failed" in (held.conclusion)
    assert "⚠️" in held.card
    assert held.export["panel_degraded"] is True
    assert held.export["ending"] == "concluded"


async def test_when_no_neutral_model_can_write_the_orchestrator_does_and_says_so(
    tmp_path: Path,
) -> None:
    """E83 E106 2.2#19: recommended, then another premium model, then the orchestrator's."""
    cast = ScriptedModels(says={"synthesis": FAIL})
    cast.says["synthesis@claude-haiku"] = cast.written
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    tried = [asked.model for asked in cast.asked("synthesis")]
    assert tried[0] == "mistral-large"
    assert tried[-1] == "claude-haiku"
    assert held.conclusion.splitlines()[1] == f"⚠️ {NOTE}"
    assert held.export["synthesis_model"] == "claude-haiku"
    assert NOTE in held.export["panel_degradation_notes"]


async def test_the_orchestrator_is_the_last_that_is_asked_for_the_conclusion(
    tmp_path: Path,
) -> None:
    """E106: one try, although another model could coordinate."""
    cast = ScriptedModels(says={"synthesis": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        await table.say("roundtable --debate is it so?")
        await table.concluded(await table.thread())
    tried = [asked.model for asked in cast.asked("synthesis")]
    assert tried == ["mistral-large", "grok", "claude-haiku"]
    assert table.exports()[0]["ending"] == "failed"


async def test_a_stage_2_that_fails_leaves_the_conclusion_to_stage_1(tmp_path: Path) -> None:
    """E105."""
    plan = Plan("sequential", stage2=(("grok", "Reviewer", "check"),), rounds=1)
    cast = ScriptedModels(plan=plan, says={"s2:Reviewer": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --build a queue")
    assert "⚠️ Reviewer failed in stage 2: the conclusion rests on stage 1" in held.conclusion
    assert "r1 of planner digest" in cast.asked("synthesis")[0].values["ROUND1_SUMMARIES"]
    assert held.export["ending"] == "concluded"
    assert "Reviewer" not in held.voices


async def test_an_empty_answer_and_no_reply_count_as_a_failure(tmp_path: Path) -> None:
    """2.2#50: NO_REPLY means nothing in a round."""
    cast = ScriptedModels(says={"r1:Critic": "NO_REPLY", "r1:Judge": "  "})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.voices == ("Planner",)
    assert "NO_REPLY" not in "".join(m.content for m in table.said_in(held.thread))
    assert held.export["consensus_pct"] == "N/A"


def without_blockrun(panels: dict[str, Any]) -> None:
    """Two models live only at a Blockrun where nothing listens."""
    url = f"http://127.0.0.1:{closed_port()}/v1"
    blockrun = {"kind": "openai", "baseUrl": url, "apiKey": "x402"}
    panels["providers"]["blockrun"] = blockrun
    for name in ("gemini-pro", "grok"):
        panels["models"][name]["routes"] = [{"provider": "blockrun", "model": name}]


async def test_without_blockrun_everybody_else_sits_and_it_is_said_once(tmp_path: Path) -> None:
    """E22 2.2#17: analysts design, the families that are there sit, the seats of the others too."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, edit_panels=without_blockrun) as table:
        held = await table.hold("roundtable --debate is it so?")
        named = await table.hold("roundtable --quick --redteam is it safe?")
    assert {asked.model for asked in cast.asked("meta:*")} == {"claude-opus", "gpt"}
    assert held.card.count(SILENT) == held.meta.count(SILENT) == 1
    assert BUDGET not in held.card
    seated = {seat.role: seat.family for seat in named.record.seats}
    assert list(seated) == ["Defender", "Analyst", "Attacker"]
    assert set(seated.values()) > {"claude", "gpt"}


async def test_the_budget_panel_sits_without_blockrun_where_the_file_says_so(
    tmp_path: Path,
) -> None:
    """E102 to the letter: known at the start, so the panel is another one."""

    def budget(panels: dict[str, Any]) -> None:
        without_blockrun(panels)
        panels["withoutBlockrun"] = "budget"

    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, edit_panels=budget) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert cast.asked("meta:*") == []
    assert [seat.model for seat in held.record.seats] == ["claude-sonnet", "gpt"]
    assert BUDGET in held.card
    assert held.conclusion.splitlines()[1] == f"⚠️ {BUDGET}"
    assert "Action: Start Blockrun at localhost:8402 for full panel" in held.conclusion
    assert held.export["panel_degraded"] is True
    assert held.export["ending"] == "concluded"


def without_a_key(panels: dict[str, Any]) -> None:
    """Two models live only where no key is set."""
    for name in ("gemini-pro", "grok"):
        panels["models"][name]["routes"] = [{"provider": "nowhere", "model": name}]
    panels["providers"]["nowhere"] = {
        "kind": "openai",
        "baseUrl": f"http://127.0.0.1:{silent_port()}/v1",
        "apiKeyEnv": "NO_SUCH_KEY",
    }


async def test_analysts_and_seats_come_from_what_can_be_used(tmp_path: Path) -> None:
    """E21 E43 E48: the meta-panel still designs, with the models that answer."""
    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, edit_panels=without_a_key) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert {asked.model for asked in cast.asked("meta:*")} == {"claude-opus", "gpt"}
    assert "gemini-pro was skipped: it is not available right now" in held.card
    assert "gemini-pro" not in {seat.model for seat in held.record.seats}
