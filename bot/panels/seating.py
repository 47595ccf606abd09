"""Who would take the seats of a panel now: the model itself, its fallback, whoever is there."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.panels.config import PanelsConfig
from bot.panels.panel import Agent, ModeName
from bot.panels.resolve import Resolution, ResolvedModel

BLOCKRUN = "blockrun"
BUDGET = "budget"
Seated = Callable[[ResolvedModel], tuple[int, int]]
Standing = Literal["primary", "fallback", "substitute", "rehearsal", "empty"]


@dataclass(frozen=True, slots=True)
class SeatNow:
    """One seat, the model it was made for, and the model that would answer for it."""

    role: str
    wanted: str
    model: ResolvedModel | None
    standing: Standing


@dataclass(frozen=True, slots=True)
class Sitting:
    """The seats of a mode as they would be taken now; `budget` when Blockrun is missed (E102)."""

    seats: tuple[SeatNow, ...]
    budget: bool = False

    @property
    def families(self) -> tuple[str, ...]:
        """The families that would sit, each once."""
        return tuple(dict.fromkeys(seat.model.family for seat in self.seats if seat.model))


class Chooser:
    """Gives seats to models one after the other; a substitute is the one least seated so far."""

    def __init__(self, config: PanelsConfig, resolution: Resolution) -> None:
        self._coordinator = config.orchestrator.model
        self._resolution = resolution
        self._families: Counter[str] = Counter()
        self._models: Counter[str] = Counter()

    def choose(self, wanted: str, fallback: str | None) -> tuple[ResolvedModel | None, Standing]:
        """The model for a seat: its own, its fallback, else any that is usable (E21)."""
        model, standing = self._choice(wanted, fallback)
        if model is not None:
            self._families[model.family] += 1
            self._models[model.key] += 1
        return model, standing

    def _choice(self, wanted: str, fallback: str | None) -> tuple[ResolvedModel | None, Standing]:
        if own := self._resolution.model(wanted):
            return own, "rehearsal" if self._resolution.rehearsal else "primary"
        if fallback and (spare := self._resolution.model(fallback)):
            return spare, "fallback"
        substitute = any_model(
            self._resolution,
            self._coordinator,
            lambda model: (self._families[model.family], self._models[model.key]),
        )
        return substitute, "substitute" if substitute else "empty"


def any_model(
    resolution: Resolution, coordinator: str, seated: Seated = lambda _: (0, 0)
) -> ResolvedModel | None:
    """A usable model: the least seated, and the coordinator's only when it is alone."""
    models = list(resolution.models.values())
    others = [model for model in models if model.key != coordinator]
    return min(others or models, key=seated, default=None)


def blockrun_is_missed(
    config: PanelsConfig, resolution: Resolution, agents: Iterable[Agent]
) -> bool:
    """Whether seats of a panel are lost only because Blockrun does not answer (2.2#17).

    The budget panel sits then, unless nobody on it could: a panel of whoever is there is better.
    """
    if resolution.rehearsal or resolution.usable(BLOCKRUN):
        return False
    if not any(resolution.model(name) for name in config.profiles[BUDGET].models):
        return False
    lost = set(resolution.lost_without(BLOCKRUN))
    return any(agent.model in lost for agent in agents)


def sitting(config: PanelsConfig, resolution: Resolution, mode: ModeName) -> Sitting:
    """Who would sit on a mode's panel if a roundtable began now."""
    agents = config.panels.of(mode).agents
    budget = blockrun_is_missed(config, resolution, agents)
    wanted = [(agent.role, agent.model, agent.fallback) for agent in agents]
    if budget:
        keys = config.profiles[BUDGET].models
        wanted = [(a.role, key, a.fallback) for a, key in zip(agents, keys, strict=False)]
    chooser = Chooser(config, resolution)
    return Sitting(tuple(_seats(wanted, chooser)), budget)


def _seats(wanted: Sequence[tuple[str, str, str | None]], chooser: Chooser) -> Iterable[SeatNow]:
    for role, model, fallback in wanted:
        yield SeatNow(role, model, *chooser.choose(model, fallback))
