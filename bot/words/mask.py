"""Masked panels: aliases, hidden details, and the reveal."""

from collections.abc import Sequence
from typing import Final

AFTER_VOTE: Final = "when the vote is over"
AFTER_CONCLUSION: Final = "after the conclusion"
DEGRADED: Final = "⚠️ The panel is degraded; details follow when the panelists are revealed."


def notice(when: str) -> str:
    """Shown on the card of a masked panel."""
    return f"The panel is masked: the panelists are revealed {when}."


def other_name(letter: str) -> str:
    """What a masked panelist is called."""
    return f"Panelist {letter}"


def who_was_who(rows: Sequence[tuple[str, str, str]]) -> str:
    """The reveal: (alias, role, models)."""
    lines = [f"- **{name}** was **{role}** · {models}" for name, role, models in rows]
    return "\n".join(["🎭 **Panelists revealed**", *lines])
