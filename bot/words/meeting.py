"""What a meeting says about itself: rehearsal, restarts, moves, and why it changed its phase."""

from typing import Final

_REHEARSAL: Final = "rehearsal: no model is speaking"
RESUMED: Final = "⏸️ The bot was restarted during this roundtable; it continues now."
MOVED: Final = (
    "🚚 The thread or channel of this roundtable is gone, so it continues here. The minutes have "
    "everything said before."
)
ASK_A_PANELIST: Final = "Ask a panelist …"
REQUEST_COMPLETE: Final = "the request is complete"
PANEL_SEATED: Final = "the panel is seated"
DRAFT_STORED: Final = "the draft is stored"
SPEC_GATE_PASSED: Final = "the spec gate was passed"
CONCLUDED: Final = "concluded"


def resumed_waiting(due_at: int) -> str:
    """Posted after a restart while the next attempt is not due yet."""
    return (
        "⏸️ The bot was restarted while this roundtable was waiting; the next attempt is at "
        f"<t:{due_at}:T>."
    )


def speaker_note(model: str, *, rehearsal: bool) -> str:
    """Which model speaks, beside a panelist's name."""
    return f"{model} · {_REHEARSAL}" if rehearsal else model


def said_elsewhere(text: str, run_id: str, topic: str) -> str:
    """A message outside the run's thread, with what it is about."""
    return f"{text}\n-# Roundtable `{run_id}`: {topic}"
