"""Freezes a plan into a run, and reads the frozen design back."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection

from bot.council.design import Plan, PlannedSeat, plan_meeting
from bot.council.meeting import Design, Meeting
from bot.council.options import YES_OR_NO, vote_options
from bot.panels import ResolvedModel
from bot.request import Mode, Request
from bot.stage.port import SeatRow
from bot.store import EventType, seats

DESIGN_KEY = "design"
NO_OPTIONS = (
    "I found no options in the topic, so the panel votes Yes or No: name them as `A or B` "
    "next time."
)


def request_of(meeting: Meeting) -> Request:
    """The request as it was stored with the run."""
    stored = meeting.run.request
    return Request(
        topic=meeting.run.topic,
        mode=meeting.run.mode,
        mode_forced=stored["mode_forced"],
        quick=stored["quick"],
        panel=tuple(stored["panel"]),
        validate=stored["validate"],
        search=stored["search"],
        context_from=stored["context_from"],
        notices=tuple(stored["notices"]),
    )


async def freeze_design(meeting: Meeting) -> None:
    """Design the meeting once; later changes of panels.json do not touch it."""

    async def work() -> Plan:
        return plan_meeting(meeting.config, meeting.tools.resolution(), request_of(meeting))

    def record(conn: Connection, plan: Plan) -> Mapping[str, Any]:
        seats.place(conn, [_row(meeting.run.id, n, seat) for n, seat in enumerate(plan.seats)])
        return _payload(meeting, plan)

    payload = await meeting.journal.once(EventType.RUN_DESIGNED, DESIGN_KEY, work, record)
    rows = await meeting.tools.store.read(lambda conn: seats.of_run(conn, meeting.run.id))
    meeting.design = _design(payload, rows)
    meeting.show(
        seats=tuple(SeatRow(row.role, row.model) for row in rows),
        notices=(*meeting.place.notices, *meeting.design.notices, *meeting.design.degradations),
    )


def _payload(meeting: Meeting, plan: Plan) -> dict[str, Any]:
    models = [seat.model for seat in plan.seats] + list(plan.synthesis)
    models += [seat.fallback for seat in plan.seats if seat.fallback]
    notices = list(plan.notices)
    if meeting.run.mode is Mode.VOTE and vote_options(meeting.run.topic) == YES_OR_NO:
        notices.append(NO_OPTIONS)
    return {
        "workflow": plan.workflow,
        "rounds": plan.rounds,
        "models": {model.key: asdict(model) for model in models},
        "synthesis": [model.key for model in plan.synthesis],
        "rehearsal": plan.rehearsal,
        "decision": plan.decision,
        "degradations": list(plan.degradations),
        "notices": notices,
        "prompts": dict(meeting.tools.book.versions),
        "seed": meeting.run.seed,
    }


def _row(run_id: str, ordinal: int, seat: PlannedSeat) -> seats.Seat:
    return seats.Seat(
        run_id=run_id,
        seat=seat.slug,
        ordinal=ordinal,
        role=seat.agent.role,
        model=seat.model.key,
        provider=seat.model.provider,
        wire_model=seat.model.wire_model,
        family=seat.model.family,
        fallback=seat.fallback.key if seat.fallback else "",
        perspective=seat.agent.perspective,
    )


def _design(payload: Mapping[str, Any], rows: tuple[seats.Seat, ...]) -> Design:
    models = {key: ResolvedModel(**values) for key, values in payload["models"].items()}
    return Design(
        workflow=payload["workflow"],
        rounds=payload["rounds"],
        seats=rows,
        models=models,
        synthesis=tuple(models[key] for key in payload["synthesis"]),
        rehearsal=payload["rehearsal"],
        decision=payload["decision"],
        degradations=tuple(payload["degradations"]),
        notices=tuple(payload["notices"]),
    )
