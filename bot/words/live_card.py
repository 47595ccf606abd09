"""What the live card says around the words of others: states of seats, times, small print."""

from typing import Final

FOOTER: Final = "Roundtable"

WAITING: Final = "waiting"
THINKING: Final = "thinking"
READY: Final = "ready"
SPOKE: Final = "spoke"
TIMED_OUT: Final = "timed out"
FAILED: Final = "failed"


def goes_on(url: str) -> str:
    """Stays on a card that is continued in a newer message."""
    return f"this card continues [further down]({url})"


def began(at: float) -> str:
    """When the meeting started, as a relative timestamp."""
    return f"🕑 started <t:{at:.0f}:R>"


def expected_end(at: float) -> str:
    """When such a meeting is usually over."""
    return f"expected to end <t:{at:.0f}:R>"


def cost(amount: str) -> str:
    """What the meeting costs."""
    return f"💰 {amount}"


def thinking(words: int) -> str:
    """A seat writes."""
    return f"{THINKING}, {words} words so far"


def spoke(url: str, *, as_substitute: bool) -> str:
    """A seat has spoken, perhaps with another model than its own."""
    return f"[{SPOKE}]({url}){' as a substitute' if as_substitute else ''}"
