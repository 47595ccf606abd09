"""What the agreement picture shows, and the same in words; free of Pillow, so quick to import."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bot.messages.conclusion import PictureText


@dataclass(frozen=True, slots=True)
class DrawnPicture:
    """A picture as PNG, and the same in words."""

    png: bytes
    alt: str


@dataclass(frozen=True, slots=True)
class RoundOfPicture:
    """One round: the seats' positions, their scores for each other, and how far they converged.

    A position is AGREE, DISAGREE, NEUTRAL or an option; a seat without one is left out.
    """

    number: int
    positions: Mapping[str, str]
    scores: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    converged: float | None = None


@dataclass(frozen=True, slots=True)
class AgreementPicture:
    """What the picture shows."""

    seats: Sequence[str]
    rounds: Sequence[RoundOfPicture]
    options: Sequence[str] = ()

    def moves(self) -> list[tuple[str, int, str, str]]:
        """Every change of position as (seat, round, before, after)."""
        found = []
        for seat in self.seats:
            stood = [(r.number, r.positions[seat]) for r in self.rounds if seat in r.positions]
            found += [
                (seat, number, before, after)
                for (_, before), (number, after) in pairwise(stood)
                if before != after
            ]
        return found


def alt_text(picture: AgreementPicture, limit: int = 1000) -> str:
    """The same in words, for those who cannot see it."""
    parts = [_positions_in_words(entry) for entry in picture.rounds]
    parts.append(PictureText.moves((seat, after, n) for seat, n, _, after in picture.moves()))
    parts += [
        PictureText.shared_in_round(entry.number, entry.converged)
        for entry in picture.rounds
        if entry.converged is not None
    ]
    text = " ".join(parts)
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _positions_in_words(entry: RoundOfPicture) -> str:
    by_position: dict[str, list[str]] = {}
    for seat, position in entry.positions.items():
        by_position.setdefault(position, []).append(seat)
    return PictureText.positions_in_round(entry.number, by_position)
