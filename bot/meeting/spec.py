"""The spec of a roundtable: what is to be done and how it is judged, before anybody works (2.3).

The goal is kept as a reference to the run's topic, because events hold no text that a person wrote.
"""

from dataclasses import asdict, dataclass

from sqlalchemy import Connection

from bot.errors import UsageError
from bot.meeting.context import RunContext
from bot.messages.meeting import MeetingText
from bot.messages.starting import AdmissionText, SpecText
from bot.request import Request
from bot.store import EventType, Phase
from bot.store.log import events
from bot.store.repositories.runs import Run
from bot.store.vocabulary import Actor

_SPEC_KEY = "spec"


def stored_request(run: Run) -> Request:
    """The request a run was started with."""
    stored = run.request
    return Request(
        topic=run.topic,
        mode=run.mode,
        mode_forced=stored["mode_forced"],
        quick=stored["quick"],
        panel=tuple(stored["panel"]),
        validate=stored["validate"],
        search=stored["search"],
        context_from=stored["context_from"],
        link=stored.get("link"),
        rounds=stored.get("rounds"),
        masked=stored.get("masked", False),
        options=tuple(stored.get("options") or ()),
        offers_build=stored.get("offers_build", False),
        reopens=stored.get("reopens", False),
        news=stored.get("news") or "",
        notices=tuple(stored["notices"]),
    )


@dataclass(frozen=True, slots=True)
class Spec:
    """The least a spec holds (B11)."""

    goal: str
    scope_in: tuple[str, ...]
    scope_out: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    acceptance_criteria: tuple[str, ...]
    risks: tuple[str, ...]


def spec_of(request: Request) -> Spec:
    """The spec implied by a parsed request."""
    flags = {"quick": request.quick, "validate": request.validate, "search": request.search}
    validated = (SpecText.REPRESENTED,) if request.validate else ()
    inputs = (SpecText.TOPIC, *((SpecText.EARLIER_CONCLUSION,) if request.context_from else ()))
    return Spec(
        goal=SpecText.GOAL if request.topic.strip() else "",
        scope_in=(
            SpecText.in_mode(request.mode),
            *(name for name, wanted in flags.items() if wanted),
        ),
        scope_out=SpecText.BOUNDS,
        inputs=(*inputs, *((SpecText.WEB_SEARCH,) if request.search else ())),
        outputs=SpecText.OUTPUTS,
        acceptance_criteria=(*SpecText.CRITERIA, *validated),
        risks=SpecText.RISKS,
    )


def weak_points(spec: Spec) -> tuple[str, ...]:
    """The fields without which a spec stays a draft (B12)."""
    return tuple(name for name, value in asdict(spec).items() if not value)


async def keep_spec(ctx: RunContext, *, complete: bool) -> None:
    """Record the spec once, before the run leaves its draft; a weak one goes no further.

    With `complete` the run leaves its draft in the same transaction.
    """
    spec = spec_of(stored_request(ctx.run))
    weak = weak_points(spec)
    if weak:
        raise UsageError(AdmissionText.incomplete(weak))

    store, run_id = ctx.deps.store, ctx.run.id

    def record(conn: Connection) -> None:
        actor, recorded = Actor.ORCHESTRATOR, EventType.SPEC_RECORDED
        events.append(conn, run_id, recorded, _SPEC_KEY, actor, asdict(spec), store.now())

    if complete:
        await ctx.reach(Phase.SPEC_REVIEW, MeetingText.REQUEST_COMPLETE, first=record)
    else:
        await store.write(record)
