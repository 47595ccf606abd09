"""Temperaments: how the model behind a seat colours what its role says."""

from dataclasses import dataclass

from bot.rehearsal.dice import Dice


@dataclass(frozen=True, slots=True)
class Temper:
    """A model's temperament: its hedge, its openness to others and its confidence in itself."""

    hedge: str
    openness: float
    confidence: int
    talkative: float


TEMPERS = (
    Temper("on balance", 0.05, 0, 0.5),
    Temper("without much doubt", -0.15, 14, 0.25),
    Temper("as far as I can tell", 0.15, -10, 0.7),
    Temper("for the time being", 0.1, -5, 0.35),
    Temper("all things considered", 0.0, 6, 0.6),
    Temper("to put it mildly", -0.1, 9, 0.8),
)


def temper_of(model: str) -> Temper:
    """The temperament that always belongs to this model."""
    return Dice("temper", model).pick(TEMPERS)
