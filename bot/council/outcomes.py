"""The outcome of every call of a run, across its attempts."""

from typing import NamedTuple

from bot.council.facts import Facts
from bot.store import CallStatus, EventType
from bot.store.answers import StoredAnswer


class CallOutcome(NamedTuple):
    """How one question ended, whatever attempt it took."""

    key: str
    status: CallStatus
    model: str
    answered_model: str
    seconds: float
    problem: str
    answer: StoredAnswer | None
    late: bool = False


def outcomes_of(facts: Facts) -> dict[str, CallOutcome]:
    """Every question of the run under its plain key; an answer wins over failed attempts."""
    found: dict[str, CallOutcome] = {}
    late = {event.key for event in facts.of_type(EventType.CALL_LATE)}
    for event in facts.of_type(EventType.CALL_DONE):
        key = event.key.partition("@")[0]
        if key in found and found[key].answer is not None:
            continue
        payload = event.payload
        found[key] = CallOutcome(
            key=key,
            status=CallStatus(payload["status"]),
            model=payload["model"],
            answered_model=payload["answered_model"],
            seconds=payload["seconds"],
            problem=payload["problem"],
            answer=facts.answers.get(event.key),
            late=event.key in late,
        )
    return found
