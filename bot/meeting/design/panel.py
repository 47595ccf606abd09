"""Who sits on the panel: the meta-panel's design, the mode's panel, a manual one or a profile."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.errors import UnavailableError, UsageError
from bot.measures.degradation import Cause, Note, Substitution, substitution_notes
from bot.meeting.design.decision import PARALLEL, Decision
from bot.meeting.design.seating import seat_slug, seating_rules
from bot.messages.meeting import MeetingText, SeatingText
from bot.messages.models import ProviderText
from bot.panels import (
    Agent,
    PanelsConfig,
    Resolution,
    ResolvedModel,
    SeatChoice,
    SecondRound,
    blockrun_is_missed,
    budget_panel_sits,
    choose_seats,
    coordinators,
    opposing,
)
from bot.panels.resolve import LOCAL
from bot.panels.seating import BLOCKRUN, BUDGET
from bot.prompting.text import plain_words
from bot.request import Request
from bot.types.mode import Mode, SpeechOrder

_QUICK_SEATS = 3
_DEFAULT_ROUNDS = 2


def _choose_writers(
    config: PanelsConfig,
    resolution: Resolution,
    seated: Collection[str],
    decision: Decision | None,
) -> tuple[tuple[ResolvedModel, ...], tuple[str, ...]]:
    """The neutral writer first: recommended, premium and off the panel, then the default (2.2#19).

    `seated` are the keys of the panel's models. Where none of these can be used a premium model
    writes that sat on the panel, and where there is none and no orchestrator, whoever is there.
    """
    recommended = [decision.synthesis] if decision and decision.synthesis else []
    neutral = [name for name in config.premium if name not in seated]
    found = _usable_models(resolution, [*recommended, *neutral, config.synthesis.default])
    found = found or _usable_models(resolution, config.premium)
    if not found and resolution.model(config.orchestrator.model) is None:
        found = coordinators(config, resolution)
    if not found:
        return (), ()
    notes = (Note.writer_sat(found[0].key).text,) if found[0].key in seated else ()
    return found[:2], notes


def _usable_models(resolution: Resolution, names: Sequence[str]) -> tuple[ResolvedModel, ...]:
    """The models of these names that can be used now, each once."""
    found = (resolution.model(name) for name in dict.fromkeys(names))
    return tuple(model for model in found if model is not None)


@dataclass(frozen=True, slots=True)
class PlannedSeat:
    """One seat with the model that will speak and the one that may stand in for it."""

    slug: str
    role: str
    perspective: str
    task: str
    stage: int
    priority: int
    model: ResolvedModel
    fallback: ResolvedModel | None


@dataclass(frozen=True, slots=True)
class Plan:
    """The design of a meeting, ready to be frozen into a run."""

    workflow: str
    rounds: int
    seats: tuple[PlannedSeat, ...]
    synthesis: tuple[ResolvedModel, ...]
    coordinators: tuple[ResolvedModel, ...]
    rehearsal: bool
    scripted: bool
    proposition: str
    speech_order: SpeechOrder
    strict_order: bool
    early_exit: bool
    second_round: SecondRound
    decision: str
    meta: str
    degradations: tuple[str, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A seat as chosen, before it is known which model can take it."""

    role: str
    model: str
    fallback: str | None
    perspective: str = ""
    task: str = ""
    stage: int = 1
    priority: int = 0


@dataclass(frozen=True, slots=True)
class _Choice:
    seats: tuple[_Wanted, ...]
    decision: str
    notices: tuple[str, ...] = ()
    degradations: tuple[str, ...] = ()


def needs_meta_panel(config: PanelsConfig, resolution: Resolution, request: Request) -> bool:
    """Whenever an analyst is usable, but not for a quick run or a manual panel (E39).

    Nor where the budget panel must sit (E102), or nobody may be seated.
    """
    if request.quick or request.panel or not _can_be_designed(config, resolution):
        return False
    agents = config.panels.of(request.mode.value).agents
    return not budget_panel_sits(config, resolution, agents)


def plan_meeting(
    config: PanelsConfig,
    resolution: Resolution,
    request: Request,
    decision: Decision | None = None,
    *,
    meta_summary: str = "",
) -> Plan:
    """Choose panel, models and writer; raises UserError when nothing can be seated."""
    choice = _choose(config, resolution, request, decision)
    seats, degradations = _seat(choice.seats, config, resolution)
    if not any(seat.stage == 1 for seat in seats):
        raise UnavailableError(SeatingText.NO_MODEL)
    panel = config.panels.of(request.mode.value)
    seated = {seat.model.key for seat in seats}
    writers, writer_notes = _choose_writers(config, resolution, seated, decision)
    scripted = plays_script(resolution, request.topic, request.mode, [s.role for s in seats])
    label = (MeetingText.SCRIPTED,) if scripted else ()
    return Plan(
        workflow=decision.workflow if decision else PARALLEL,
        rounds=_rounds(config, request, decision),
        seats=tuple(seats),
        synthesis=writers,
        coordinators=coordinators(config, resolution),
        rehearsal=resolution.rehearsal,
        scripted=scripted,
        proposition=(decision.proposition if decision else None) or "",
        speech_order=panel.speech_order,
        strict_order=panel.strict_order,
        early_exit=panel.early_exit,
        second_round=config.second_round,
        decision=choice.decision,
        meta=meta_summary or choice.decision,
        degradations=(*choice.degradations, *degradations),
        notices=(*label, *request.notices, *choice.notices, *writer_notes, *_smallness(seats)),
    )


def plays_script(resolution: Resolution, topic: str, mode: Mode, roles: Sequence[str] = ()) -> bool:
    """Whether the rehearsal plays a scripted example on this topic with these roles."""
    if not resolution.rehearsal:
        return False
    from bot.rehearsal.scripts import is_scripted  # noqa: PLC0415 (heavy, first use)

    return is_scripted(topic, mode.value, roles)


def _smallness(seats: Sequence[PlannedSeat]) -> tuple[str, ...]:
    """A model in this process must not be taken for one that knows something."""
    return (SeatingText.SMALL_MODEL,) if any(seat.model.kind == LOCAL for seat in seats) else ()


def _rounds(config: PanelsConfig, request: Request, decision: Decision | None) -> int:
    if request.quick:
        return 1
    proposed = decision.rounds if decision else _DEFAULT_ROUNDS
    return min(request.rounds or proposed, config.limits.max_rounds)


def _choose(
    config: PanelsConfig, resolution: Resolution, request: Request, decision: Decision | None
) -> _Choice:
    agents = config.panels.of(request.mode.value).agents
    if request.panel:
        return _manual(config, resolution, request.panel, agents)
    missed = (ProviderText.BLOCKRUN_IS_SILENT,) if blockrun_is_missed(resolution, agents) else ()
    if decision is not None:
        return _designed(config, decision, missed)
    if budget_panel_sits(config, resolution, agents):
        budget = _manual_seats(config.profiles[BUDGET].models, agents)
        return _Choice(budget, SeatingText.BUDGET_PANEL, degradations=(Note.budget_panel().text,))
    if request.quick:
        quick = tuple(map(_wanted, opposing(agents, _QUICK_SEATS)))
        return _Choice(quick, SeatingText.quick_panel(request.mode), missed)
    return _Choice(tuple(map(_wanted, agents)), SeatingText.default_panel(request.mode), missed)


def _wanted(agent: Agent) -> _Wanted:
    return _Wanted(
        agent.role, agent.model, agent.fallback, agent.perspective, priority=agent.priority
    )


def _designed(config: PanelsConfig, decision: Decision, missed: tuple[str, ...]) -> _Choice:
    fallback = config.profiles[BUDGET].models[0] if config.profiles[BUDGET].models else None
    seats = tuple(
        _Wanted(seat.role, seat.model, fallback, task=seat.task, stage=seat.stage)
        for seat in decision.seats
    )
    return _Choice(seats, decision.line, (*decision.notes, *missed))


def _can_be_designed(config: PanelsConfig, resolution: Resolution) -> bool:
    rules = seating_rules(config, resolution)
    return any(map(resolution.model, config.meta.models)) and any(
        map(rules.seatable, config.allowlist)
    )


def _manual(
    config: PanelsConfig, resolution: Resolution, names: Sequence[str], agents: Sequence[Agent]
) -> _Choice:
    if len(names) == 1:
        names = config.seats_of(names[0]) or names
    keys = [_known_model(config, resolution, name) for name in names]
    if len(keys) > config.limits.max_seats:
        raise UsageError(SeatingText.too_many_seats(config.limits.max_seats, len(keys)))
    return _Choice(_manual_seats(keys, agents), SeatingText.manual_panel(keys))


def _manual_seats(keys: Sequence[str], agents: Sequence[Agent]) -> tuple[_Wanted, ...]:
    """The named models take the mode's roles in order; further ones are plain panelists."""
    agents = opposing(agents, len(keys))
    seats = []
    for number, key in enumerate(keys, 1):
        if number <= len(agents):
            agent = agents[number - 1]
            seats.append(_Wanted(agent.role, key, agent.fallback, agent.perspective))
        else:
            seats.append(
                _Wanted(SeatingText.further_seat(number), key, None, "an independent view")
            )
    return tuple(seats)


def _known_model(config: PanelsConfig, resolution: Resolution, name: str) -> str:
    key = resolution.names.canonical(name)
    if key is None:
        near, known = resolution.suggest(name), sorted(resolution.names.known)
        raise UsageError(SeatingText.unknown_model(name[:40], near[0] if near else "", known))
    if key == config.orchestrator.model:
        raise UsageError(SeatingText.coordinates(key))
    return key


def _seat(
    wanted: Sequence[_Wanted], config: PanelsConfig, resolution: Resolution
) -> tuple[list[PlannedSeat], list[str]]:
    seats: list[PlannedSeat] = []
    notes: list[str] = []
    choices = choose_seats(config, resolution, [(seat.model, seat.fallback) for seat in wanted])
    families = _own_families(wanted, choices)
    for seat, choice in zip(wanted, choices, strict=True):
        if choice.model is None:
            cause = _cause(seat.model, resolution)
            notes.append(Note.skipped(seat.role, seat.model, seat.fallback, cause).text)
            continue
        if choice.standing in ("stand-in", "fallback", "substitute"):
            notes += _substitution(seat, choice.model, families, config, resolution)
        families[seat.role] = choice.model.family
        seats.append(_planned(seat, choice.model, choice.spare))
    return seats, [*notes, *_sameness(seats, resolution)]


def _substitution(
    seat: _Wanted,
    model: ResolvedModel,
    families: Mapping[str, str],
    config: PanelsConfig,
    resolution: Resolution,
) -> list[str]:
    """What META says about a seat that another model takes from the start (E90, E91)."""
    original = config.models[seat.model].family if seat.model in config.models else ""
    change = Substitution(seat.role, seat.model, model.key, original, model.family)
    others = {role: family for role, family in families.items() if role != seat.role}
    cause = _cause(seat.model, resolution)
    reasons = resolution.why_not(seat.model)
    return [note.text for note in substitution_notes(change, cause, others, reasons)]


def _sameness(seats: Sequence[PlannedSeat], resolution: Resolution) -> list[str]:
    """A word on a panel whose seats are all taken by one model, or one family (E21)."""
    families = {seat.model.family for seat in seats}
    if resolution.rehearsal or len(seats) == 1 or len(families) != 1:
        return []
    models = {seat.model.key for seat in seats}
    if len(models) == 1:
        return [Note.one_model(models.pop()).text]
    return [Note.one_family(families.pop()).text]


def _planned(seat: _Wanted, model: ResolvedModel, fallback: ResolvedModel | None) -> PlannedSeat:
    return PlannedSeat(
        slug=seat_slug(seat.role),
        role=plain_words(seat.role),
        perspective=plain_words(seat.perspective or seat.task),
        task=seat.task,
        stage=seat.stage,
        priority=seat.priority,
        model=model,
        fallback=fallback,
    )


def _own_families(wanted: Sequence[_Wanted], choices: Sequence[SeatChoice]) -> dict[str, str]:
    """The families of the seats that have their own model; the others come after them."""
    return {
        seat.role: choice.model.family
        for seat, choice in zip(wanted, choices, strict=True)
        if choice.model is not None and choice.standing in ("primary", "rehearsal")
    }


def _cause(model: str, resolution: Resolution) -> Cause:
    """Why a model cannot be used from the start: the Blockrun it was meant for, or any provider."""
    first = resolution.routed.get(model, ())[:1]
    lost = model in resolution.lost_without(BLOCKRUN)
    return Cause.NO_BLOCKRUN if lost and first == (BLOCKRUN,) else Cause.NO_PROVIDER
