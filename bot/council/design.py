"""Who sits at the table: the mode's panel, a manual panel or a profile, with usable models."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bot.errors import UnavailableError, UsageError
from bot.panels import Agent, PanelsConfig, Resolution, ResolvedModel
from bot.request import Request, topic_slug

WORKFLOW = "parallel_debate"
QUICK_SEATS = 3
BUDGET = "budget"


@dataclass(frozen=True, slots=True)
class PlannedSeat:
    """One seat with the model that will speak and the one that may stand in for it."""

    slug: str
    agent: Agent
    model: ResolvedModel
    fallback: ResolvedModel | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The design of a meeting, ready to be frozen into a run."""

    workflow: str
    rounds: int
    seats: tuple[PlannedSeat, ...]
    synthesis: tuple[ResolvedModel, ...]
    rehearsal: bool
    decision: str
    degradations: tuple[str, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    """The agents chosen for the table, before it is known which of them can speak."""

    agents: tuple[Agent, ...]
    decision: str


def plan_meeting(config: PanelsConfig, resolution: Resolution, request: Request) -> Plan:
    """Choose panel, models and writer; raises UserError when nothing can be seated."""
    choice = _choose_agents(config, resolution, request)
    seats, degradations = _seat(choice.agents, resolution)
    if not seats:
        raise UnavailableError(
            "No model of this panel can be used now: an admin can see why with `roundtable check`."
        )
    return Plan(
        workflow=WORKFLOW,
        rounds=1,
        seats=tuple(seats),
        synthesis=_writers(config, resolution, seats),
        rehearsal=resolution.rehearsal,
        decision=choice.decision,
        degradations=tuple(degradations),
        notices=_later_notices(request),
    )


def _choose_agents(config: PanelsConfig, resolution: Resolution, request: Request) -> _Choice:
    panel = config.panels.of(request.mode.value).agents
    if request.panel:
        agents = _manual_panel(config, resolution, request.panel, panel)
        return _Choice(agents, f"Manual panel: {', '.join(agent.model for agent in agents)}")
    if request.quick:
        return _Choice(panel[:QUICK_SEATS], f"Quick: the first seats of the {request.mode} panel")
    return _Choice(panel, f"The default panel for {request.mode}")


def _manual_panel(
    config: PanelsConfig, resolution: Resolution, names: Sequence[str], panel: Sequence[Agent]
) -> tuple[Agent, ...]:
    if tuple(names) == (BUDGET,):
        names = config.profiles[BUDGET].models
    keys = [_known_model(config, resolution, name) for name in names]
    if len(keys) > config.limits.max_seats:
        raise UsageError(
            f"A panel has at most {config.limits.max_seats} seats and you named {len(keys)}: "
            "leave some out."
        )
    return tuple(_manual_agent(key, number, panel) for number, key in enumerate(keys, 1))


def _known_model(config: PanelsConfig, resolution: Resolution, name: str) -> str:
    key = resolution.names.canonical(name)
    if key is None:
        known = ", ".join(f"`{name}`" for name in sorted(resolution.names.known))
        near = resolution.suggest(name)
        hint = f"did you mean `{near[0]}`? " if near else ""
        raise UsageError(f"I know no model `{name[:40]}`: {hint}The names are {known}.")
    if key == config.orchestrator.model:
        raise UsageError(
            f"`{key}` coordinates the meeting and never sits on a panel: name another model."
        )
    return key


def _manual_agent(key: str, number: int, panel: Sequence[Agent]) -> Agent:
    if number <= len(panel):
        return panel[number - 1].model_copy(update={"model": key})
    return Agent(role=f"Panelist {number}", model=key, perspective="an independent view")


def _seat(agents: Sequence[Agent], resolution: Resolution) -> tuple[list[PlannedSeat], list[str]]:
    seats: list[PlannedSeat] = []
    notes: list[str] = []
    for agent in agents:
        own = resolution.model(agent.model)
        spare = resolution.model(agent.fallback) if agent.fallback else None
        model = own or spare or _anybody(resolution)
        if model is None:
            notes.append(f"{agent.role} is missing: {_why_not(resolution, agent.model)}")
            continue
        if own is None:
            notes.append(_substitution(agent, model, resolution))
        seats.append(PlannedSeat(seat_slug(agent.role), agent, model, spare if own else None))
    return seats, notes


def _anybody(resolution: Resolution) -> ResolvedModel | None:
    return next(iter(resolution.models.values()), None)


def _substitution(agent: Agent, model: ResolvedModel, resolution: Resolution) -> str:
    return (
        f"PANEL DEGRADED — {agent.role} substituted {agent.model} with {model.key} "
        f"({_why_not(resolution, agent.model)})"
    )


def _why_not(resolution: Resolution, name: str) -> str:
    return "; ".join(resolution.why_not(name)) or "no route is usable"


def _writers(
    config: PanelsConfig, resolution: Resolution, seats: Sequence[PlannedSeat]
) -> tuple[ResolvedModel, ...]:
    """The neutral writer first: premium and off the panel, then the default, then any other."""
    seated = {seat.model.key for seat in seats}
    neutral = [name for name in config.premium if name not in seated]
    names = [*neutral, config.synthesis.default, config.orchestrator.model]
    found = [model for name in dict.fromkeys(names) if (model := resolution.model(name))]
    return tuple(found[:2])


def _later_notices(request: Request) -> tuple[str, ...]:
    """A flag whose work is not part of this version yet says so; none is ignored."""
    notices = list(request.notices)
    if request.validate:
        notices.append("`--validate` comes with a later version: this conclusion is not validated.")
    if not request.search:
        notices.append("This version does not search the web, so `--no-search` changes nothing.")
    if request.context_from:
        notices.append(
            f"`--context-from {request.context_from}` comes with a later version: "
            "the earlier conclusion is not used."
        )
    return tuple(notices)


def seat_slug(role: str) -> str:
    """The name a seat has in keys and sessions."""
    return topic_slug(role.replace("'", "").replace("’", ""))


def with_notice(plan: Plan, notice: str) -> Plan:
    """The same plan with one more thing to tell people."""
    return replace(plan, notices=(*plan.notices, notice))
