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
from bot.words import request_spec as words
from bot.words.admission import incomplete

SPEC_KEY = "spec"


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
    validated = (words.REPRESENTED,) if request.validate else ()
    inputs = (words.TOPIC, *((words.EARLIER_CONCLUSION,) if request.context_from else ()))
    return Spec(
        goal=words.GOAL if request.topic.strip() else "",
        scope_in=(words.in_mode(request.mode), *(name for name, wanted in flags.items() if wanted)),
        scope_out=words.BOUNDS,
        inputs=(*inputs, *((words.WEB_SEARCH,) if request.search else ())),
        outputs=words.OUTPUTS,
        acceptance_criteria=(*words.CRITERIA, *validated),
        risks=words.RISKS,
    )


def weak_points(spec: Spec) -> tuple[str, ...]:
    """The fields without which a spec stays a draft (B12)."""
    return tuple(name for name, value in asdict(spec).items() if not value)


async def keep_spec(meeting: Meeting) -> None:
    """Record the spec once, before the run leaves its draft; a weak one goes no further."""
    spec = spec_of(stored_request(meeting.run))
    weak = weak_points(spec)
    if weak:
        raise UsageError(incomplete(weak))

    async def work() -> Spec:
        return spec

    def record(_: Connection, kept: Spec) -> Mapping[str, Any]:
        return asdict(kept)

    await meeting.journal.once(EventType.SPEC_RECORDED, SPEC_KEY, work, record)
