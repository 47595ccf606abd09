"""Panel designs."""

import pytest

from bot.prompting.meta import SeatProposal, parse_design_proposal
from bot.prompting.text import is_plain
from tests.prompting.sample_texts import DESIGN, prompt_texts


def test_the_documented_design_is_whole() -> None:
    """E41-E46."""
    design = parse_design_proposal(DESIGN)
    assert design.missing == ()
    assert (design.workflow, design.rounds, design.synthesis_model) == ("hybrid", 2, "gemini-pro")
    assert design.proposition == "The team should adopt Postgres."
    assert design.reasoning == "Two views and a referee."


def test_seats_keep_stage_model_role_and_task() -> None:
    """E42."""
    assert parse_design_proposal(DESIGN).stages == (
        SeatProposal(1, "claude-opus", "Advocate", "argue for it"),
        SeatProposal(1, "gpt", "Cost Sceptic", "price it"),
        SeatProposal(2, "mistral-large", "Integrator", "bring it together"),
    )


@pytest.mark.parametrize(
    ("written", "rounds"),
    [
        ("3", 3),
        ("7 — more is better", 3),
        ("0", 1),
        ("**2** because", 2),
        ("1–3", None),
        ("two", None),
    ],
)
def test_rounds_are_one_number_brought_into_the_cap(written: str, rounds: int | None) -> None:
    """E45."""
    assert parse_design_proposal(f"**ROUNDS:** {written}").rounds == rounds


@pytest.mark.parametrize(
    ("written", "workflow"),
    [
        ("parallel_debate", "parallel_debate"),
        ("`Parallel Debate`", "parallel_debate"),
        ("**sequential** since…", "sequential"),
        ("parallel_debate, sequential or hybrid", None),
        ("chaos", None),
    ],
)
def test_a_workflow_is_exactly_one_of_three(written: str, workflow: str | None) -> None:
    """E41."""
    assert parse_design_proposal(f"**WORKFLOW TYPE:** {written}").workflow == workflow


def test_a_role_is_fit_to_be_a_name() -> None:
    """LLM01: roles become part of other prompts."""
    line = "- Model: x | Role: Evil [ROLE] <b>\u202e" + "y" * 200 + " | Task: t"
    role = parse_design_proposal(f"**STAGES:**\n{line}").stages[0].role
    assert is_plain(role)
    assert len(role) <= 40


def test_missing_parts_are_listed() -> None:
    assert parse_design_proposal("Sorry, I cannot.").missing == (
        "proposition",
        "workflow",
        "stages",
        "rounds",
        "synthesis",
    )


def test_an_echo_of_the_instructions_designs_nothing() -> None:
    for text in (text for text in prompt_texts() if "**PROPOSITION:**" in text):
        design = parse_design_proposal(text)
        assert (design.stages, design.workflow, design.rounds) == ((), None, None)
        assert design.proposition == ""
        assert design.synthesis_model is None
