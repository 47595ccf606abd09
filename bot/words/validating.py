"""What is said about checking a conclusion: by the panel, by its form, and when to ask for it."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted

MATTERS: Final = "This looks like an important decision"
RED_TEAM: Final = "A red-team conclusion should not misstate an attack or a defence"
NO_CORRECTION: Final = "the draft does not represent this seat, and no correction was given"
NOT_ASKED_FOR: Final = "no validation was asked for"
FORMAT_CHECK: Final = "format check"
FORM_IS_WELL: Final = "sections, placeholders, length: all fine"


def advised(reason: str) -> str:
    """The advice to have a conclusion checked."""
    return f"{reason}: consider running it again with `--validate`."


def reworked(models: int) -> str:
    """A reason to check: many hands changed the plan."""
    return f"{models} models reworked this plan"


def little_agreement(pct: float) -> str:
    """A reason to check: the panel is far from agreeing."""
    return f"The panel agreed on little ({pct:.1f}%)"


def rewritten(corrections: int) -> str:
    """The conclusion was rewritten after panelists' corrections."""
    return f"rewritten after {counted(corrections, 'correction')}"


def misrepresented(role: str, correction: str) -> str:
    """A panelist does not find its view in the conclusion."""
    return f"⚠️ {role} flagged misrepresentation: {correction}"


def no_verdict(roles: Sequence[str]) -> str:
    """Panelists that did not check the conclusion."""
    return f"No verdict from {', '.join(roles)}"


def found(number: int) -> str:
    """How many faults of form a conclusion has."""
    return f"{number} found"


def is_missing(name: str) -> str:
    """A section, or a value of a prompt, that is not there."""
    return f"{name} is missing"


def left_unfilled(name: str) -> str:
    """A placeholder that the writer copied."""
    return f"{name} was left unfilled"


def too_long(characters: int) -> str:
    """The length of a conclusion that is too long."""
    return f"it is {characters} characters long"
