"""Turns the events of a Messages stream into events of the port."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from bot.models.anthropic.body import DROPPABLE
from bot.models.failure_details import mapping, text
from bot.models.port import ErrorKind, ModelEvent
from bot.models.reading import ASKED_FOR_TOOL, DECLINED, AnswerReader, Ending, Failure
from bot.models.usage import reported_usage
from bot.words import model_errors

THOUGHTS = frozenset({"thinking_delta", "signature_delta"})
_COUNTED = (
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)
_ENDINGS: Mapping[str, Ending] = MappingProxyType(
    {
        "max_tokens": "length",
        "refusal": DECLINED,
        "tool_use": ASKED_FOR_TOOL,
        "pause_turn": ASKED_FOR_TOOL,
        "model_context_window_exceeded": Failure(
            ErrorKind.CONTEXT_EXCEEDED, model_errors.LONGER_THAN_CONTEXT
        ),
    }
)


class EventReader(AnswerReader):
    """Reads one answer of the Messages API."""

    droppable = DROPPABLE
    _counts: Mapping[str, Any] = MappingProxyType({})

    def _take(self, event: Mapping[str, Any], kind: str) -> Iterator[ModelEvent]:
        match text(event.get("type")) or kind:
            case "message_start":
                message = mapping(event.get("message"))
                self._use(message.get("usage"))
                yield from self._start(text(message.get("model")))
            case "content_block_start":
                yield from self._block(mapping(event.get("content_block")))
            case "content_block_delta":
                yield from self._delta(mapping(event.get("delta")))
            case "message_delta":
                self._use(event.get("usage"))
                self._end(text(mapping(event.get("delta")).get("stop_reason")))

    def _take_whole(self, answer: Mapping[str, Any]) -> Iterator[ModelEvent]:
        self._use(answer.get("usage"))
        yield from self._start(text(answer.get("model")))
        blocks = answer.get("content")
        for block in blocks if isinstance(blocks, list) else ():
            yield from self._block(mapping(block))
        self._end(text(answer.get("stop_reason")))

    def _block(self, block: Mapping[str, Any]) -> Iterator[ModelEvent]:
        """The beginning of a part of the answer; thoughts are never shown."""
        if block.get("type") == "text":
            yield from self._text(text(block.get("text")))
        else:
            self.lively = True

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[ModelEvent]:
        if delta.get("type") == "text_delta":
            yield from self._text(text(delta.get("text")))
        elif delta.get("type") in THOUGHTS:
            self.lively = True

    def _text(self, piece: str) -> Iterator[ModelEvent]:
        yield from self._start("")
        yield from self._hear(piece)

    def _end(self, reason: str) -> None:
        if reason:
            self._ending = _ENDINGS.get(reason, "stop")

    def _use(self, usage: object) -> None:
        """Counts come at the start and, higher, at the end; a later one replaces an earlier one."""
        given = mapping(usage)
        told = {name: given[name] for name in _COUNTED if given.get(name) is not None}
        if not told:
            return
        self._counts = {**self._counts, **told}
        cached = self._counts.get("cache_read_input_tokens")
        kept = self._counts.get("cache_creation_input_tokens")
        self._usage = reported_usage(
            (self._counts.get("input_tokens"), cached, kept),
            (self._counts.get("output_tokens"),),
            cached,
        )
