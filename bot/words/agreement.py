"""How far a panel agrees: stances, scores among peers, and who changed position."""

from collections.abc import Sequence
from typing import Final

FULL: Final = "The panel agrees"
MAJORITY: Final = "Most of the panel agrees"
DIVIDED: Final = "The panel is divided"
NOT_MEASURED: Final = "N/A"
NO_REASON: Final = "no reason given"
NOBODY_MOVED: Final = "Nobody changed position."


def percentage(pct: float | None) -> str:
    """The percentage as people and files read it: `67.5%` or `N/A`."""
    return NOT_MEASURED if pct is None else f"{pct:.1f}%"


def stance_counts(agree: int, disagree: int, neutral: int, silent: int = 0) -> str:
    """The stance counts of a round; seats without an answer are not neutral."""
    missing = f", {silent} did not answer" if silent else ""
    return f"{agree} agree, {disagree} disagree, {neutral} neutral{missing}"


def agreement_line(result: str, counts: str, pct: float | None) -> str:
    """How far the panel agrees, in one line."""
    peers = "" if pct is None else f" · {percentage(pct)} agreement among peers"
    return f"🤝 **{result}:** {counts}{peers}"


def guessed_scores(guessed: Sequence[tuple[str, str]], number: int) -> str:
    """Which scores could not be read and count as the middle; (giver, peer) each."""
    pairs = ", ".join(f"{giver} for {peer}" for giver, peer in guessed)
    return f"{len(guessed)} of {number} scores counted as 3: {pairs}"


def unread_scores(roles: Sequence[str]) -> str:
    """Who gave no score that could be read."""
    return f"no readable score, left out: {', '.join(roles)}"


def moved(role: str, before: str, after: str, round_number: int, cause: str, reason: str) -> str:
    """A change of position, with its cause if one was named."""
    change = f"{role} moved from {before} to {after} in round {round_number}"
    if not cause:
        return f"{change} ({NO_REASON})"
    return f"{change} because of {cause}" + (f": {reason}" if reason else "")
