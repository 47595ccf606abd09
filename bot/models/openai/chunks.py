"""Reads the chunks of a chat completion."""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from bot.models.failure_details import mapping, text
from bot.models.failures import error_from_event
from bot.models.openai.body import DROPPABLE
from bot.models.openai.truncation import truncated
from bot.models.openai.usage import read_usage
from bot.models.port import ErrorKind, ModelEvent, Prompt
from bot.models.reading import (
    ASKED_FOR_TOOL,
    BROKE_OFF,
    DECLINED,
    AnswerReader,
    Ending,
    Failure,
)
from bot.words import model_errors as words

_ENDINGS: Mapping[str, Ending] = MappingProxyType(
    {
        **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "length"),
        **dict.fromkeys(("content_filter", "refusal", "safety"), DECLINED),
        **dict.fromkeys(("tool_calls", "function_call"), ASKED_FOR_TOOL),
        **dict.fromkeys(("error", "abort"), BROKE_OFF),
        "insufficient_system_resource": Failure(ErrorKind.OVERLOADED, words.OVERLOADED),
    }
)


class ChunkReader(AnswerReader):
    """Reads one answer of chat completions.

    With a `prompt` the server is suspected of reading only a part of it.
    """

    droppable = DROPPABLE

    def __init__(
        self, asked_model: str, secrets: Collection[str] = (), prompt: Prompt | None = None
    ) -> None:
        super().__init__(asked_model, secrets)
        self._prompt = prompt

    def finish(self) -> Iterator[ModelEvent]:
        """Say how the answer ended; one to half of a prompt is none."""
        if self._prompt and self._ending in ("stop", "length"):
            self._ending = truncated(self._usage, self._prompt) or self._ending
        yield from super().finish()

    def _take(self, event: Mapping[str, Any], kind: str) -> Iterator[ModelEvent]:  # noqa: ARG002
        """Read one chunk, which is a whole answer in small."""
        yield from self._take_whole(event)

    def _take_whole(self, answer: Mapping[str, Any]) -> Iterator[ModelEvent]:
        choice = _first_choice(answer)
        if choice.get("error"):
            raise error_from_event(choice, self.droppable, self._secrets)
        self._usage = read_usage(answer.get("usage")) or self._usage
        name = text(answer.get("model"))
        if name or answer.get("choices"):
            # A first chunk without choices may leave the name to the next.
            yield from self._start(name)
        yield from self._choice(choice)

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[ModelEvent]:
        part = mapping(choice.get("delta")) or mapping(choice.get("message"))
        if text(part.get("reasoning")) or text(part.get("reasoning_content")):
            self.lively = True
        yield from self._hear(_content(part.get("content")))
        if text(part.get("refusal")):
            self._ending = DECLINED
        reason = text(choice.get("finish_reason")).casefold()
        if reason and not isinstance(self._ending, Failure):
            self._ending = _ENDINGS.get(reason, "stop")


def _first_choice(chunk: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = chunk.get("choices")
    return mapping(choices[0]) if isinstance(choices, list) and choices else {}


def _content(value: object) -> str:
    """The text of a piece of content, which some servers send as a list of parts."""
    if isinstance(value, list):
        return "".join(text(mapping(part).get("text")) for part in value)
    return text(value)
