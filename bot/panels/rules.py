"""What must hold between the parts of a well-formed panels.json."""

from collections.abc import Iterator, Sequence

from bot.messages.configuration import PanelsFileText
from bot.panels.config import Panel, PanelsConfig
from bot.panels.names import folded
from bot.panels.shape import Place, Problem, written

_BUDGET = "budget"


def rule_problems(config: PanelsConfig) -> Iterator[Problem]:
    """Every broken rule."""
    yield from _name_clashes(config)
    yield from _repeated_models(config)
    yield from _seats(config)
    yield from _profiles(config)
    yield from _orchestrator_apart(config)
    yield from _neutral_writer(config)
    yield from _time(config)


def _name_clashes(config: PanelsConfig) -> Iterator[Problem]:
    """`--panel x` must mean one thing: a profile, a model or an alias, whatever the case."""
    taken: dict[str, str] = {}
    names = [
        *(("profiles", name) for name in config.profiles),
        *(("models", name) for name in config.models),
        *(("model_aliases", name) for name in config.model_aliases),
    ]
    for path in names:
        first = taken.setdefault(path[1].casefold(), written(path))
        if first != written(path):
            yield Problem(path, PanelsFileText.same_name(first))


def _repeated_models(config: PanelsConfig) -> Iterator[Problem]:
    lists: dict[str, Sequence[str]] = {"premium": config.premium, "allowlist": config.allowlist}
    for key, models in lists.items():
        for index, model in enumerate(models):
            if model in models[:index]:
                yield Problem((key, index), PanelsFileText.listed_twice(model))


def _seats(config: PanelsConfig) -> Iterator[Problem]:
    for mode, panel in config.panels.items():
        path: Place = ("panels", mode, "agents")
        yield from _too_many(config, path, len(panel.agents))
        yield from _same_roles(panel, path)


def _same_roles(panel: Panel, path: Place) -> Iterator[Problem]:
    taken: dict[str, str] = {}
    for index, agent in enumerate(panel.agents):
        first = taken.setdefault(folded(agent.role), f"agents[{index}]")
        if first != f"agents[{index}]":
            yield Problem((*path, index, "role"), PanelsFileText.same_role(agent.role, first))


def _profiles(config: PanelsConfig) -> Iterator[Problem]:
    budget = config.profiles.get(_BUDGET)
    if budget is None or not budget.models:
        yield Problem(("profiles", _BUDGET, "models"), PanelsFileText.NO_BUDGET_PANEL)
    for name, profile in config.profiles.items():
        yield from _too_many(config, ("profiles", name, "models"), len(profile.models))
    if config.panel is not None and not config.seats_of(config.panel):
        known = [name for name in config.profiles if config.seats_of(name)]
        yield Problem(("panel",), PanelsFileText.no_such_profile(config.panel, known))


def _too_many(config: PanelsConfig, path: Place, seats: int) -> Iterator[Problem]:
    most = config.limits.max_seats
    if seats > most:
        yield Problem(path, PanelsFileText.too_many_seats(seats, most))


def _orchestrator_apart(config: PanelsConfig) -> Iterator[Problem]:
    """E7, E44: the orchestrator never takes a seat, not even as a fallback."""
    orchestrator = config.orchestrator.model
    for path, model in _seatable(config):
        if model == orchestrator:
            yield Problem(path, PanelsFileText.seated_orchestrator(model))


def _seatable(config: PanelsConfig) -> Iterator[tuple[Place, str | None]]:
    for mode, panel in config.panels.items():
        for index, agent in enumerate(panel.agents):
            path = ("panels", mode, "agents", index)
            yield from (((*path, "model"), agent.model), ((*path, "fallback"), agent.fallback))
    for index, model in enumerate(config.allowlist):
        yield ("allowlist", index), model
    for name, profile in config.profiles.items():
        for index, model in enumerate(profile.models):
            yield ("profiles", name, "models", index), model
        yield ("profiles", name, "fallback"), profile.fallback


def _neutral_writer(config: PanelsConfig) -> Iterator[Problem]:
    """E46: a premium model that sits on no panel can write every conclusion without bias."""
    seated = {agent.model for _, panel in config.panels.items() for agent in panel.agents}
    if not set(config.premium) - seated - {config.orchestrator.model}:
        yield Problem(("panels",), PanelsFileText.NO_NEUTRAL_WRITER)


def _time(config: PanelsConfig) -> Iterator[Problem]:
    """2.2#22: the straight path of two rounds with validation fits into the run."""
    t = config.timeouts
    needed = t.search + t.meta + 2 * t.round + t.synthesis + t.validation
    if needed > t.run:
        yield Problem(("timeouts", "run"), PanelsFileText.too_little_time(t.run, needed))
