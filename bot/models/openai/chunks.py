"""Turns the chunks of one answer into events; knows nothing of the connection they came over."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from json.scanner import make_scanner
from types import MappingProxyType
from typing import Any, Literal

from bot.models.failure_details import mapping, parse_json, text
from bot.models.failures import error_from_event, holds_error
from bot.models.openai.body import DROPPABLE
from bot.models.openai.envelope import Envelope, envelope_of
from bot.models.openai.truncation import refuse_truncated
from bot.models.openai.usage import read_usage
from bot.models.port import (
    Delta,
    ErrorKind,
    Finished,
    ModelError,
    ModelEvent,
    Prompt,
    Started,
    Usage,
)
from bot.models.surrogates import SurrogateJoiner
from bot.words import model_errors as words

DONE = "[DONE]"
PIECE = "chat.completion.chunk"
LONGEST_MODEL_NAME = 200
ENVELOPES = 3
"""After so many different ones nobody expects that any will be seen again."""
# What the decoder itself calls; it takes a decoder as its context.
_scan = make_scanner(json.JSONDecoder())  # type: ignore[arg-type]
_SAYS_NO_MORE = frozenset({"content", "role"})
_CUT_SHORT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_DECLINED = (ErrorKind.REFUSED, words.DECLINED)
_ASKED_FOR_TOOL = (ErrorKind.BAD_OUTPUT, words.ASKED_FOR_TOOL)
_BROKE_OFF = (ErrorKind.NETWORK, words.BROKE_OFF)
_FAILED_ENDINGS: Mapping[str, tuple[ErrorKind, str]] = MappingProxyType(
    {
        "content_filter": _DECLINED,
        "refusal": _DECLINED,
        "safety": _DECLINED,
        "tool_calls": _ASKED_FOR_TOOL,
        "function_call": _ASKED_FOR_TOOL,
        "error": _BROKE_OFF,
        "abort": _BROKE_OFF,
        "insufficient_system_resource": (ErrorKind.OVERLOADED, words.OVERLOADED),
    }
)


class ChunkReader:
    """Reads one answer chunk by chunk; raises ModelError when the answer has failed.

    With a `prompt` the server is suspected of reading only a part of it.
    """

    def __init__(
        self, asked_model: str, secrets: Collection[str] = (), prompt: Prompt | None = None
    ) -> None:
        self._asked_model = asked_model
        self._prompt = prompt
        self._secrets = secrets
        self._started = False
        self._done = False
        self._written = False
        self._reason: Literal["stop", "length"] | None = None
        self._usage: Usage | None = None
        self._joiner = SurrogateJoiner()
        self._envelope: Envelope | None = None
        self._envelopes = 0
        self.lively = False
        """Whether the last chunk held anything the model wrote, thoughts included."""

    @property
    def whole(self) -> bool:
        """Whether the model has finished; only usage and the end mark may still follow."""
        return self._reason is not None

    def read(self, arrivals: Iterable[tuple[str, str]]) -> Iterator[ModelEvent]:
        """Read the data and the kinds of server-sent events."""
        self.lively = False
        pieces: list[str] = []
        for sent, kind in arrivals:
            if self._done:
                break
            plain = self._started and kind == "message"
            if plain and self._envelope and (piece := self._envelope.text_in(sent)):
                pieces.append(piece)
                continue
            data = sent.strip()
            if not data:
                continue
            if data == DONE:
                self._done = True
                break
            parsed = _parsed(data)
            if plain and (piece := _only_text(parsed)):
                pieces.append(piece)
                self._learn_envelope(data)
                continue
            yield from self._heard(pieces)
            yield from self._read_chunk(parsed, is_error=kind == "error")
        yield from self._heard(pieces)

    def read_whole(self, body: bytes) -> Iterator[ModelEvent]:
        """Read an answer that came as one JSON object instead of a stream."""
        yield from self._read_chunk(parse_json(body), is_error=False)
        self._reason = self._reason or "stop"

    def finish(self) -> Iterator[ModelEvent]:
        """Say how the answer ended, now that nothing more will come."""
        if self._reason is None:
            raise ModelError(*_BROKE_OFF)
        yield from self._said(self._joiner.rest())
        if self._usage:
            yield self._usage
        if self._prompt:
            refuse_truncated(self._usage, self._prompt)
        if not self._written:
            raise ModelError(ErrorKind.BAD_OUTPUT, self._empty())
        yield Finished(self._reason)

    def _read_chunk(self, parsed: object, is_error: bool) -> list[ModelEvent]:
        if is_error or holds_error(parsed):
            raise error_from_event(parsed, DROPPABLE, self._secrets)
        if not isinstance(parsed, dict):
            raise ModelError(ErrorKind.NETWORK, words.UNREADABLE)
        choice = _first_choice(parsed)
        if choice.get("error"):
            raise error_from_event(choice, DROPPABLE, self._secrets)
        if usage := parsed.get("usage"):
            self._usage = read_usage(usage) or self._usage
        if self._started:
            return self._read_choice(choice)
        return self._start(parsed) + self._read_choice(choice)

    def _start(self, chunk: Mapping[str, Any]) -> list[ModelEvent]:
        """Name the model once; a first chunk without choices may leave the name to the next."""
        name = " ".join(text(chunk.get("model")).split())[:LONGEST_MODEL_NAME]
        self._started = bool(name or chunk.get("choices"))
        return [Started(name or self._asked_model)] if self._started else []

    def _read_choice(self, choice: Mapping[str, Any]) -> list[ModelEvent]:
        part = mapping(choice.get("delta")) or mapping(choice.get("message"))
        if text(part.get("refusal")):
            raise ModelError(*_DECLINED)
        written = _content(part.get("content"))
        if written or text(part.get("reasoning")) or text(part.get("reasoning_content")):
            self.lively = True
        if reason := text(choice.get("finish_reason")):
            self._end(reason.casefold())
        return self._said(self._joiner.join(written)) if written else []

    def _learn_envelope(self, data: str) -> None:
        """Remember what surrounds the text of this chunk, if that is what holds it."""
        if self._envelopes < ENVELOPES:
            self._envelopes += 1
            found = envelope_of(data)
            probe = f"{found.before}x{found.after}" if found else ""
            self._envelope = found if _only_text(_parsed(probe)) == "x" else None

    def _heard(self, pieces: list[str]) -> list[ModelEvent]:
        """Take the pieces of text that followed each other, and keep none."""
        if not pieces:
            return []
        self.lively = True
        heard = "".join(pieces)
        pieces.clear()
        return self._said(self._joiner.join(heard))

    def _said(self, piece: str) -> list[ModelEvent]:
        if not piece:
            return []
        self._written = self._written or bool(piece.strip())
        return [Delta(piece)]

    def _end(self, reason: str) -> None:
        failed = _FAILED_ENDINGS.get(reason)
        if failed:
            raise ModelError(*failed)
        self._reason = "length" if reason in _CUT_SHORT else "stop"

    def _empty(self) -> str:
        return words.NO_ROOM_LEFT if self._reason == "length" else words.NOTHING_SAID


def _parsed(data: str) -> object:
    """Parse JSON with nothing around it: anything unreadable gives None."""
    try:
        parsed, end = _scan(data, 0)
    except (ValueError, RecursionError, StopIteration):
        return None
    return parsed if end == len(data) else None


def _only_text(chunk: Any) -> str:
    """The text of a chunk that holds nothing else to look at, as nearly every chunk does."""
    try:
        (choice,) = chunk["choices"]
        delta = choice["delta"]
        piece = delta["content"]
        told = choice.get("finish_reason") or choice.get("error") or chunk.get("usage")
    except (AttributeError, KeyError, TypeError, ValueError):
        return ""
    plain = chunk.get("object") == PIECE and "error" not in chunk and "type" not in chunk
    alone = type(piece) is str and delta.keys() <= _SAYS_NO_MORE
    return piece if plain and alone and not told else ""


def _first_choice(chunk: Mapping[str, Any]) -> Mapping[str, Any]:
    choices = chunk.get("choices")
    return mapping(choices[0]) if isinstance(choices, list) and choices else {}


def _content(value: object) -> str:
    """The text of a piece of content, which some servers send as a list of parts."""
    if isinstance(value, list):
        return "".join(text(mapping(part).get("text")) for part in value)
    return text(value)
