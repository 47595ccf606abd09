"""The meta-panel: analysts design the meeting, code merges what they say."""

import asyncio
import logging
from pathlib import Path
from typing import Any

import pytest

from bot.store.repositories.answers import AnswerRepository
from tests.e2e.playground_harness import EditPanels
from tests.e2e.scripted_models import (
    FAIL,
    HANG,
    Plan,
    ReceivedPrompt,
    ScriptedModels,
    quick_timeouts,
    scripted_playground,
)
from tests.e2e.test_meeting_degradation import without_a_key

DEFAULT_DEBATE = ["Advocate", "Devil's Advocate", "Analyst", "Contrarian"]
MODELS = ["claude-opus", "gpt", "gemini-pro", "grok", "mistral-large", "claude-sonnet"]


def analysts(count: int) -> EditPanels:
    def edit(panels: dict[str, Any]) -> None:
        panels["meta"]["models"] = (MODELS * 2)[:count]

    return edit


@pytest.mark.parametrize("count", [1, 5, 8])
async def test_there_is_one_analyst_for_every_entry(tmp_path: Path, count: int) -> None:
    """E40: in parallel, each with its own model; none answers before all are asked."""
    cast = ScriptedModels()
    all_asked = asyncio.Barrier(count)

    async def design(_: ReceivedPrompt) -> str:
        async with asyncio.timeout(30):
            await all_asked.wait()
        return cast.plan.text()

    cast.says["meta:*"] = design
    async with scripted_playground(tmp_path, cast, edit_panels=analysts(count)) as table:
        held = await table.hold("roundtable --debate is it so?")
    asked = sorted((a.label, a.model) for a in cast.asked("meta:*"))
    letters = [f"meta:{letter}" for letter in "ABCDEFGH"[:count]]
    assert asked == list(zip(letters, (MODELS * 2)[:count], strict=True))
    assert held.record.meta_recommendation.count("parallel_debate") == count


async def test_the_majority_decides_workflow_and_seats_and_the_median_decides_rounds(
    tmp_path: Path,
) -> None:
    """E41 E42 E45 E46 E47: also the line that people read."""
    cast = ScriptedModels()
    grok_first = (("grok", "Skeptic", "doubt"), *Plan().stage1[1:])
    cast.says |= {
        "meta:A": Plan(stage1=grok_first, rounds=1, synthesis="gpt").text(),
        "meta:B": Plan(stage1=grok_first, rounds=1).text(),
        "meta:C": Plan("sequential", rounds=2).text(),
        "meta:D": Plan(stage1=grok_first, rounds=3).text(),
    }
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.record.decision == (
        "Meta-panel designed workflow: parallel_debate. Stages: 1. "
        "Panel: grok, gpt, gemini-pro. Synthesis: mistral-large."
    )
    assert held.record.rounds_planned == 2
    assert held.export["synthesis_model"] == "mistral-large"
    assert [seat.role for seat in held.record.seats] == ["Skeptic", "Critic", "Judge"]


async def test_a_tie_of_workflows_gives_a_hybrid(tmp_path: Path) -> None:
    """E41."""
    cast = ScriptedModels()
    second = (("grok", "Reviewer", "check"),)
    cast.says |= {
        "meta:A": Plan("sequential", stage2=second).text(),
        "meta:B": Plan("sequential", stage2=second).text(),
    }
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.export["workflow_type"] == "hybrid"
    assert "The analysts were tied between parallel_debate and sequential" in held.card


async def test_forbidden_models_are_passed_over_and_rounds_are_capped(tmp_path: Path) -> None:
    """E43 E44 E45 2.2#1: neither a model off the allowlist nor the orchestrator's ever sits."""
    seats = (
        ("claude-haiku", "Coordinator", "rule"),
        ("claude-sonnet", "Stranger", "come in"),
        *Plan().stage1,
    )
    cast = ScriptedModels(plan=Plan(stage1=seats, rounds=9))

    def shorter(panels: dict[str, Any]) -> None:
        panels["allowlist"].remove("claude-sonnet")

    async with scripted_playground(tmp_path, cast, edit_panels=shorter) as table:
        held = await table.hold("roundtable --debate is it so?")
    seated = [seat.model for seat in held.record.seats]
    assert seated == ["claude-opus", "gpt", "gemini-pro"]
    assert held.record.rounds_planned == 3
    assert "it coordinates and cannot be a panelist" in held.card
    assert "Add claude-sonnet to allowlist in panels.json" in held.meta


async def test_analysts_that_fail_leave_the_design_to_the_others(tmp_path: Path) -> None:
    """E40 E41: a failed and a silent one; what the others said is kept word for word."""
    cast = ScriptedModels(says={"meta:A": FAIL, "meta:C": HANG})
    adjust = quick_timeouts(meta=1.0)
    async with scripted_playground(tmp_path, cast, adjust=adjust) as table:
        held = await table.hold("roundtable --debate is it so?")
        kept = await table.stored(lambda conn: AnswerRepository(conn).of_run(held.record.run_id))
    assert "Analyst A: no design" in held.export["meta_panel_recommendation"]
    assert "Analyst C: no design (timeout after 1 s)" in held.export["meta_panel_recommendation"]
    designs = {answer.key: answer.text for answer in kept if answer.key.startswith("meta:")}
    assert designs == {"meta:B": cast.plan.text(), "meta:D": cast.plan.text()}
    assert [seat.role for seat in held.record.seats] == ["Planner", "Critic", "Judge"]


async def test_without_any_design_the_default_panel_sits_and_it_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """E48 E97: all analysts fail."""
    caplog.set_level(logging.WARNING)
    cast = ScriptedModels(says={"meta:*": FAIL})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert [seat.role for seat in held.record.seats] == DEFAULT_DEBATE
    assert "The meta-panel gave no usable design, so the default panel is used." in held.card
    assert "The meta-panel gave no usable design" in held.meta
    assert any("meta-panel" in entry.message for entry in caplog.records)
    assert held.export["ending"] == "concluded"


async def test_an_analyst_that_writes_nonsense_counts_as_no_design(tmp_path: Path) -> None:
    """E48: nonsense from all of them is no design either."""
    cast = ScriptedModels(says={"meta:*": "I would rather talk about the weather."})
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --redteam our door")
    assert held.record.seats[0].role == "Defender"
    assert "The meta-panel gave no usable design" in held.card


@pytest.mark.parametrize("allowed", ["gemini-pro", "gemini-3.1-pro"])
async def test_no_analyst_is_paid_to_choose_from_models_that_cannot_sit(
    tmp_path: Path, allowed: str
) -> None:
    """E48: nobody on the allowlist can be used, so the default panel sits at once.

    Nor is a model allowed that would stand in for one on the list.
    """

    def nobody_allowed(panels: dict[str, Any]) -> None:
        without_a_key(panels)
        panels["models"]["gemini-3.1-pro"] |= {
            "routes": panels["models"]["gemini-pro"]["routes"],
            "standIn": "mistral-large",
        }
        panels["allowlist"] = [allowed]

    cast = ScriptedModels()
    async with scripted_playground(tmp_path, cast, edit_panels=nobody_allowed) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert cast.asked("meta:*") == []
    assert [seat.role for seat in held.record.seats] == DEFAULT_DEBATE


async def test_the_writer_is_neutral_even_when_nobody_recommends_one(tmp_path: Path) -> None:
    """E46 E83 2.2#19: a seated or unknown recommendation gives way to a premium model off it."""
    cast = ScriptedModels(plan=Plan(synthesis="claude-opus"))
    async with scripted_playground(tmp_path, cast) as table:
        held = await table.hold("roundtable --debate is it so?")
    assert held.export["ending"] == "concluded"
    assert held.export["synthesis_model"] in {"grok", "mistral-large"}
    assert "also sat on the panel" not in held.conclusion
