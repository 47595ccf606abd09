"""The one port to language models: a request in, a stream of events or one typed error out."""

import enum
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

Effort = Literal["low", "medium", "high"]
Voice = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt as every wire format knows it."""

    voice: Voice
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """A rendered prompt together with what it was rendered from.

    Providers that speak to a model send `messages`; the rehearsal provider, which has no model,
    reads `template` and `values` instead of taking prose apart. `shared` says after how many
    characters of the last message the beginnings end that other prompts have, too.
    """

    template: str
    values: Mapping[str, str]
    messages: tuple[Message, ...]
    shared: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What the call used; `cost_usd` is None, never 0, when the provider did not say.

    `input_tokens` holds `cached_tokens`, which were read from the provider's cache, and
    `kept_tokens`, which were put into it; `output_tokens` holds `reasoning_tokens`, which were
    paid and never shown.
    """

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    cost_usd: float | None = None
    reasoning_tokens: int = 0
    kept_tokens: int = 0
    odd: bool = field(default=False, compare=False)
    """Whether the provider reported figures that no call can have; they were capped."""


class ErrorKind(enum.StrEnum):
    """Why a call failed; each kind has one retry rule."""

    RATE_LIMITED = "rate limited"
    OUT_OF_MONEY = "out of money"
    OVERLOADED = "overloaded"
    NETWORK = "network"
    TIMEOUT = "timeout"
    CONTEXT_EXCEEDED = "context exceeded"
    UNSUPPORTED_PARAMETER = "unsupported parameter"
    REFUSED = "refused"
    NOT_AUTHORISED = "not authorised"
    BAD_OUTPUT = "bad output"


class Scope(enum.StrEnum):
    """What a harness may do with files in a call; models have none."""

    OPEN = "open"
    """It may read what panels.json allows, in the operator's folder or else in the run's own."""
    LOOKING = "looking"
    """It sits in the run's own folder and may read there and in the operator's."""
    BUILDING = "building"
    """As when looking, and what it writes into the run's folder is what it built."""


@dataclass(frozen=True, slots=True)
class Origin:
    """For whom a call is made; external harnesses are told, models are not (B35).

    `session` is the harness's own name of the seat's earlier session, a hint and no truth (B36).
    """

    run_id: str
    attempt_id: str = ""
    seat: str = ""
    session: str = ""
    scope: Scope = Scope.OPEN
    over: bool = False
    """Whether the run has ended, so that nothing of the call's folder is needed afterwards."""
    label: str = ""
    """What the session is called in logs and files, such as `rt-advocate` (E60)."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call: which model (the provider's own id), what to say, and the limits.

    `linger_seconds` is how long past the deadline a call that was sent may still be heard.
    Time in an adapter's own queue, which it tells by `Queued`, does not count to the deadline.
    """

    model: str
    prompt: Prompt
    label: str
    deadline_seconds: float
    max_output_tokens: int | None = None
    effort: Effort | None = None
    first_word_seconds: float | None = None
    """How long the model may be silent before its first word; None leaves that to the adapter."""
    json_schema: Mapping[str, object] | None = None
    linger_seconds: float = 0.0
    origin: Origin | None = None
    on_retry: "Callable[[FailedAttempt], Awaitable[bool]] | None" = field(
        default=None, compare=False
    )
    """Hears of each try that failed and may be repeated, and says whether it is."""
    before_sending: "Callable[[], Awaitable[None]] | None" = field(default=None, compare=False)
    """Awaited right before anything goes out; raises when the call may not be made any more."""


@dataclass(frozen=True, slots=True)
class Started:
    """The provider accepted the call; `model` is the one that really answers."""

    model: str


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is whole; a stream that ends without this event has failed."""

    reason: Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Queued:
    """The call waits in line behind so many; 0 means that its turn, and its time, begins now."""

    ahead: int


@dataclass(frozen=True, slots=True)
class Activity:
    """What the harness is busy with now, in a few words for the card."""

    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the record must say about the call, such as a request that was denied."""

    text: str


@dataclass(frozen=True, slots=True)
class SessionKept:
    """Where the harness keeps its side of the conversation."""

    reference: str


Aside = Queued | Activity | Remark | SessionKept
"""What is told about a call beside its answer; it is passed on at once and undoes no retry."""

ModelEvent = Started | Delta | Usage | Finished | Aside


class ModelError(Exception):
    """A call failed for a known reason; the text names no key and no URL.

    `retry_after` is what the server asked for in seconds, however long; `parameter` names the
    request parameter the model does not take, if it is one the adapter can leave out. `usage` is
    what the call used all the same, if the provider said so before it failed; `chars_written` is
    how much of an answer had come by then, which a provider bills whether we keep it or not.
    """

    usage: Usage | None = None
    chars_written: int = 0
    stalled: bool = False
    """Whether time was left and no first word had come, so that another model may be asked."""

    def __init__(
        self,
        kind: ErrorKind,
        text: str,
        retry_after: float | None = None,
        parameter: str | None = None,
    ) -> None:
        super().__init__(text)
        self.kind = kind
        self.retry_after = retry_after
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """A try that failed and is repeated, for the ledger: a retry may cost money, too."""

    number: int
    error: ModelError
    seconds: float
    usage: Usage | None
    wait: float


class ModelPort(Protocol):
    """What a provider adapter offers."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one answer; raises ModelError."""
        ...

    async def close(self) -> None:
        """Release what the adapter holds."""
        ...


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, collected from the stream."""

    text: str
    model: str
    usage: Usage | None
    seconds: float
    cut_short: bool = field(default=False)
