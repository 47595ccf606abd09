"""Turns the chunks of a Gemini answer into events of the port."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from bot.models.failure_details import mapping, text
from bot.models.gemini.body import DROPPABLE
from bot.models.port import ErrorKind, ModelEvent, Usage
from bot.models.reading import ASKED_FOR_TOOL, DECLINED, AnswerReader, Ending, Failure
from bot.models.usage import reported_usage
from bot.words import model_errors

NO_REASON: Final = frozenset({"", "FINISH_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED"})
_BROKEN: Final = Failure(ErrorKind.BAD_OUTPUT, model_errors.COULD_NOT_FINISH)
_DECLINING: Final = (
    "SAFETY RECITATION PROHIBITED_CONTENT SPII BLOCKLIST LANGUAGE MODEL_ARMOR IMAGE_SAFETY "
    "IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION"
)
_BREAKING: Final = "OTHER MALFORMED_RESPONSE IMAGE_OTHER NO_IMAGE MISSING_THOUGHT_SIGNATURE"
_TOOLS: Final = "MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS"
_ENDINGS: Mapping[str, Ending] = MappingProxyType(
    {
        **dict.fromkeys(_DECLINING.split(), DECLINED),
        **dict.fromkeys(_BREAKING.split(), _BROKEN),
        **dict.fromkeys(_TOOLS.split(), ASKED_FOR_TOOL),
        "MAX_TOKENS": "length",
        "CONTINUATION": "length",
    }
)


class ChunkReader(AnswerReader):
    """Reads one answer of generateContent."""

    droppable = DROPPABLE

    def _take(self, event: Mapping[str, Any], kind: str) -> Iterator[ModelEvent]:  # noqa: ARG002
        """Read one chunk, which is a whole answer in small; Gemini does not name its events."""
        yield from self._take_whole(event)

    def _take_whole(self, answer: Mapping[str, Any]) -> Iterator[ModelEvent]:
        self._usage = _usage(answer.get("usageMetadata")) or self._usage
        candidate = _first_candidate(answer)
        name = text(answer.get("modelVersion"))
        if name or candidate:
            yield from self._start(name)
        yield from self._parts(mapping(candidate.get("content")).get("parts"))
        self._end(text(candidate.get("finishReason")))
        if text(mapping(answer.get("promptFeedback")).get("blockReason")) not in NO_REASON:
            self._ending = DECLINED

    def _parts(self, parts: object) -> Iterator[ModelEvent]:
        """The text of the parts; thoughts are a sign of life and nothing else."""
        for part in map(mapping, parts if isinstance(parts, list) else ()):
            piece = text(part.get("text"))
            if part.get("thought"):
                self.lively = self.lively or bool(piece)
            else:
                yield from self._hear(piece)

    def _end(self, reason: str) -> None:
        if reason not in NO_REASON:
            self._ending = _ENDINGS.get(reason, "stop")


def _first_candidate(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    candidates = answer.get("candidates")
    return mapping(candidates[0]) if isinstance(candidates, list) and candidates else {}


def _usage(value: object) -> Usage | None:
    used = mapping(value)
    if not used:
        return None
    return reported_usage(
        (used.get("promptTokenCount"), used.get("toolUsePromptTokenCount")),
        (used.get("candidatesTokenCount"), used.get("thoughtsTokenCount")),
        used.get("cachedContentTokenCount"),
        reasoning=used.get("thoughtsTokenCount"),
    )
