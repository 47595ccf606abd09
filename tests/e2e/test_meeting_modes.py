"""Every mode from the first message to the files, and what each flag changes, in rehearsal."""

import json
from collections import Counter
from pathlib import Path

import pytest

from bot.prompting.synthesis import SYNTHESIS_HEADINGS
from bot.reports.conclusion import SECTION_ORDER, details_text, outcome_line
from tests.e2e.playground_harness import FinishedRun, PlaygroundHarness, open_harness
from tests.e2e.test_first_roundtable import E93_KEYS

DEFAULT_ROLES = {
    "debate": ["Advocate", "Devil's Advocate", "Analyst"],
    "build": ["Architect", "Reviewer", "Engineer"],
    "redteam": ["Defender", "Analyst", "Attacker"],
    "vote": ["Strategist", "Skeptic", "User's Voice"],
    "default": ["Expert", "Practitioner", "Outsider"],
}


@pytest.mark.parametrize(
    ("mode", "asked"),
    [
        ("debate", "roundtable --debate a four-day week for the whole team"),
        ("build", "roundtable --build a queue that survives a crash"),
        ("redteam", "roundtable --redteam our login by e-mail link"),
        ("vote", "roundtable --vote tea or coffee?"),
        ("default", "roundtable what makes a meeting worth its time"),
    ],
)
async def test_a_mode_is_held_from_the_question_to_the_files(
    table: PlaygroundHarness, mode: str, asked: str
) -> None:
    """E9-E13 E28-E31 E47 E60 E63 E89 E92-E94 A32 2.2#4 2.2#26: nothing of the flow is missing."""
    held = await table.hold(asked)
    said = table.said_in(held.thread)
    assert held.thread.name.endswith("" if mode == "default" else f" [[{mode.upper()}]]")
    assert said[0].text == held.card
    assert "Concluded after" in held.card
    assert_rounds_in_order(held)
    assert_conclusion(held, mode)
    assert_files(table, held, mode)


def assert_rounds_in_order(held: FinishedRun) -> None:
    """Round after round in the order of the panel, then stage 2."""
    panel = [seat.role for seat in held.record.seats if seat.stage == 1]
    second = [seat.role for seat in held.record.seats if seat.stage == 2]
    assert list(held.voices) == panel * held.record.rounds_held + second


def assert_conclusion(held: FinishedRun, mode: str) -> None:
    text = held.conclusion
    assert held.record.decision.startswith("Meta-panel designed workflow: ")
    decision = held.record.decision.replace("_", " ")
    assert f"-# {decision}" in held.meta
    assert decision in held.card
    named = {"redteam": "red team", "default": "discussion"}.get(mode, mode)
    header = details_text(held.record)
    assert f"Mode: {named} · Rounds: {held.record.rounds_held} of" in header
    shown = [outcome_line(held.record), held.record.conclusion.sections["recommendation"][:40]]
    headings = [*shown, *(f"**{SYNTHESIS_HEADINGS[name]}**" for name in SECTION_ORDER[1:])]
    assert [text.index(heading) for heading in headings] == sorted(map(text.index, headings))
    for measure in ("Stance: ", "Convergence: ", "Consensus: ", "Validated: not asked for"):
        assert measure in held.meta


def assert_files(table: PlaygroundHarness, held: FinishedRun, mode: str) -> None:
    assert set(held.export) >= E93_KEYS
    assert held.export["mode"] == mode
    assert held.export["ending"] == "concluded"
    assert held.export["synthesis"] == held.record.conclusion.text
    assert "Analyst A" in held.export["meta_panel_recommendation"]
    (minutes,) = (table.home / "memory" / "roundtables").glob("*.md")
    assert minutes.read_text(encoding="utf-8").count("**Rolling summary**") == (
        held.record.rounds_held
    )
    line = json.loads((table.home / "memory" / "roundtables" / "scorecard.jsonl").read_text())
    assert line["consensus_pct"] is None or isinstance(line["consensus_pct"], float)


def steps(held: FinishedRun) -> Counter[str]:
    """How many calls of each kind a run made."""
    return Counter(call.key.partition(":")[0] for call in held.calls)


@pytest.mark.parametrize("mode", DEFAULT_ROLES)
async def test_quick_seats_three_of_the_mode_with_opposing_sides_for_one_round(
    table: PlaygroundHarness, mode: str
) -> None:
    """E14 E39 E98 2.2#14: no meta-panel, no second round."""
    flag = "" if mode == "default" else f"--{mode} "
    held = await table.hold(
        f"roundtable --quick {flag}water {'or' if mode == 'vote' else 'and'} bread"
    )
    assert held.record.mode == mode
    assert list(held.voices) == DEFAULT_ROLES[mode]
    assert held.export["workflow_type"] == "parallel_debate"
    assert not {"meta", "r2", "validate"} & set(steps(held))
    assert held.export["consensus_pct"] == "N/A"


async def test_quick_wins_over_validate_and_says_so(table: PlaygroundHarness) -> None:
    """2.2#44."""
    held = await table.hold("roundtable --quick --validate --debate water and bread")
    assert "validate" not in steps(held)
    assert "`--validate`" in held.card


async def test_a_named_panel_skips_the_meta_panel_and_debates_in_two_rounds(
    table: PlaygroundHarness,
) -> None:
    """E15 E39 E99; with --quick one round of the same panel (2.2#44)."""
    held = await table.hold("roundtable --panel opus,grok --redteam water and bread")
    assert steps(held)["r1"] == steps(held)["r2"] == 2
    assert "meta" not in steps(held)
    assert held.export["workflow_type"] == "parallel_debate"
    quick = await table.hold("roundtable --quick --panel opus,grok --redteam salt and oil")
    assert [(seat.role, seat.model) for seat in quick.record.seats] == [
        ("Defender", "claude-opus"),
        ("Attacker", "grok"),
    ]
    assert "r2" not in steps(quick)


async def test_a_panel_of_one_speaks_once_and_is_concluded(table: PlaygroundHarness) -> None:
    """E108 2.2#44."""
    held = await table.hold("roundtable --panel grok --debate water and bread")
    assert list(held.voices) == ["Advocate"]
    assert held.export["consensus_pct"] == "N/A"
    assert "There is only one panelist, so there is no debate." in held.meta


async def test_validate_asks_every_panelist_once_about_the_draft(table: PlaygroundHarness) -> None:
    """E16 E66 E79."""
    held = await table.hold("roundtable --validate --panel opus,grok,gemini --debate water")
    assert steps(held)["validate"] == 3
    assert held.export["validated"] in {"yes", "partial", "no"}


async def test_the_word_before_the_topic_decides_nothing_the_flags_do_not(tmp_path: Path) -> None:
    """E55-E59 2.2#43: the mode is read from the words, a flag wins over them."""
    async with open_harness(tmp_path) as table:
        read = await table.hold("roundtable --quick which one should we select: tea or milk?")
        forced = await table.hold(
            "roundtable --quick --debate which one should we select: tea or juice?"
        )
    assert read.record.mode == "vote"
    assert forced.record.mode == "debate"
