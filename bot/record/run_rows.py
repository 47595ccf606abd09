"""What the store holds about one run, read together; its place and its title."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import ascii_uppercase
from typing import Any, Final

from sqlalchemy import Connection

from bot.measures.speech_order import shuffled
from bot.messages.library import LibraryText
from bot.messages.meeting import MaskText
from bot.record.build import BuildRecord, read_build
from bot.stage.cleaning import clean_text, one_line
from bot.stage.port import Place
from bot.store import ApprovalStatus, EventType, InboundKind
from bot.store.log import events
from bot.store.log.events import Event
from bot.store.repositories.answers import AnswerRepository, StoredAnswer
from bot.store.repositories.approvals import ApprovalRepository
from bot.store.repositories.calls import Call, CallRepository, Spent
from bot.store.repositories.decisions import Decision, DecisionRepository
from bot.store.repositories.inbound import InboundMessage, InboundRepository, first_id_since
from bot.store.repositories.runs import Run, RunRepository
from bot.store.repositories.seats import DesignRepository, Seat, SeatRepository
from bot.types.mode import Mode

MASK_KEY: Final = "mask"
_TITLE_LIMIT: Final = 100
"""As much as Discord shows of a suggestion; lists show less."""
_TOPIC_READ: Final = 1_000
_MARKUP: Final = str.maketrans("", "", "*_`~|")
_TALK = (InboundKind.FLOOR, InboundKind.FOLLOW_UP)
_DECISIONS: Final = {
    ApprovalStatus.REQUEST_CHANGES: "changes",
    ApprovalStatus.REJECTED: "rejection",
}


@dataclass(frozen=True)
class RunRows:
    """The rows of a run on one snapshot; `answers` are those of its calls, by their keys."""

    run: Run
    seats: tuple[Seat, ...]
    spent: Spent
    failed: tuple[Call, ...] = ()
    """Calls that failed, even if another model answered instead."""
    events: tuple[Event, ...] = ()
    answers: Mapping[str, StoredAnswer] = field(default_factory=dict)
    design_words: Mapping[str, Any] = field(default_factory=dict)
    delivery: BuildRecord | None = None
    """What a build has done so far."""
    earlier: Run | None = None
    """The run whose conclusion this one was given, unless it was forgotten."""
    decision: Decision | None = None
    """What became of it."""
    successor: Run | None = None
    """The run that superseded it, unless that was forgotten."""
    heard: tuple[InboundMessage, ...] = ()
    """What people said in the thread, in order; the text of a removed message is empty."""
    forms: tuple[tuple[str, InboundMessage], ...] = ()
    """What people wrote into forms, each with what the form was for."""

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


def load_run_rows(conn: Connection, run_id: str) -> RunRows:
    """Read the facts."""
    run = RunRepository(conn).require(run_id)
    decision = DecisionRepository(conn).get(run_id) if run.finished_at else None
    log, said = events.history(conn, run_id), InboundRepository(conn).of_run(run_id)
    return RunRows(
        run=run,
        seats=SeatRepository(conn).of_run(run_id),
        spent=CallRepository(conn).spent(run_id),
        failed=CallRepository(conn).failed(run_id),
        events=log,
        design_words=DesignRepository(conn).of_run(run_id),
        delivery=read_build(conn, run_id) if run.mode is Mode.BUILD else None,
        answers={answer.key: answer for answer in AnswerRepository(conn).of_calls(run_id)},
        earlier=_kept(conn, run.request.get("context_run")),
        decision=decision,
        successor=_kept(conn, decision.superseded_by) if decision else None,
        heard=tuple(m for m in said if m.kind in _TALK),
        forms=tuple(_forms(conn, run, log, said)),
    )


def _forms(
    conn: Connection, run: Run, log: Sequence[Event], said: Sequence[InboundMessage]
) -> Iterator[tuple[str, InboundMessage]]:
    """What is new, why something was not approved, and wishes for the spec."""
    if news := str(run.request.get("news") or ""):
        yield "news", _written(run, run.starter_id, news, run.created_at)
    if any(event.type is EventType.APPROVAL_RESOLVED for event in log):
        for asked in ApprovalRepository(conn).of_run(run.id):
            by, form = asked.resolved_by or "", _DECISIONS.get(asked.status)
            if form and by.isdigit():
                yield form, _written(run, int(by), asked.note, asked.resolved_at or 0.0)
    yield from (("spec", message) for message in said if message.kind is InboundKind.OTHER)


def _written(run: Run, author_id: int, text: str, at: float) -> InboundMessage:
    return InboundMessage(first_id_since(at), 0, run.guild_id, author_id, text, at, run_id=run.id)


def other_names(run: Run, panel: Sequence[Seat]) -> dict[str, str]:
    """Panelist A, B, C by role, assigned at random for every run."""
    dealt = shuffled((seat.role for seat in panel), run.seed, MASK_KEY)
    return {role: MaskText.other_name(ascii_uppercase[n % 26]) for n, role in enumerate(dealt)}


def _kept(conn: Connection, run_id: str | None) -> Run | None:
    found = RunRepository(conn).get(run_id) if run_id else None
    return found if found and found.topic else None


@dataclass(frozen=True, slots=True)
class PeopleCount:
    """A closed ballot of people: votes by option and how sure they were, without any names."""

    votes: tuple[int, ...]
    confidence: int | None = None
    twice: int = 0
    changed: int = 0
    kept: int = 0
    """How many people joined the record, so that their own vote is kept."""

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "PeopleCount":
        """Read a count back from its event."""
        return cls(**{**payload, "votes": tuple(payload["votes"])})

    @property
    def voters(self) -> int:
        """How many people voted."""
        return sum(self.votes)


@dataclass(frozen=True, slots=True)
class PeopleVotes:
    """Both closed ballots of people."""

    before: PeopleCount
    after: PeopleCount


def place_of(run: Run) -> Place:
    """Where a stored run lives."""
    return Place(run.guild_id, run.output_channel_id, run.thread_id, run.anchor_id)


def plain_title(topic: str) -> str:
    """The title that is stored when a roundtable is asked for, so that lists clean nothing."""
    # Without markup before and after: cleaning adds some, and must see what the rest spells.
    bare = topic[:_TOPIC_READ].translate(_MARKUP)
    return one_line(clean_text(bare).translate(_MARKUP), _TITLE_LIMIT)


def title_of(run: Run, limit: int) -> str:
    """The stored title; runs from before there were titles get theirs here."""
    return one_line(run.title or plain_title(run.topic), limit) or LibraryText.FORGOTTEN
