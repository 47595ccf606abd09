"""Who is seated: how the panel was chosen, which models cannot sit, and what analysts proposed."""

from collections.abc import Sequence
from typing import Final

SMALL_MODEL: Final = "A very small built-in model is speaking: do not rely on what it says."
META_FAILED: Final = "The meta-panel gave no usable design, so the default panel is used."
NO_MODEL: Final = (
    "No model of this panel is available right now: an admin can see why with `roundtable check`."
)
BUDGET_PANEL: Final = "The budget panel"
NO_PANEL: Final = "no readable panel"
NO_WORKFLOW: Final = "No analyst named a readable workflow"
MODEL_UNUSABLE: Final = "its model is not available right now"
NAMELESS: Final = "a nameless model"
PANELIST: Final = "Panelist"
"""What a seat is called whose role cannot be a name."""
DEFAULT_WRITER: Final = "default"


def quick_panel(mode: str) -> str:
    """How the panel of a quick run was chosen."""
    return f"Quick: the first seats of the {mode} panel"


def default_panel(mode: str) -> str:
    """How the panel was chosen without a meta-panel."""
    return f"The default panel for {mode}"


def manual_panel(models: Sequence[str]) -> str:
    """How the panel was chosen when a person named the models."""
    return f"Manual panel: {', '.join(models)}"


def further_seat(number: int) -> str:
    """The role of a seat beyond those of the mode."""
    return f"{PANELIST} {number}"


def too_many_seats(most: int, named: int) -> str:
    """The person named too many models."""
    return f"A panel has at most {most} seats and you named {named}: remove some."


def unknown_model(written: str, near: str, known: Sequence[str]) -> str:
    """The person named an unknown model."""
    hint = f"did you mean `{near}`? " if near else ""
    names = ", ".join(f"`{name}`" for name in known)
    return f"Unknown model `{written}`: {hint}Available models: {names}."


def coordinates(model: str) -> str:
    """The person named the orchestrator's model."""
    return f"`{model}` coordinates the meeting and cannot be a panelist: choose another model."


def no_such_name(model: str) -> str:
    """An analyst named a model that is not there."""
    return f"{model} was skipped: there is no model with this name"


def never_sits(model: str) -> str:
    """An analyst named the orchestrator's model."""
    return f"{model} was skipped: it coordinates and cannot be a panelist"


def not_allowed(model: str, action: str) -> str:
    """An analyst named a model that may not be chosen."""
    return f"{model} was skipped. {action}"


def not_usable(model: str) -> str:
    """An analyst named a model that cannot be reached."""
    return f"{model} was skipped: it is not available right now"


def designed(workflow: str, stages: int, models: Sequence[str], writer: str) -> str:
    """What the meta-panel designed."""
    return (
        f"Meta-panel designed workflow: {workflow}. Stages: {stages}. "
        f"Panel: {', '.join(models)}. Synthesis: {writer}."
    )


def analyst(letter: str) -> str:
    """What an analyst is called."""
    return f"Analyst {letter}"


def analyst_and_model(name: str, model: str) -> str:
    """An analyst with the model that answered."""
    return f"{name} ({model})"


def analyst_vote(name: str, vote: str) -> str:
    """What one analyst recommended."""
    return f"{name}: {vote}."


def no_design(problem: str) -> str:
    """An analyst that gave no design."""
    return f"no design ({problem or 'failed'})"


def vote(workflow: str, stages: Sequence[str], rounds: int | None, writer: str) -> str:
    """A design in a few words."""
    parts = [
        workflow or "no readable workflow",
        " then ".join(stages),
        f"{rounds or '?'} rounds",
        f"synthesis {writer or '?'}",
    ]
    return "; ".join(parts)


def no_second_stage(workflow: str) -> str:
    """The workflow that was wanted cannot be held."""
    return (
        f"The analysts chose {workflow}, but none of the models they named is available for stage 2"
    )


def tied(workflows: Sequence[str]) -> str:
    """No workflow had the most votes."""
    return f"The analysts were tied between {' and '.join(workflows)}"
