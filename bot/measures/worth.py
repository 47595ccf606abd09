"""What a panel's votes are worth: skills, weights, independent opinions, and how sure a vote is.

The formulas were tested on published answers of real models (docs/how-sure.md); bench/decisions.py
measures these functions. What a server's resolved votes add is its `Experience`, which is empty as
long as none is resolved, and frozen into a run when it begins.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

_SHARPNESS: Final = 12.0
_PRIOR_DECISIONS: Final = 40
"""How many resolved decisions weigh as much as what was assumed before the first."""
_PRIOR_CORRELATION: Final = 0.5
ENOUGH_TO_FIT: Final = 100
"""Fitting anything on fewer resolved decisions made it worse."""
_STEPS: Final = 25
_RIDGE: Final = 10.0
_EDGE: Final = 0.005


def skills_of(
    given: Mapping[str, float | None], decided: Mapping[str, tuple[int, int]] | None = None
) -> dict[str, float]:
    """The skill of every model, or nothing where none is known.

    `given` has what the admin says of each model, `decided` how many resolved decisions a model
    was right in, out of how many. A model of which nothing is said starts like the others.
    """
    record = {model: (decided or {}).get(model, (0, 0)) for model in given}
    known = [skill for skill in given.values() if skill is not None]
    right, held = (sum(column) for column in zip((0, 0), *record.values(), strict=True))
    if not known and not held:
        return {}
    usual = sum(known) / len(known) if known else right / held
    return {
        model: _updated(usual if skill is None else skill, *record[model])
        for model, skill in given.items()
    }


def _updated(prior: float, right: int, held: int) -> float:
    """The mean of a Beta distribution that began as strong as 40 decisions."""
    return (right + _PRIOR_DECISIONS * prior) / (held + _PRIOR_DECISIONS)


def seat_weights(
    models: Mapping[str, str], skills: Mapping[str, float]
) -> tuple[tuple[str, float], ...]:
    """What each role's ballot counts; seats of one model share its vote, `models` is by role."""
    seats = Counter(models.values())
    best = max((skills[model] for model in seats if model in skills), default=0.0)
    return tuple(
        (role, math.exp(_SHARPNESS * (skills.get(model, best) - best)) / seats[model])
        for role, model in models.items()
    )


@dataclass(frozen=True, slots=True)
class Experience:
    """What a server's resolved votes say: which models were right, and how sure was sure enough."""

    history: tuple[Mapping[str, bool], ...] = ()
    """For each resolved vote, whether each model was right."""
    curve: tuple[float, float] | None = None
    judged: int = 0
    """How many votes the curve was fitted on."""

    @classmethod
    def of(
        cls, votes: Sequence[tuple[Mapping[str, bool], float | None, bool]], models: Collection[str]
    ) -> "Experience":
        """What votes say about some models: (who was right, how sure it was, the panel was right).

        A vote in which none of them took part still says how sure panels are.
        """
        known = [{m: right[m] for m in right if m in models} for right, _, _ in votes]
        sure = [(was, right) for _, was, right in votes if was is not None]
        curve = curve_of(sure)
        return cls(tuple(one for one in known if one), curve, len(sure) if curve else 0)

    def freeze(self) -> dict[str, Any]:
        """The same as plain data; votes that went alike are counted."""
        alike = Counter(tuple(sorted(one.items())) for one in self.history)
        return {
            "history": [[dict(one), times] for one, times in alike.items()],
            "curve": self.curve and list(self.curve),
            "judged": self.judged,
        }

    @classmethod
    def frozen(cls, data: Mapping[str, Any]) -> "Experience":
        """Read it back; a run from before there was any has none."""
        alike = data.get("history", ())
        history = tuple(one for one, times in alike for _ in range(times))
        curve = data.get("curve")
        return cls(history, (curve[0], curve[1]) if curve else None, data.get("judged", 0))

    @property
    def decided(self) -> dict[str, tuple[int, int]]:
        """In how many votes each model was right, out of how many."""
        held = Counter(model for one in self.history for model in one)
        right = Counter(model for one in self.history for model in one if one[model])
        return {model: (right[model], held[model]) for model in held}


@dataclass(frozen=True, slots=True)
class PanelWorth:
    """How many independent opinions a panel's positions are worth, and what that rests on."""

    seats: int
    models: int
    families: int
    votes: float
    correlation: float
    resolved: int = 0
    """How many resolved decisions the correlation was measured on."""
    weights: tuple[tuple[str, float], ...] = ()
    skills: tuple[tuple[str, float], ...] = ()
    """By role; empty where no skill is known."""
    shared: tuple[tuple[str, ...], ...] = ()
    """The roles of every model that fills several seats."""
    voters: tuple[tuple[str, str], ...] = ()
    """The model behind each role."""
    experience: Experience = Experience()

    @classmethod
    def of(
        cls,
        models: Mapping[str, str],
        families: Mapping[str, str],
        skills: Mapping[str, float],
        experience: Experience | None = None,
    ) -> "PanelWorth | None":
        """The worth of seats that took a position: model and family by role, skill by model.

        Nobody is worth nothing.
        """
        known = experience or Experience()
        if not models:
            return None
        weights = seat_weights(models, skills)
        roles: defaultdict[str, list[str]] = defaultdict(list)
        by_model: defaultdict[str, float] = defaultdict(float)
        for role, weight in weights:
            roles[models[role]].append(role)
            by_model[models[role]] += weight
        correlation, resolved = _correlation(tuple(by_model), known.history)
        return cls(
            seats=len(models),
            models=len(by_model),
            families=len({families[role] for role in models}),
            votes=_independent(tuple(by_model.values()), correlation),
            correlation=correlation,
            resolved=resolved,
            weights=weights,
            skills=tuple((role, skills[m]) for role, m in models.items() if m in skills),
            shared=tuple(tuple(filled) for filled in roles.values() if len(filled) > 1),
            voters=tuple(models.items()),
            experience=known,
        )

    def to_dict(self) -> dict[str, object]:
        """The worth as files write it."""
        return {
            "seats": self.seats,
            "models": self.models,
            "families": self.families,
            "independent_opinions": round(self.votes, 4),
            "error_correlation": round(self.correlation, 4),
            "resolved_decisions": self.resolved,
            "skills_from_votes": len(self.experience.history),
            "sure_from_votes": self.experience.judged,
            "weights": {role: round(weight, 4) for role, weight in self.weights},
            "skills": dict(self.skills),
            "one_model": [list(roles) for roles in self.shared],
        }


def _independent(weights: Sequence[float], correlation: float) -> float:
    """The number of independent voters that would be as good; copies are one voter."""
    spread = sum(weights) ** 2 / sum(weight**2 for weight in weights)
    return spread / (1 + (spread - 1) * correlation)


def _correlation(models: Sequence[str], history: Sequence[Mapping[str, bool]]) -> tuple[float, int]:
    """How much the models' errors go together, and on how many decisions that was measured."""
    shared = [right for right in history if sum(model in right for model in models) > 1]
    together = apart = 0.0
    for one, other in combinations(models, 2):
        both = [(right[one], right[other]) for right in shared if one in right and other in right]
        if both:
            first, second = (sum(column) / len(both) for column in zip(*both, strict=True))
            together += sum(a and b for a, b in both) / len(both) - first * second
            apart += math.sqrt(first * (1 - first) * second * (1 - second))
    if not apart:
        return _PRIOR_CORRELATION, 0
    measured = min(1.0, max(0.0, together / apart))
    prior = _PRIOR_DECISIONS * _PRIOR_CORRELATION
    held = len(shared)
    return (held * measured + prior) / (held + _PRIOR_DECISIONS), held


def curve_of(resolved: Sequence[tuple[float, bool]]) -> tuple[float, float] | None:
    """The correction that resolved votes ask for: (how sure it was, whether it was right).

    Up to a hundred of them there is none. From then on a logistic curve is fitted that starts as
    no correction at all.
    """
    if len(resolved) < ENOUGH_TO_FIT:
        return None
    points = [(_logit(was), right) for was, right in resolved]
    shift, slope = 0.0, 1.0
    for _ in range(_STEPS):
        shift, slope = _better(points, shift, slope)
    return shift, max(0.0, slope)


def recalibrated(sure: float, curve: tuple[float, float] | None) -> float:
    """How sure a vote is, corrected by what was learnt here, if anything was."""
    if curve is None:
        return sure
    shift, slope = curve
    return _sigmoid(shift + slope * _logit(sure))


def _better(
    points: Sequence[tuple[float, bool]], shift: float, slope: float
) -> tuple[float, float]:
    """One Newton step toward the curve that fits best, held back by the ridge."""
    fitted = [(x, _sigmoid(shift + slope * x), right) for x, right in points]
    g0 = sum(right - p for _, p, right in fitted) - _RIDGE * shift
    g1 = sum((right - p) * x for x, p, right in fitted) - _RIDGE * (slope - 1)
    h00 = sum(p * (1 - p) for _, p, _ in fitted) + _RIDGE
    h01 = sum(p * (1 - p) * x for x, p, _ in fitted)
    h11 = sum(p * (1 - p) * x * x for x, p, _ in fitted) + _RIDGE
    scale = h00 * h11 - h01 * h01
    return shift + (g0 * h11 - g1 * h01) / scale, slope + (g1 * h00 - g0 * h01) / scale


def _logit(share: float) -> float:
    inside = min(1 - _EDGE, max(_EDGE, share))
    return math.log(inside / (1 - inside))


def _sigmoid(x: float) -> float:
    # Both branches, for exp() must not overflow.
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
