"""Freezes the design of a meeting into its run, and reads the frozen design back."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from sqlalchemy import Connection

from bot.measures.worth import Experience
from bot.meeting.context import Design, RunContext
from bot.meeting.design.meta_panel import (
    ask_meta_panel,
    merge,
    settle_proposition,
    summary_of,
)
from bot.meeting.design.panel import (
    Plan,
    PlannedSeat,
    needs_meta_panel,
    plan_meeting,
    plays_script,
)
from bot.meeting.design.pricing import RunPricing
from bot.meeting.grounding import SEARCH_KEY
from bot.meeting.run_thread import earlier_notice
from bot.meeting.spec import stored_request
from bot.messages.meeting import CardText, MaskText, MeetingText, SeatingText
from bot.messages.votes import BallotText
from bot.money.estimate import NO_ESTIMATE, Estimate, estimate_words
from bot.panels import PanelsConfig, Resolution, ResolvedModel
from bot.record.attempts import STRONGER_FROM
from bot.record.masking import MASKED, Mask, hidden_words, mask_of
from bot.record.transcript import real_model
from bot.request.options import known_options, yes_and_no
from bot.search.results import Findings
from bot.stage.port import SeatRow
from bot.store import EventType
from bot.store.log import events
from bot.store.repositories import seats
from bot.store.repositories.decisions import DecisionRepository
from bot.store.repositories.seats import DesignRepository, Seat, SeatRepository
from bot.types.mode import Mode

_log = logging.getLogger(__name__)

_STRONGER = "stronger"
_DESIGN_KEY = "design"
_WORDS = ("proposition", "options", "decision", "meta", "notices", "degradations", "priorities")
"""What may quote the topic, so it is kept where it can be erased and not in the log."""


@dataclass(frozen=True, slots=True)
class _Stronger:
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


def _usable_stronger(config: PanelsConfig, resolution: Resolution) -> _Stronger:
    """What can be used of the profile now; nothing where panels.json has none."""
    profile = config.profiles.get(_STRONGER)
    if profile is None:
        return _Stronger()
    found = (resolution.model(name) for name in profile.models)
    fallback = resolution.model(profile.fallback) if profile.fallback else None
    return _Stronger(tuple(model for model in found if model is not None), fallback)


def _frozen_stronger(
    payload: Mapping[str, Any], models: Mapping[str, ResolvedModel]
) -> tuple[tuple[ResolvedModel, ...], ResolvedModel | None]:
    """The profile read back from a design; an older design has none."""
    names = payload.get(_STRONGER) or {}
    return tuple(models[key] for key in names.get("models", ())), models.get(
        names.get("fallback", "")
    )


def _strengthened(design: Design) -> Design:
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


@dataclass(frozen=True, slots=True)
class _Designed:
    plan: Plan
    options: tuple[str, ...]
    notices: tuple[str, ...]
    estimate: Estimate


async def freeze_design(ctx: RunContext) -> None:
    """Design the meeting once, and lay the card out for it; panels.json changes none of it."""
    payload = await use_design(ctx)
    design = ctx.designed
    price, decision = estimate_words(design.estimate), payload["decision"]
    degradations = tuple(note.splitlines()[0] for note in payload["degradations"])
    if ctx.mask:
        decision = ctx.mask.line(decision, MaskText.DESIGN)
        votes = ctx.run.mode is Mode.VOTE
        notice = MaskText.notice(MaskText.AFTER_VOTE if votes else MaskText.AFTER_CONCLUSION)
        degradations = (notice, *((MaskText.DEGRADED,) if degradations else ()))
    label = _label(rehearsal=design.rehearsal, scripted=design.scripted)
    ctx.show(
        label=label,
        seats=tuple(SeatRow(row.role, row.model) for row in design.seats),
        round="",
        past=(),
        notices=(
            SeatingText.in_words(decision),
            *await earlier_notice(ctx),
            price,
            *ctx.place.notices,
            *(n for n in payload["notices"] if n != label and ctx.mask.names_nobody(n)),
            *degradations,
            *await _search_notice(ctx),
        ),
    )


def label_card(ctx: RunContext) -> None:
    """Say on a new card who will speak, as far as it is known before the design."""
    resolution, run = ctx.deps.resolution(), ctx.run
    if run.request.get(MASKED):
        ctx.mask = _before_design(ctx)
    scripted = plays_script(resolution, run.topic, run.mode)
    ctx.show(label=_label(rehearsal=resolution.rehearsal, scripted=scripted))


def _before_design(ctx: RunContext) -> Mask:
    """Hides every model that may be asked, while nobody has a seat yet."""
    config, usable = ctx.config, ctx.deps.resolution().models.values()
    words = {*config.models, *config.providers, *(m.family for m in config.models.values())}
    return Mask({}, hidden_words({*words, *(m.wire_model for m in usable)}), ctx.run.topic)


def _label(*, rehearsal: bool, scripted: bool) -> str:
    if scripted:
        return MeetingText.SCRIPTED
    return MeetingText.REHEARSAL if rehearsal else ""


async def _search_notice(ctx: RunContext) -> tuple[str, ...]:
    """The note about a failed search, also after a restart."""
    stored = await ctx.journal.recorded(EventType.SEARCH_DONE, SEARCH_KEY)
    return Findings.from_dict(stored).notices if stored else ()


async def use_design(ctx: RunContext) -> Mapping[str, Any]:
    """Let the meeting have its frozen design, made now if there is none, for its attempt."""

    run = ctx.run

    def record(conn: Connection, designed: _Designed) -> Mapping[str, Any]:
        payload = _payload(ctx, designed)
        if not designed.plan.rehearsal:
            payload["resolved"] = _experience(conn, run.guild_id, payload["models"])
        SeatRepository(conn).place(
            (_row(run.id, n, seat) for n, seat in enumerate(designed.plan.seats))
        )
        DesignRepository(conn).keep(run.id, {name: payload.pop(name) for name in _WORDS})
        return payload

    frozen = await ctx.journal.once(
        EventType.RUN_DESIGNED, _DESIGN_KEY, lambda: _design(ctx), record
    )
    rows, words, ctx.mask = await ctx.deps.store.read(
        lambda conn: (
            SeatRepository(conn).of_run(run.id),
            DesignRepository(conn).of_run(run.id),
            mask_of(conn, run),
        )
    )
    payload = {**frozen, **words}
    design = _read_back(payload, rows)
    stronger = ctx.run.attempt >= STRONGER_FROM
    ctx.design = _strengthened(design) if stronger else design
    return payload


def stored_design(conn: Connection, run_id: str) -> Design | None:
    """The design of a run as it was frozen, or None before that."""
    payload = events.find(conn, run_id, EventType.RUN_DESIGNED, _DESIGN_KEY)
    if payload is None:
        return None
    return _read_back(
        payload | DesignRepository(conn).of_run(run_id), SeatRepository(conn).of_run(run_id)
    )


async def _design(ctx: RunContext) -> _Designed:
    request = stored_request(ctx.run)
    if not needs_meta_panel(ctx.config, ctx.deps.resolution(), request):
        plan = plan_meeting(ctx.config, ctx.deps.resolution(), request)
        return _with_options(ctx, await _with_proposition(ctx, plan))
    ctx.show(CardText.DESIGNING)
    votes = await ask_meta_panel(ctx)
    decision = merge(ctx, votes)
    if decision is None:
        _log.warning("%s: the meta-panel gave no usable design", ctx.run.id)
    plan = plan_meeting(
        ctx.config,
        ctx.deps.resolution(),
        request,
        decision,
        meta_summary=decision.summary if decision else summary_of(votes),
    )
    plan = await _with_proposition(ctx, plan)
    return _with_options(ctx, plan, () if decision else (SeatingText.META_FAILED,))


async def _with_proposition(ctx: RunContext, plan: Plan) -> Plan:
    return replace(plan, proposition=await settle_proposition(ctx, plan.proposition))


def _with_options(ctx: RunContext, plan: Plan, notices: tuple[str, ...] = ()) -> _Designed:
    request, guild_id = stored_request(ctx.run), ctx.run.guild_id
    estimate = RunPricing.now(ctx.deps, guild_id).of_plan(request, plan)
    if ctx.run.mode is not Mode.VOTE:
        return _Designed(plan, (), notices, estimate)
    options = known_options(request.topic, request.options) or yes_and_no(request.topic)
    if options == yes_and_no(request.topic):
        notices = (*notices, BallotText.yes_or_no(options))
    return _Designed(plan, options, notices, estimate)


def _payload(ctx: RunContext, designed: _Designed) -> dict[str, Any]:
    plan = designed.plan
    models = [seat.model for seat in plan.seats] + [*plan.synthesis, *plan.coordinators]
    models += [seat.fallback for seat in plan.seats if seat.fallback]
    stronger = _usable_stronger(ctx.config, ctx.deps.resolution())
    models += stronger.all
    if ctx.run.request.get(MASKED):
        models += _analysts(ctx)
    return {
        "workflow": plan.workflow,
        "rounds": plan.rounds,
        "models": {key: asdict(model) for key, model in {m.key: m for m in models}.items()},
        "skills": _skills(ctx.config, models),
        "synthesis": [model.key for model in plan.synthesis],
        "coordinators": [model.key for model in plan.coordinators],
        "rehearsal": plan.rehearsal,
        "scripted": plan.scripted,
        "proposition": plan.proposition,
        "options": list(designed.options),
        "speech_order": plan.speech_order,
        "strict_order": plan.strict_order,
        "priorities": {seat.role: seat.priority for seat in plan.seats},
        "early_exit": plan.early_exit,
        "second_round": plan.second_round,
        "decision": plan.decision,
        "meta": plan.meta,
        "degradations": list(plan.degradations),
        "notices": [*plan.notices, *designed.notices],
        "prompts": dict(ctx.deps.book.versions),
        "seed": ctx.run.seed,
        _STRONGER: stronger.payload(),
        "estimate": designed.estimate.to_dict(),
    }


def _analysts(ctx: RunContext) -> list[ResolvedModel]:
    """Frozen with a masked panel, so that its mask knows them by all their names."""
    found = map(ctx.deps.resolution().model, ctx.config.meta.models)
    return [model for model in found if model is not None]


def _skills(config: PanelsConfig, models: Iterable[ResolvedModel]) -> dict[str, float]:
    """What panels.json says of the models' skill; found models and older designs have none."""
    known = {
        model.key: config.models[model.key].skill for model in models if model.key in config.models
    }
    return {key: skill for key, skill in known.items() if skill is not None}


def _experience(
    conn: Connection, guild_id: int, models: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """What this server's resolved votes say of the models, as it is known now."""
    known = DecisionRepository(conn).resolved(guild_id)
    votes = [
        (one.models_right, one.facts.get("sure"), one.panel_right)
        for one in known
        if one.option is not None and not one.facts.get("rehearsal")
    ]
    names = {real_model(key, model) for key, model in models.items()}
    return Experience.of(votes, names).freeze()


def _row(run_id: str, ordinal: int, seat: PlannedSeat) -> seats.Seat:
    return seats.Seat(
        run_id=run_id,
        slug=seat.slug,
        ordinal=ordinal,
        role=seat.role,
        model=seat.model.key,
        provider=seat.model.provider,
        wire_model=seat.model.wire_model,
        family=seat.model.family,
        fallback=seat.fallback.key if seat.fallback else "",
        perspective=seat.perspective,
        task=seat.task,
        stage=seat.stage,
    )


def _read_back(payload: Mapping[str, Any], rows: tuple[seats.Seat, ...]) -> Design:
    models = {key: ResolvedModel(**values) for key, values in payload["models"].items()}
    stronger, stronger_fallback = _frozen_stronger(payload, models)
    return Design(
        workflow=payload["workflow"],
        rounds=payload["rounds"],
        seats=rows,
        models=models,
        synthesis=tuple(models[key] for key in payload["synthesis"]),
        coordinators=tuple(models[key] for key in payload["coordinators"]),
        rehearsal=payload["rehearsal"],
        scripted=payload.get("scripted", False),
        proposition=payload["proposition"],
        options=tuple(payload["options"]),
        speech_order=payload["speech_order"],
        strict_order=payload.get("strict_order", False),
        priorities=payload["priorities"],
        early_exit=payload["early_exit"],
        second_round=payload.get("second_round", "always"),
        notices=tuple(payload["notices"]),
        stronger=stronger,
        stronger_fallback=stronger_fallback,
        estimate=Estimate.from_dict(payload["estimate"]) if "estimate" in payload else NO_ESTIMATE,
    )
