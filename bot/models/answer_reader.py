"""The base of all answer readers: model name, text, usage and end of an answer."""

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from bot.messages.models import ModelErrorText
from bot.models.conversation import sendable
from bot.models.failure_details import parse_json
from bot.models.failures import Parameters, error_from_event, holds_error
from bot.types.model_port import Delta, ErrorKind, Finished, ModelError, ModelEvent, Started, Usage

_MOST_TOKENS: Final = 10_000_000
"""More tokens than any model's context."""
_MOST_USD: Final = 1_000.0
"""More dollars than one call can cost; larger values are ignored."""
_LONGEST_MODEL_NAME: Final = 200
_DONE: Final = "[DONE]"
"""OpenAI's end marker, which routers add to other formats, too."""


def reported_usage(
    read: Sequence[object],
    written: Sequence[object],
    cached: object = None,
    cost: object = None,
    reasoning: object = None,
    kept: object = None,
) -> Usage:
    """The usage of a call from the reported figures; each part may be a sum of several.

    A missing figure means 0 tokens and an unknown cost. Impossible figures are capped, and the
    usage is marked as odd, because the record reports that.
    """
    counted = [_count(value) for value in (*read, *written, cached, kept, reasoning)]
    input_tokens = sum(number for number, _ in counted[: len(read)])
    output_tokens = sum(number for number, _ in counted[len(read) : -3])
    usd, odd_cost = _cost(cost)
    return Usage(
        input_tokens=min(input_tokens, _MOST_TOKENS),
        output_tokens=min(output_tokens, _MOST_TOKENS),
        cached_tokens=counted[-3][0],
        cost_usd=usd,
        reasoning_tokens=counted[-1][0],
        kept_tokens=counted[-2][0],
        odd=odd_cost or any(odd for _, odd in counted),
    )


def _count(value: object) -> tuple[int, bool]:
    number = _number(value)
    if number is None:
        return 0, False
    if math.isnan(number) or number < 0:
        return 0, True
    return int(min(number, _MOST_TOKENS)), number > _MOST_TOKENS


def _cost(value: object) -> tuple[float | None, bool]:
    """A number of dollars, or an object with a total; anything else is unknown, never 0."""
    number = _number(value.get("total") if isinstance(value, Mapping) else value)
    if number is None or 0 <= number <= _MOST_USD:
        return number, False
    return None, True


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None
    except OverflowError:
        return math.inf if int(value) > 0 else -math.inf


@dataclass(frozen=True, slots=True)
class Failure:
    """An end of the stream without an answer."""

    kind: ErrorKind
    text: str


Ending = Literal["stop", "length"] | Failure

DECLINED: Final = Failure(ErrorKind.REFUSED, ModelErrorText.DECLINED)
ASKED_FOR_TOOL: Final = Failure(ErrorKind.BAD_OUTPUT, ModelErrorText.ASKED_FOR_TOOL)
BROKE_OFF: Final = Failure(ErrorKind.NETWORK, ModelErrorText.BROKE_OFF)
_UNREADABLE: Final = Failure(ErrorKind.NETWORK, ModelErrorText.UNREADABLE)
_NOTHING: Final = Failure(ErrorKind.BAD_OUTPUT, ModelErrorText.NOTHING_SAID)
_NO_ROOM: Final = Failure(ErrorKind.BAD_OUTPUT, ModelErrorText.NO_ROOM_LEFT)


class AnswerReader(ABC):
    """Reads one answer event by event; raises ModelError when it failed.

    A subclass parses the events of its wire format. Errors at the end are only raised in `finish`,
    so that usage is reported before a failure.
    """

    droppable: ClassVar[Parameters]

    def __init__(self, asked_model: str, secrets: Collection[str] = ()) -> None:
        self._asked_model = asked_model
        self._secrets = secrets
        self._started = False
        self._written = False
        self._ending: Ending | None = None
        self._usage: Usage | None = None
        self._joiner = _SurrogateJoiner()
        self._done = False
        self.lively = False
        """Whether the last event held any output, thoughts included."""

    @property
    def whole(self) -> bool:
        """Whether the model has finished; only usage and the end marker may follow."""
        return self._ending is not None

    def read(self, data: str, kind: str) -> Iterator[ModelEvent]:
        """Read the data and the kind of one server-sent event."""
        self.lively = False
        data = data.strip()
        self._done = self._done or data == _DONE
        if data and not self._done:
            yield from self._take(self._checked(parse_json(data), kind), kind)

    def read_whole(self, body: bytes) -> Iterator[ModelEvent]:
        """Read an answer that came as one JSON object instead of a stream."""
        yield from self._take_whole(self._checked(parse_json(body), "message"))
        self._ending = self._ending or "stop"

    def finish(self) -> Iterator[ModelEvent]:
        """Report how the answer ended, after the last event."""
        ending = self._ending or BROKE_OFF
        yield from self._say(self._joiner.rest())
        if self._usage:
            yield self._usage
        if not isinstance(ending, Failure) and not self._written:
            ending = _NO_ROOM if ending == "length" else _NOTHING
        if isinstance(ending, Failure):
            raise ModelError(ending.kind, ending.text)
        yield Finished(ending)

    @abstractmethod
    def _take(self, event: Mapping[str, Any], kind: str) -> Iterator[ModelEvent]:
        """Read one event of the stream."""

    @abstractmethod
    def _take_whole(self, answer: Mapping[str, Any]) -> Iterator[ModelEvent]:
        """Read an answer that came as one object."""

    def _checked(self, parsed: object, kind: str) -> Mapping[str, Any]:
        if kind == "error" or holds_error(parsed):
            raise error_from_event(parsed, self.droppable, self._secrets)
        if not isinstance(parsed, Mapping):
            raise ModelError(_UNREADABLE.kind, _UNREADABLE.text)
        return parsed

    def _start(self, name: str) -> Iterator[ModelEvent]:
        """Report the model that answers, once; without a name it is the one asked for."""
        if not self._started:
            self._started = True
            yield Started(" ".join(name.split())[:_LONGEST_MODEL_NAME] or self._asked_model)

    def _hear(self, piece: str) -> Iterator[ModelEvent]:
        """Add a piece of the answer's text."""
        self.lively = self.lively or bool(piece)
        yield from self._say(self._joiner.join(piece))

    def _say(self, piece: str) -> Iterator[ModelEvent]:
        if piece:
            self._written = self._written or bool(piece.strip())
            yield Delta(piece)


class _SurrogateJoiner:
    """Joins surrogate pairs that were split between two pieces."""

    def __init__(self) -> None:
        self._held = ""

    def join(self, piece: str) -> str:
        """The text that is complete by now."""
        if not piece:
            return ""
        joined = self._held + piece
        self._held = joined[-1] if "\ud800" <= joined[-1] <= "\udbff" else ""
        return sendable(joined[: len(joined) - len(self._held)])

    def rest(self) -> str:
        """The rest at the end, with a replacement character for a missing half."""
        held, self._held = self._held, ""
        return sendable(held)
