"""A model call: its request, the results of its attempts, and what follows from them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from bot.council.late import LINGER_SECONDS
from bot.council.outside_sessions import ON_THIS_MACHINE
from bot.messages.meeting import SeatAnswerText
from bot.models.collect import Asides
from bot.models.port import (
    Answer,
    ErrorKind,
    FailedAttempt,
    ModelError,
    ModelRequest,
    Origin,
    Prompt,
    Usage,
)
from bot.money.amounts import NO_BILL, NOTHING, Amount, Bill
from bot.panels import ResolvedModel
from bot.store import answers
from bot.store.vocabulary import CallStatus

Parse = Callable[[str], "Reading"]
Gather = Callable[[ResolvedModel], Awaitable[Mapping[str, Any]]]
OnRemark = Callable[[str, str], None]


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read out of an answer, as the store keeps it."""

    digest: str = ""
    stance: str = ""
    parsed: Mapping[str, Any] = field(default_factory=dict)


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
    """Whether it is asked whatever the budget says, because money was kept for it."""
    gather: Gather | None = None
    """Collects what the model produced besides text; such a call may produce files."""


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
    """One try of a question: how it ended and what it cost, as soon as that is known."""

    model: ResolvedModel
    started_at: float
    finished_at: float
    answer: Answer | None = None
    error: ModelError | None = None
    usage: Usage | None = None
    asides: Asides = field(default_factory=Asides)
    bill: Bill = NO_BILL


@dataclass(slots=True)
class CallAttempts:
    """What was tried for one question, and what was held for it meanwhile."""

    made: list[CallAttempt] = field(default_factory=list)
    held: Amount = NOTHING
    lingers: bool = False
    """Whether a try goes on that nobody waits for any more; what is held stays held for it."""
    refused: str = ""
    answer: answers.StoredAnswer | None = None

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
        """What all tries count against the budget."""
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

    def request(self, on_retry: Callable[[FailedAttempt], Awaitable[bool]]) -> ModelRequest:
        """The request to the model's provider."""
        return ModelRequest(
            self.model.wire_model,
            self.ask.prompt,
            self.ask.key,
            self.seconds,
            self.output_tokens,
            effort=self.model.effort,
            first_word_seconds=self.first_word_seconds,
            linger_seconds=0.0 if self.model.kind in ON_THIS_MACHINE else LINGER_SECONDS,
            origin=self.origin,
            on_retry=on_retry,
        )


def attempt_key(key: str, attempt: int) -> str:
    """The key of a question in an attempt; the first attempt's has no number."""
    return key if attempt <= 1 else f"{key}@{attempt}"


def status_of(attempt: CallAttempt) -> CallStatus:
    """How a try ended."""
    if attempt.error is None:
        return CallStatus.OK
    return CallStatus.TIMEOUT if attempt.error.kind is ErrorKind.TIMEOUT else CallStatus.FAILED


def nobody_asked(ask: ModelCall, refused: str) -> Mapping[str, Any]:
    """The outcome when no model could even be tried, for lack of time or of money."""
    return {
        "status": CallStatus.FAILED,
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
