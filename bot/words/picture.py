"""Texts of the agreement picture, and its alternative text."""

from collections.abc import Iterable, Mapping
from typing import Final

_NOBODY_MOVED: Final = "Nobody moved."
_NO_POSITION: Final = "no readable position"
SCORES: Final = "Rows score columns: 5 means full agreement."
_POSITIONS: Final = {"AGREE": "agree", "DISAGREE": "disagree", "NEUTRAL": "neutral"}
"""What somebody's position is called."""
STANCES: Final = {"AGREE": "agrees", "DISAGREE": "disagrees", "NEUTRAL": "neutral"}
"""What somebody does who holds it."""


def _position(name: str) -> str:
    """A position in words; an option is called by its own name."""
    return _POSITIONS.get(name, name)


def round_head(number: int) -> str:
    """The heading of a round."""
    return f"Round {number}"


def scores_head(number: int) -> str:
    """The heading of a round's scores."""
    return f"Scores, round {number}"


def shared(part: float) -> str:
    """How far a round converged."""
    return f"{part:.0%} shared"


def panelist(letter: str) -> str:
    """A seat whose name cannot be written."""
    return f"Panelist {letter}"


def option(number: int) -> str:
    """An option whose name cannot be written."""
    return f"Option {number}"


def moves(found: Iterable[tuple[str, str, int]]) -> str:
    """Who changed to which position in which round."""
    said = [
        f"{seat} moved to {_position(after)} in round {number}" for seat, after, number in found
    ]
    return "; ".join(said) + "." if said else _NOBODY_MOVED


def shared_in_round(number: int, part: float) -> str:
    """How far a round converged, as a sentence."""
    return f"{round_head(number)}: {part:.0%} of the points raised were shared."


def positions_in_round(number: int, who: Mapping[str, Iterable[str]]) -> str:
    """Who held which position in a round."""
    said = "; ".join(f"{_position(name)}: {', '.join(seats)}" for name, seats in who.items())
    return f"{round_head(number)}: {said or _NO_POSITION}."
