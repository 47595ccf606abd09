"""The spec of a roundtable: what is to be done and how it is judged, before anybody works (2.3).

The goal is kept as a reference to the run's topic, because events hold no text that a person wrote.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection

from bot.council.meeting import Meeting
from bot.council.summons import stored_request
from bot.errors import UsageError
from bot.request import Request
from bot.store import EventType

SPEC_KEY = "spec"
GOAL = "the topic of the run"
_BOUNDS = ("effects outside the thread and the trigger channel", "running what a model wrote")
_OUTPUTS = ("posts in the thread", "conclusion", "minutes", "JSON file", "scorecard line")
_CRITERIA = (
    "at least one panelist answered",
    "the conclusion has every section",
    "no prompt was sent with an unfilled placeholder",
)
_RISKS = ("a model may be wrong, slow or missing", "what was found on the web may be untrue")


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
    """The spec that a parsed request stands for."""
    flags = {"quick": request.quick, "validate": request.validate, "search": request.search}
    validated = ("the panelists found themselves represented",) if request.validate else ()
    inputs = ("the topic", *(("an earlier conclusion",) if request.context_from else ()))
    return Spec(
        goal=GOAL if request.topic.strip() else "",
        scope_in=(f"mode {request.mode}", *(name for name, wanted in flags.items() if wanted)),
        scope_out=_BOUNDS,
        inputs=(*inputs, *(("web search",) if request.search else ())),
        outputs=_OUTPUTS,
        acceptance_criteria=(*_CRITERIA, *validated),
        risks=_RISKS,
    )


def weak_points(spec: Spec) -> tuple[str, ...]:
    """The fields without which a spec stays a draft (B12)."""
    return tuple(name for name, value in asdict(spec).items() if not value)


async def keep_spec(meeting: Meeting) -> None:
    """Record the spec once, before the run leaves its draft; a weak one goes no further."""
    spec = spec_of(stored_request(meeting.run))
    weak = weak_points(spec)
    if weak:
        raise UsageError(f"The request has no {', '.join(weak)}: ask again with a topic.")

    async def work() -> Spec:
        return spec

    def record(_: Connection, kept: Spec) -> Mapping[str, Any]:
        return asdict(kept)

    await meeting.journal.once(EventType.SPEC_RECORDED, SPEC_KEY, work, record)
