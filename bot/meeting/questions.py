"""A model call: its request, the results of its attempts, and what follows from them."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Connection

from bot.meeting.late_answers import LINGER_SECONDS
from bot.messages.attempts import SeatAnswerText
from bot.models.collect import Asides
from bot.money.estimate import NO_BILL, NOTHING, Amount, Bill
from bot.panels import ResolvedModel
from bot.record.answer_codec import Reading
from bot.store.repositories import answers
from bot.store.repositories.attempts import AttemptRepository
from bot.store.repositories.runs import RunRepository
from bot.store.repositories.seats import SeatRepository
from bot.store.vocabulary import CallStatus
from bot.types.mode import Mode
from bot.types.model_port import (
    Answer,
    ErrorKind,
    FailedAttempt,
    ModelError,
    ModelRequest,
    Origin,
    Prompt,
    Scope,
    Usage,
)

HARNESS = "acp"
_ON_THIS_MACHINE = frozenset({HARNESS, "local"})
"""Kinds that stop when nobody waits: going on would only keep the machine busy."""
Parse = Callable[[str], "Reading"]
Gather = Callable[[ResolvedModel], Awaitable[Mapping[str, Any]]]
OnRemark = Callable[[str, str], None]
_WORTH_ASKING: Final = 0.4
"""The share of its time that a fallback needs: half, less what noticing the stall took."""


def origin_of(
    conn: Connection, run_id: str, seat: str, provider: str, *, builds: bool = False
) -> Origin:
    """The origin of a call, with the session this provider kept for the seat (B35).

    In a build only the builder writes files, and never in a workspace of people (B10, B30).
    """
    run = RunRepository(conn).require(run_id)
    attempt = AttemptRepository(conn).last(run_id)
    row = SeatRepository(conn).get(run_id, seat) if seat else None
    owner, _, session = (row.external_session_ref or "" if row else "").partition(":")
    known = session if owner == provider else ""
    scope = Scope.OPEN
    if run.mode is Mode.BUILD:
        scope = Scope.BUILDING if builds else Scope.LOOKING
    over = run.finished_at is not None
    return Origin(run_id, attempt.id if attempt else "", seat, known, scope, over)


def keep_session(
    conn: Connection, run_id: str, seat: str, provider: str, session: str, now: float
) -> None:
    """Store the id of the provider's session with the seat."""
    SeatRepository(conn).touch(run_id, seat, now, f"{provider}:{session}")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One question to one model, under a key made of names."""

    key: str
    purpose: str
    prompt: Prompt
    seconds: float
    models: Sequence[ResolvedModel]
    seat: str = ""
    round: int = 0
    must_speak: bool = False
    """Whether an answer that says nothing, such as NO_REPLY, is a failure (2.2#50)."""
    essential: bool = False
    """Whether it ignores the budget, because money was reserved for it."""
    gather: Gather | None = None
    """Collects what the model produced besides text; such a call may produce files."""
    after_saving: Callable[[Connection], None] | None = None
    """Runs in the transaction that stores an answer, also a late one."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """The result of a call: an answer, or why there is none."""

    status: CallStatus
    model: str
    answered_model: str
    seconds: float
    problem: str = ""
    answer: answers.StoredAnswer | None = None
    remarks: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.status is CallStatus.OK


@dataclass(slots=True)
class CallAttempt:
    """One try of a call: how it ended and what it cost, as soon as that is known."""

    model: ResolvedModel
    started_at: float
    finished_at: float
    answer: Answer | None = None
    error: ModelError | None = None
    usage: Usage | None = None
    asides: Asides = field(default_factory=Asides)
    bill: Bill = NO_BILL

    @property
    def status(self) -> CallStatus:
        """How a try ended."""
        if self.error is None:
            return CallStatus.OK
        return CallStatus.TIMEOUT if self.error.kind is ErrorKind.TIMEOUT else CallStatus.FAILED


@dataclass(slots=True)
class CallAttempts:
    """The tries of one call, and what was reserved for them."""

    made: list[CallAttempt] = field(default_factory=list)
    held: Amount = NOTHING
    lingers: bool = False
    """Whether a try runs on that nobody waits for; its reservation stays."""
    refused: str = ""
    answer: answers.StoredAnswer | None = None
    recorded: Mapping[str, Any] = field(default_factory=dict)
    """What was written about the call."""

    def linger(self) -> None:
        """The caller gave up on the last attempt, which still runs to its end."""
        self.lingers = True

    @property
    def late_number(self) -> int:
        """Which try a late answer belongs to: the one given up, or one that a stop cut short."""
        last = self.made[-1].error if self.made else None
        given_up = last is not None and last.kind is ErrorKind.TIMEOUT
        return len(self.made) if given_up else len(self.made) + 1

    @property
    def charged(self) -> Amount:
        """What all tries are charged."""
        return sum((attempt.bill.charged for attempt in self.made), NOTHING)


@dataclass(frozen=True, slots=True)
class PlannedAttempt:
    """One attempt of a call: the model, and how long the caller waits."""

    ask: ModelCall
    model: ResolvedModel
    seconds: float
    parse: Parse
    started_at: float
    origin: Origin
    output_tokens: int
    first_word_seconds: float | None = None
    """How long the first word may take before the next model is asked instead."""

    def request(
        self,
        on_retry: Callable[[FailedAttempt], Awaitable[bool]],
        before_sending: Callable[[], Awaitable[None]],
    ) -> ModelRequest:
        """The request to the model's provider."""
        return ModelRequest(
            self.model.wire_model,
            self.ask.prompt,
            self.ask.key,
            self.seconds,
            self.output_tokens,
            effort=self.model.effort,
            first_word_seconds=self.first_word_seconds,
            linger_seconds=0.0 if self.model.kind in _ON_THIS_MACHINE else LINGER_SECONDS,
            origin=self.origin,
            on_retry=on_retry,
            before_sending=before_sending,
        )


def attempt_key(key: str, attempt: int) -> str:
    """The key of a question in an attempt; the first attempt's has no number."""
    return key if attempt <= 1 else f"{key}@{attempt}"


def nobody_asked(ask: ModelCall, refused: str) -> Mapping[str, Any]:
    """The result when no model could even be tried, for lack of time or money."""
    return {
        "status": CallStatus.FAILED,
        "seat": ask.seat,
        "model": ask.models[0].key if ask.models else "",
        "answered_model": "",
        "seconds": 0.0,
        "problem": SeatAnswerText.over_budget(refused) if refused else SeatAnswerText.NOT_IN_TIME,
    }


def problem_of(attempt: CallAttempt, ask: ModelCall) -> str:
    """Why a try gave no answer, in words for people; empty when it did."""
    if attempt.error is None:
        return ""
    if attempt.error.kind is ErrorKind.TIMEOUT:
        return SeatAnswerText.timed_out(ask.seconds)
    return SeatAnswerText.failed(attempt.error.kind, str(attempt.error))


def answer_of(
    run_id: str,
    ask: ModelCall,
    tries: Sequence[CallAttempt],
    parse: Parse,
    gathered: Mapping[str, Any] = MappingProxyType({}),
) -> answers.StoredAnswer | None:
    """The answer of the last try, read; None if there is none."""
    last = tries[-1] if tries else None
    if last is None or last.answer is None or last.error is not None:
        return None
    reading = parse(last.answer.text)
    return answers.StoredAnswer(
        run_id=run_id,
        key=ask.key,
        seat=ask.seat,
        round=ask.round,
        text=last.answer.text,
        digest=reading.digest,
        stance=reading.stance,
        parsed={**reading.parsed, **gathered},
        late=False,
        created_at=last.finished_at,
    )


def result_of(payload: Mapping[str, Any], answer: answers.StoredAnswer | None) -> CallResult:
    """What is recorded about a question, as its caller gets it."""
    return CallResult(
        status=CallStatus(payload["status"]),
        model=payload["model"],
        answered_model=payload["answered_model"],
        seconds=payload["seconds"],
        problem=payload["problem"],
        answer=answer,
        remarks=tuple(payload.get("remarks", ())),
    )


def first_word_seconds(
    model: ResolvedModel, ask: ModelCall, left: float, whole: float
) -> float | None:
    """How long a model may take for its first word; None where its server decides.

    Without a next model it may think until its deadline. A server on this machine may have to load
    the model first.
    """
    if model.kind in _ON_THIS_MACHINE or whole > ask.seconds:
        return None
    is_last = model == ask.models[-1]
    return left + LINGER_SECONDS if is_last else min(left, whole / 2)


def may_ask_next(error: ModelError, deadline: float, whole: float) -> bool:
    """Whether the next model may be asked: after an error, and after a stall with time left."""
    if error.kind is not ErrorKind.TIMEOUT:
        return True
    return error.stalled and deadline - time.monotonic() >= _WORTH_ASKING * whole
