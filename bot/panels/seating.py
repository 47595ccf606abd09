"""Who would take the seats of a panel now: the model itself, another family, another tier."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

from bot.panels.config import Agent, ModeName, PanelsConfig
from bot.panels.resolve import Resolution, ResolvedModel
from bot.panels.sections import Tier

BLOCKRUN = "blockrun"
BUDGET = "budget"
_SIDES: Final = ("for", "against")
_Standing = Literal["primary", "stand-in", "fallback", "substitute", "rehearsal", "empty"]
_Wish = tuple[str, str | None]
"""The model a seat was made for, and its fallback."""
_TIERS: Final[tuple[Tier, ...]] = ("premium", "mid", "cheap", "specialised")


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """Who takes a seat, why, and who may take over when that model fails."""

    model: ResolvedModel | None
    standing: _Standing
    spare: ResolvedModel | None = None


@dataclass(frozen=True, slots=True)
class SeatNow:
    """One seat, the model it was made for, and the model that would answer for it."""

    role: str
    wanted: str
    model: ResolvedModel | None
    standing: _Standing


@dataclass(frozen=True, slots=True)
class Sitting:
    """The seats of a mode as they would be taken now; `budget` when Blockrun is missed (E102)."""

    seats: tuple[SeatNow, ...]
    budget: bool = False

    @property
    def families(self) -> tuple[str, ...]:
        """The families that would sit, each once."""
        return tuple(dict.fromkeys(seat.model.family for seat in self.seats if seat.model))


def choose_seats(
    config: PanelsConfig, resolution: Resolution, wishes: Sequence[_Wish]
) -> list[SeatChoice]:
    """Give every seat its model, then the others to whoever adds most (E21, 2.2#17).

    A seat whose model is not usable takes one of the family that sits least, so that as many
    families as possible speak; then its own fallback, then the model that sits least.
    """
    chooser = _Chooser(config, resolution)
    firsts = [chooser.own(wanted) for wanted, _ in wishes]
    return [
        chooser.with_spare(first or chooser.other(fallback), fallback)
        for first, (_, fallback) in zip(firsts, wishes, strict=True)
    ]


class _Chooser:
    """Counts who sits; seats with a model of their own are counted before the others choose."""

    def __init__(self, config: PanelsConfig, resolution: Resolution) -> None:
        self._resolution = resolution
        self._pool = _substitutes(config, resolution)
        self._families: Counter[str] = Counter()
        self._models: Counter[str] = Counter()

    def own(self, wanted: str) -> SeatChoice | None:
        """The seat's own model, or the newer one that stands in for it."""
        model = self._resolution.model(wanted)
        if model is None:
            return None
        key = self._resolution.names.canonical(wanted)
        standing: _Standing = "primary" if model.key == key else "stand-in"
        return SeatChoice(
            self._seated(model), "rehearsal" if self._resolution.rehearsal else standing
        )

    def other(self, fallback: str | None) -> SeatChoice:
        """Somebody else for a seat."""
        model = self._best(self._named(fallback))
        if model is None:
            return SeatChoice(None, "empty")
        standing: _Standing = "fallback" if model == self._named(fallback) else "substitute"
        return SeatChoice(self._seated(model), standing)

    def with_spare(self, choice: SeatChoice, fallback: str | None) -> SeatChoice:
        """A choice with who takes over in need; a seat without a fallback wants nobody."""
        if choice.standing not in ("primary", "stand-in", "rehearsal") or fallback is None:
            return choice
        named = self._named(fallback)
        spare = named or self._best(None, without=choice.model)
        return SeatChoice(choice.model, choice.standing, spare if spare != choice.model else None)

    def _named(self, name: str | None) -> ResolvedModel | None:
        return self._resolution.model(name) if name else None

    def _seated(self, model: ResolvedModel) -> ResolvedModel:
        self._families[model.family] += 1
        self._models[model.key] += 1
        return model

    def _best(
        self, fallback: ResolvedModel | None, without: ResolvedModel | None = None
    ) -> ResolvedModel | None:
        def rank(model: ResolvedModel) -> tuple[int, bool, int, int]:
            seated = self._families[model.family], model != fallback, self._models[model.key]
            return (*seated, _TIERS.index(model.tier))

        return min((m for m in self._pool if m != without), key=rank, default=None)


def _substitutes(config: PanelsConfig, resolution: Resolution) -> list[ResolvedModel]:
    """Who may take a seat made for another: not the coordinator, unless there is nobody else."""
    named = [m for key, m in resolution.models.items() if key not in resolution.stand_ins]
    coordinating = _coordinator(config, resolution)
    others = [model for model in named if model != coordinating]
    return others or named or list(resolution.models.values())


def _coordinator(config: PanelsConfig, resolution: Resolution) -> ResolvedModel | None:
    """Who coordinates and therefore argues last of all: the orchestrator's, else a cheap model."""
    cheap = (m for m in resolution.models.values() if m.tier == "cheap")
    return resolution.model(config.orchestrator.model) or next(cheap, None)


def coordinators(config: PanelsConfig, resolution: Resolution) -> tuple[ResolvedModel, ...]:
    """Who coordinates: the orchestrator's or a cheap model, then the default writer's, else any."""
    first, writer = _coordinator(config, resolution), resolution.model(config.synthesis.default)
    named = [model for model in (first, writer) if model is not None]
    spare = _any_model(config, resolution)
    return tuple(dict.fromkeys(named)) or ((spare,) if spare else ())


def _any_model(config: PanelsConfig, resolution: Resolution) -> ResolvedModel | None:
    """Some usable model, one that may argue rather than the coordinator's."""
    return next(iter(_substitutes(config, resolution)), None)


def opposing(agents: Sequence[Agent], seats: int) -> tuple[Agent, ...]:
    """The seats of a small panel, in the panel's order: one of each side first."""
    if seats >= len(agents):
        return tuple(agents)
    sides = (next((a for a in agents if a.side == side), None) for side in _SIDES)
    first = [agent for agent in sides if agent is not None]
    chosen = list(dict.fromkeys(chain(first, agents)))[:seats]
    return tuple(agent for agent in agents if agent in chosen)


def blockrun_is_missed(resolution: Resolution, agents: Iterable[Agent]) -> bool:
    """Whether seats of a panel are lost that Blockrun would serve if it answered (2.2#17)."""
    if resolution.rehearsal or resolution.found or resolution.usable(BLOCKRUN):
        return False
    lost = set(resolution.lost_without(BLOCKRUN))
    return any(agent.model in lost for agent in agents)


def budget_panel_sits(
    config: PanelsConfig, resolution: Resolution, agents: Iterable[Agent]
) -> bool:
    """Whether the budget panel takes the place of one that misses Blockrun (E102).

    Not when nobody on it could sit: a panel of whoever is there is better.
    """
    return (
        config.without_blockrun == BUDGET
        and any(resolution.model(name) for name in config.profiles[BUDGET].models)
        and blockrun_is_missed(resolution, agents)
    )


def sitting(config: PanelsConfig, resolution: Resolution, mode: ModeName) -> Sitting:
    """Who would sit on a mode's panel if a roundtable began now."""
    agents = config.panels.of(mode).agents
    budget = budget_panel_sits(config, resolution, agents)
    wanted = [(agent.role, agent.model, agent.fallback) for agent in agents]
    if budget:
        keys = config.profiles[BUDGET].models
        seats = zip(opposing(agents, len(keys)), keys, strict=False)
        wanted = [(agent.role, key, agent.fallback) for agent, key in seats]
    choices = choose_seats(config, resolution, [(model, spare) for _, model, spare in wanted])
    return Sitting(
        tuple(
            SeatNow(role, model, choice.model, choice.standing)
            for (role, model, _), choice in zip(wanted, choices, strict=True)
        ),
        budget,
    )
