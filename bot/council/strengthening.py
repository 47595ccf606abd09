"""The third attempt of a run is held with the profile `stronger` (B29, 2.2#21)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.council.meeting import Design
from bot.panels import PanelsConfig, Resolution, ResolvedModel
from bot.store.seats import Seat

STRONGER = "stronger"


@dataclass(frozen=True, slots=True)
class Stronger:
    """The profile as it was usable when the meeting was designed."""

    models: tuple[ResolvedModel, ...] = ()
    fallback: ResolvedModel | None = None

    @property
    def all(self) -> tuple[ResolvedModel, ...]:
        """Every model of the profile."""
        return (*self.models, *((self.fallback,) if self.fallback else ()))

    def payload(self) -> dict[str, Any]:
        """The names as they are frozen into the design."""
        names = [model.key for model in self.models]
        return {"models": names, "fallback": self.fallback.key if self.fallback else ""}


def usable_stronger(config: PanelsConfig, resolution: Resolution) -> Stronger:
    """What can be used of the profile now; nothing where panels.json has none."""
    profile = config.profiles.get(STRONGER)
    if profile is None:
        return Stronger()
    found = (resolution.model(name) for name in profile.models)
    fallback = resolution.model(profile.fallback) if profile.fallback else None
    return Stronger(tuple(model for model in found if model is not None), fallback)


def frozen_stronger(
    payload: Mapping[str, Any], models: Mapping[str, ResolvedModel]
) -> tuple[tuple[ResolvedModel, ...], ResolvedModel | None]:
    """The profile read back from a design; an older design has none."""
    names = payload.get(STRONGER) or {}
    return tuple(models[key] for key in names.get("models", ())), models.get(
        names.get("fallback", "")
    )


def strengthened(design: Design) -> Design:
    """The design with the profile's models in the seats, behind them, and last as writers."""
    if not design.has_stronger:
        return design
    extra = design.stronger_fallback or design.stronger[0]
    writers = dict.fromkeys((*design.synthesis, extra))
    seats = tuple(_stronger_seat(design, n, seat) for n, seat in enumerate(design.seats))
    return replace(design, seats=seats, synthesis=tuple(writers))


def _stronger_seat(design: Design, position: int, seat: Seat) -> Seat:
    model = design.stronger[position].key if position < len(design.stronger) else seat.model
    fallback = design.stronger_fallback.key if design.stronger_fallback else seat.fallback
    # A seat whose own model is the stronger one still keeps a fallback.
    return replace(seat, model=model, fallback=fallback if fallback != model else seat.fallback)
