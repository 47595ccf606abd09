"""What went wrong is told in the agreed words, with what to do about it."""

import pytest

from bot.measures.degradation import Cause, Note, Substitution, action_text, substitution_notes

SAME = Substitution("Advocate", "claude-opus", "claude-sonnet", "claude", "claude")
OTHER = Substitution("Contrarian", "grok", "claude-sonnet", "grok", "claude")


def test_a_fallback_of_the_same_family_has_the_exact_line() -> None:
    """E90, E100."""
    (note,) = substitution_notes(SAME, Cause.API_ERROR, {"Analyst": "gemini"})
    assert note.line == (
        "⚠️ PANEL DEGRADED — Advocate substituted claude-opus with claude-sonnet "
        "(same family: claude)"
    )
    assert note.degraded


def test_a_fallback_that_doubles_a_seated_family_has_its_own_note() -> None:
    """E90, E91, 2.2#18."""
    families = {"Advocate": "claude", "Analyst": "gemini", "Contrarian": "grok"}
    (note,) = substitution_notes(OTHER, Cause.API_ERROR, families)
    assert note.line.endswith("(family claude already sits as Advocate)")
    assert note.degraded


def test_both_can_be_true_at_once() -> None:
    """2.2#18."""
    notes = substitution_notes(SAME, Cause.API_ERROR, {"Critic": "claude", "Judge": "claude"})
    assert [note.line.rpartition(" (")[2] for note in notes] == [
        "same family: claude)",
        "family claude already sits as Critic and Judge)",
    ]


def test_the_seat_itself_does_not_double_its_family() -> None:
    """E90, E91."""
    assert len(substitution_notes(SAME, Cause.API_ERROR, {"Advocate": "claude"})) == 1


def test_a_substitution_by_another_family_is_told_but_not_degraded() -> None:
    """E90, E91."""
    (note,) = substitution_notes(OTHER, Cause.API_ERROR, {"Analyst": "gemini"})
    assert (note.line, note.degraded) == (
        "Contrarian substituted grok with claude-sonnet",
        False,
    )


@pytest.mark.parametrize(
    ("cause", "action"),
    [
        (
            Cause.NO_BLOCKRUN,
            (
                "Start Blockrun at localhost:8402 for full panel, "
                "or use `--panel budget` for stable 2-model run"
            ),
        ),
        (Cause.NOT_ALLOWLISTED, "Add grok to allowlist in panels.json"),
        (Cause.API_ERROR, "Check provider API key / quota, then retry"),
    ],
)
def test_every_cause_has_its_own_action(cause: Cause, action: str) -> None:
    """E91."""
    assert action_text(cause, "grok") == action


def test_a_seat_nobody_could_take_is_told() -> None:
    """E101."""
    both = Note.skipped("Analyst", "gemini-pro", "claude-sonnet", Cause.API_ERROR)
    assert both.line == ("Analyst was left out: gemini-pro and its fallback claude-sonnet failed")
    alone = Note.skipped("Analyst", "gemini-pro", None, Cause.API_ERROR)
    assert alone.line == "Analyst was left out: gemini-pro failed"


@pytest.mark.parametrize(
    ("survivors", "end"),
    [(0, "the conclusion rests on stage 1"), (1, "stage 2 went on without it")],
)
def test_a_failed_stage_2_seat_is_told(survivors: int, end: str) -> None:
    """E105."""
    note = Note.failed_in_stage_2("Integrator", "mistral-large", Cause.API_ERROR, survivors)
    assert note.line == f"Integrator failed in stage 2: {end}"


def test_a_conclusion_by_the_orchestrator_has_the_exact_words() -> None:
    """E106."""
    note = Note.orchestrator_wrote("mistral-large", Cause.API_ERROR)
    assert note.line == "Synthesis by orchestrator (bias risk — no neutral model available)"


def test_a_writer_from_the_panel_is_told() -> None:
    """2.2#19."""
    assert "synthesizer also sat on the panel" in Note.writer_sat("claude-opus").line


def test_the_budget_panel_has_the_exact_warning() -> None:
    """E102."""
    assert Note.budget_panel().line == (
        "Blockrun not available. Using budget panel. "
        "Full panel requires Blockrun at localhost:8402."
    )


def test_the_action_stands_below_the_line() -> None:
    """E91."""
    assert Note.writer_sat("claude-opus").text.splitlines()[1].startswith("Action: ")
