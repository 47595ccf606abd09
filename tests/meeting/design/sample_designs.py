"""Designs of analysts and the rules they are merged under."""

from dataclasses import replace

from bot.meeting.design.decision import AnalystVote, Decision, decide
from bot.meeting.design.seating import SeatingRules, seating_rules
from bot.panels import resolve_models
from bot.prompting.meta import DesignProposal, SeatProposal
from tests.panels.panels_data import loaded, shipped

HAIKU = "claude-haiku"  # the orchestrator of the shipped file


def rules(**changes: object) -> SeatingRules:
    """The shipped panels.json with every model usable, then changed."""
    config = loaded(shipped())
    resolution = resolve_models(config, lambda _: "key", frozenset({"openai", "anthropic"}), {})
    return replace(seating_rules(config, resolution), **changes)  # type: ignore[arg-type]


def panel(*seats: str, stage: int = 1) -> tuple[SeatProposal, ...]:
    """Seats written as `model=Role`."""
    pairs = (seat.partition("=") for seat in seats)
    return tuple(SeatProposal(stage, model, role, f"{role} works") for model, _, role in pairs)


DEBATE = panel("claude-opus=Advocate", "gpt=Sceptic", "gemini-pro=Counter")


def design(
    *seats: SeatProposal,
    workflow: str | None = "parallel_debate",
    rounds: int | None = 2,
    synthesis: str | None = "mistral-large",
    proposition: str = "The queue moves to Postgres this year.",
) -> DesignProposal:
    return DesignProposal(workflow, seats or DEBATE, rounds, synthesis, proposition, "", "", "")


def vote(*designs: DesignProposal | None) -> tuple[AnalystVote, ...]:
    return tuple(
        AnalystVote(f"Analyst {letter}", given, "" if given else "timeout after 90 s")
        for letter, given in zip("ABCDEFGH", designs, strict=False)
    )


def decided(*designs: DesignProposal | None, under: SeatingRules | None = None) -> Decision:
    decision = decide(vote(*designs), under or rules())
    assert decision is not None
    return decision
