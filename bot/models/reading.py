"""Reading one answer, whatever its wire format: who speaks, what is said, how it ends."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal

from bot.models.failure_details import parse_json
from bot.models.failures import Parameters, error_from_event, holds_error
from bot.models.port import Delta, ErrorKind, Finished, ModelError, ModelEvent, Started, Usage
from bot.models.surrogates import SurrogateJoiner
from bot.words import model_errors as words

LONGEST_MODEL_NAME: Final = 200
DONE: Final = "[DONE]"
"""OpenAI's end mark, which routers add to other formats, too."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An ending that is no answer."""

    kind: ErrorKind
    text: str


Ending = Literal["stop", "length"] | Failure

DECLINED: Final = Failure(ErrorKind.REFUSED, words.DECLINED)
ASKED_FOR_TOOL: Final = Failure(ErrorKind.BAD_OUTPUT, words.ASKED_FOR_TOOL)
BROKE_OFF: Final = Failure(ErrorKind.NETWORK, words.BROKE_OFF)
UNREADABLE: Final = Failure(ErrorKind.NETWORK, words.UNREADABLE)
NOTHING: Final = Failure(ErrorKind.BAD_OUTPUT, words.NOTHING_SAID)
NO_ROOM: Final = Failure(ErrorKind.BAD_OUTPUT, words.NO_ROOM_LEFT)


class AnswerReader(ABC):
    """Reads one answer event by event; raises ModelError when the answer has failed.

    A subclass says what an event of its wire format holds; an ending is only told in `finish`, so
    that what the call used is told before a failure.
    """

    droppable: ClassVar[Parameters]

    def __init__(self, asked_model: str, secrets: Collection[str] = ()) -> None:
        self._asked_model = asked_model
        self._secrets = secrets
        self._started = False
        self._written = False
        self._ending: Ending | None = None
        self._usage: Usage | None = None
        self._joiner = SurrogateJoiner()
        self._done = False
        self.lively = False
        """Whether the last event held anything the model wrote, thoughts included."""

    @property
    def whole(self) -> bool:
        """Whether the model has finished; only usage and the end mark may still follow."""
        return self._ending is not None

    def read(self, data: str, kind: str) -> Iterator[ModelEvent]:
        """Read the data and the kind of one server-sent event."""
        self.lively = False
        data = data.strip()
        self._done = self._done or data == DONE
        if data and not self._done:
            yield from self._take(self._checked(parse_json(data), kind), kind)

    def read_whole(self, body: bytes) -> Iterator[ModelEvent]:
        """Read an answer that came as one JSON object instead of a stream."""
        yield from self._take_whole(self._checked(parse_json(body), "message"))
        self._ending = self._ending or "stop"

    def finish(self) -> Iterator[ModelEvent]:
        """Say how the answer ended, now that nothing more will come."""
        ending = self._ending or BROKE_OFF
        yield from self._say(self._joiner.rest())
        if self._usage:
            yield self._usage
        if not isinstance(ending, Failure) and not self._written:
            ending = NO_ROOM if ending == "length" else NOTHING
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
            raise ModelError(UNREADABLE.kind, UNREADABLE.text)
        return parsed

    def _start(self, name: str) -> Iterator[ModelEvent]:
        """Name the model that answers, once; without a name it is the one asked."""
        if not self._started:
            self._started = True
            yield Started(" ".join(name.split())[:LONGEST_MODEL_NAME] or self._asked_model)

    def _hear(self, piece: str) -> Iterator[ModelEvent]:
        """Take a piece of the answer's text."""
        self.lively = self.lively or bool(piece)
        yield from self._say(self._joiner.join(piece))

    def _say(self, piece: str) -> Iterator[ModelEvent]:
        if piece:
            self._written = self._written or bool(piece.strip())
            yield Delta(piece)
