"""Reads llama.cpp's chunks: text, what was used, how it ended, and what went wrong."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from bot.messages.models import LocalModelText
from bot.models.adapters.local.runtime import CONTEXT_TOKENS, Chunk
from bot.types.model_port import Delta, ErrorKind, Finished, ModelError, ModelEvent, Usage

_TOO_LONG: Final = "exceed_context_size_error"
_GRAMMAR: Final = "grammar"


class PromptTooLongError(Exception):
    """The prompt leaves no room for its answer; `share` is how much of it would."""

    def __init__(self, tokens: int, room: int) -> None:
        super().__init__(f"{tokens} tokens where {room} fit")
        self.share = room / max(1, tokens)


class GrammarRefusedError(Exception):
    """The runtime does not take this grammar."""


class ChunkReader:
    """Reads one answer for which `output_tokens` are kept free; raises when it has failed."""

    def __init__(self, output_tokens: int) -> None:
        self._room = CONTEXT_TOKENS - output_tokens
        self._ending: Literal["stop", "length"] | None = None
        self._usage: Usage | None = None

    def take(self, chunk: Chunk) -> Iterator[ModelEvent]:
        """Read one chunk."""
        if error := chunk.get("error"):
            raise self._failure(error)
        if progress := chunk.get("prompt_progress"):
            self._check_room(progress["total"])
        for choice in chunk.get("choices") or ():
            text = (choice.get("delta") or {}).get("content")
            if text:
                yield Delta(text)
            if reason := choice.get("finish_reason"):
                self._ending = "length" if reason == "length" else "stop"
        if usage := chunk.get("usage"):
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
            # A model in this process costs nothing, which is known, unlike a missing price.
            self._usage = Usage(usage["prompt_tokens"], usage["completion_tokens"], cached, 0.0)

    def finish(self) -> Iterator[ModelEvent]:
        """What was used and how it ended; nothing for an answer that was given up."""
        if self._usage:
            yield self._usage
        if self._ending:
            yield Finished(self._ending)

    def _check_room(self, tokens: int) -> None:
        if tokens > self._room:
            raise PromptTooLongError(tokens, self._room)

    def _failure(self, error: Mapping[str, Any]) -> Exception:
        if error.get("type") == _TOO_LONG:
            return PromptTooLongError(error["n_prompt_tokens"], self._room)
        if _GRAMMAR in str(error.get("message")):
            return GrammarRefusedError()
        return ModelError(ErrorKind.BAD_OUTPUT, LocalModelText.NO_ANSWER)
