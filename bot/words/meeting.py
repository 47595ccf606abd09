"""What a meeting says about itself: rehearsal, restarts, moves, and why it changed its phase."""

from typing import Final

REHEARSAL: Final = "rehearsal: no model is speaking"
RESUMED: Final = "⏸️ The bot was restarted in the middle of this roundtable; it goes on now."
MOVED: Final = (
    "🚚 The place where this roundtable began is gone, so it goes on here. What was said before "
    "is in the minutes."
)
ASK_A_PANELIST: Final = "Ask a panelist …"
REQUEST_COMPLETE: Final = "the request is complete"
PANEL_SEATED: Final = "the panel is seated"
DRAFT_STORED: Final = "the draft is stored"
SPEC_GATE_PASSED: Final = "the spec gate was passed"
CONCLUDED: Final = "concluded"


def resumed_waiting(due_at: int) -> str:
    """Said after a restart while the next attempt is not due yet."""
    return (
        "⏸️ The bot was restarted while this roundtable was waiting; it is tried again at "
        f"<t:{due_at}:T>."
    )


def speaker_note(model: str, *, rehearsal: bool) -> str:
    """Which model speaks, beside a panelist's name."""
    return f"{model} · {REHEARSAL}" if rehearsal else model


def said_elsewhere(text: str, run_id: str, topic: str) -> str:
    """A message outside the run's thread, with what it is about."""
    return f"{text}\n-# Roundtable `{run_id}`: {topic}"
