"""Who builds and who reviews: never the same model, where the panel allows it (B39-B42)."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from bot.council.meeting import Design, Meeting
from bot.messages.delivery import BuildText
from bot.panels import ResolvedModel
from bot.store.seats import Seat

BUILDERS: Final = ("implement", "build", "engineer", "develop", "cod", "program", "writ")
REVIEWERS: Final = ("review", "test", "critic", "quality", "audit", "skeptic")
_WORDS: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A role with its model; `apart` tells whether another model built the files."""

    role: str
    model: ResolvedModel
    apart: bool

    @property
    def name(self) -> str:
        """The reviewer as people read it."""
        return f"{self.role} ({self.model.key})"


def builder_of(design: Design, writers: Collection[str] = ()) -> Seat:
    """The seat that writes the files: the one whose role says so, else the first.

    A seat of one of these models, which have a folder to write in, comes before the others,
    unless its role is to review.
    """
    seats = design.stage(1) or design.seats
    return min(seats, key=lambda seat: (not _has_hands(seat, writers), _rank(seat.role, BUILDERS)))


def _has_hands(seat: Seat, writers: Collection[str]) -> bool:
    return seat.model in writers and _rank(seat.role, REVIEWERS) == len(REVIEWERS)


def reviewers_for(meeting: Meeting, builder_model: str, *, taken: str = "") -> list[Reviewer]:
    """Who may review what a model built, the best first; `taken` names a model used before."""
    design = meeting.designed
    seats = sorted(design.seats, key=lambda seat: _rank(seat.role, REVIEWERS))
    offered = [(seat.role, model) for seat in seats for model in design.models_of(seat)[:1]]
    offered += [(BuildText.COORDINATOR, model) for model in design.coordinators]
    offered += [(seat.role, model) for seat in seats for model in design.models_of(seat)[1:]]
    found: dict[str, Reviewer] = {}
    for role, model in offered:
        found.setdefault(model.key, Reviewer(role, model, model.key != builder_model))
    return sorted(found.values(), key=lambda one: (not one.apart, one.model.key == taken))


def _rank(role: str, stems: Sequence[str]) -> int:
    said = [word.casefold() for word in _WORDS.findall(role)]
    fits = (n for n, stem in enumerate(stems) if any(word.startswith(stem) for word in said))
    return next(fits, len(stems))
