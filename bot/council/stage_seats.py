"""Fills the seats of one stage from what the analysts recommended for it."""

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from bot.council.role_names import fit_role, free_role, is_taken
from bot.council.seating_rules import SeatingRules
from bot.messages.meeting import SeatingText
from bot.prompting.meta import Design, Seat


@dataclass(frozen=True, slots=True)
class DesignedSeat:
    """One seat of the decision: stage 1 or 2, the model's key, a unique role and its task."""

    stage: int
    model: str
    role: str
    task: str


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage to be filled: how many seats it may have, and whether only premium models sit."""

    number: int
    least: int
    most: int
    premium_only: bool = False


def ranked(votes: Sequence[str]) -> tuple[str, ...]:
    """The names in order of votes, then of first mention, then of the alphabet."""
    counts = Counter(votes)
    return tuple(sorted(counts, key=lambda name: (-counts[name], votes.index(name), name)))


def median_up(numbers: Sequence[int]) -> int:
    """The median, rounded up when it falls on a half."""
    return math.ceil(statistics.median(numbers))


def fill_stage(
    designs: Sequence[Design], stage: Stage, rules: SeatingRules, taken_roles: Sequence[str] = ()
) -> tuple[DesignedSeat, ...]:
    """For each position the most-recommended model; as many seats as most analysts wanted."""
    wanted = [seats for design in designs if (seats := recommended(design, stage.number))]
    if not wanted:
        return ()
    size = min(stage.most, max(stage.least, median_up([len(seats) for seats in wanted])))
    seated: list[DesignedSeat] = []
    for position in zip_longest(*wanted):
        offers = [seat for seat in position if seat is not None]
        model = _model(offers, stage, rules, [seat.model for seat in seated])
        if model is not None and len(seated) < size:
            taken = [*taken_roles, *(seat.role for seat in seated)]
            role, task = _role_and_task(_own_first(offers, model, rules), taken)
            seated.append(DesignedSeat(stage.number, model, role, task))
    return tuple(seated)


def recommended(design: Design, stage: int) -> tuple[Seat, ...]:
    """The seats an analyst wants in a stage; whatever comes after stage 2 belongs to it."""
    return tuple(seat for seat in design.stages if min(max(seat.stage, 1), 2) == stage)


def _model(
    offers: Sequence[Seat], stage: Stage, rules: SeatingRules, seated: Sequence[str]
) -> str | None:
    """The best model that has no seat yet; the best of all when each of them has one."""
    keys = [key for offer in offers if (key := rules.seatable(offer.model))]
    allowed = [key for key in ranked(keys) if key in rules.premium or not stage.premium_only]
    fresh = [key for key in allowed if key not in seated]
    return next(iter([*fresh, *allowed]), None)


def _own_first(offers: Sequence[Seat], model: str, rules: SeatingRules) -> list[Seat]:
    """The offers that named the model that was chosen come before the others."""
    return sorted(offers, key=lambda offer: rules.seatable(offer.model) != model)


def _role_and_task(offers: Sequence[Seat], taken: Sequence[str]) -> tuple[str, str]:
    """The first usable role with its own task, else one with a letter, else a neutral one."""
    fit = []
    for offer in offers:
        if role := fit_role(offer.role):
            if not is_taken(role, taken):
                return role, offer.task
            fit.append((role, offer.task))
    for role, task in fit:
        if free := free_role(role, taken):
            return free, task
    return free_role(SeatingText.PANELIST, taken) or SeatingText.further_seat(
        len(taken) + 1
    ), offers[0].task
