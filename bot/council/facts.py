"""What the store holds about one run, read together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy import Connection

from bot.council.delivery.record import Delivery, read_delivery
from bot.request import Mode
from bot.store import EventType, answers, calls, designs, events, runs, seats
from bot.store.answers import StoredAnswer
from bot.store.calls import Call, Spent
from bot.store.events import Event
from bot.store.runs import Run
from bot.store.seats import Seat


@dataclass(frozen=True)
class Facts:
    """The rows of a run on one snapshot; `answers` are those of its calls, by their keys."""

    run: Run
    seats: tuple[Seat, ...]
    spent: Spent
    failed: tuple[Call, ...] = ()
    """Calls that failed, even if another model answered instead."""
    events: tuple[Event, ...] = ()
    answers: Mapping[str, StoredAnswer] = field(default_factory=dict)
    design_words: Mapping[str, Any] = field(default_factory=dict)
    delivery: Delivery | None = None
    """What a build has done so far."""

    @cached_property
    def design(self) -> Mapping[str, Any]:
        """The frozen design with its words; empty before there is one."""
        frozen = self.payload(EventType.RUN_DESIGNED, "design")
        return {} if frozen is None else {**frozen, **self.design_words}

    def of_type(self, type_: EventType) -> Sequence[Event]:
        """The events of a type, in the order they were written."""
        return self._by_type.get(type_, [])

    def payload(self, type_: EventType, key: str) -> dict[str, Any] | None:
        """What was recorded under a key, or None."""
        found = (event.payload for event in self.of_type(type_) if event.key == key)
        return next(found, None)

    @cached_property
    def _by_type(self) -> dict[EventType, list[Event]]:
        found: dict[EventType, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.type, []).append(event)
        return found


def load_facts(conn: Connection, run_id: str) -> Facts:
    """Read the facts."""
    run = runs.require(conn, run_id)
    return Facts(
        run=run,
        seats=seats.of_run(conn, run_id),
        spent=calls.spent(conn, run_id),
        failed=calls.failed(conn, run_id),
        events=events.history(conn, run_id),
        design_words=designs.of_run(conn, run_id),
        delivery=read_delivery(conn, run_id) if run.mode is Mode.BUILD else None,
        answers={answer.key: answer for answer in answers.of_calls(conn, run_id)},
    )
