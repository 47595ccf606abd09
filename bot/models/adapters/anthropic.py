"""The adapter for servers that speak the Anthropic Messages API."""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from bot.messages.models import ModelErrorText
from bot.models.answer_reader import (
    ASKED_FOR_TOOL,
    DECLINED,
    AnswerReader,
    Ending,
    Failure,
    reported_usage,
)
from bot.models.conversation import (
    CHARS_PER_TOKEN,
    Conversation,
    Piece,
    conversation,
    pieces,
    shortest_cached,
)
from bot.models.failure_details import mapping, text
from bot.models.http_adapter import HttpAdapter, Outgoing
from bot.types.model_port import ErrorKind, ModelEvent, ModelRequest

_DROPPABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "effort": ("output_config.effort", "effort parameter"),
        "output_config": ("output_format", "json_schema", "structured output"),
        "cache_control": ("prompt caching",),
        "max_tokens": (),
    }
)
_OUTPUT_LIMITS = frozenset({"max_tokens"})
_DEFAULT_MAX_TOKENS = 8192
"""The default output limit: several times the longest expected answer; every model allows it."""
_THOUGHTS = frozenset({"thinking_delta", "signature_delta"})
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
            ErrorKind.CONTEXT_EXCEEDED, ModelErrorText.LONGER_THAN_CONTEXT
        ),
    }
)
_API_VERSION = "2023-06-01"
_PATH = "/v1"


def _request_body(request: ModelRequest, without: Collection[str] = ()) -> dict[str, Any]:
    """The JSON body of one call."""
    spoken = conversation(request.prompt.messages)
    cached = "cache_control" not in without
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": _limit(request, without),
        "messages": _turns(request, spoken, cached),
        "stream": True,
    }
    if spoken.system:
        body["system"] = _system(request.model, spoken.system, cached)
    config = _output_config(request, without)
    if config:
        body["output_config"] = config
    return body


def _optional_parts(body: Mapping[str, Any]) -> frozenset[str]:
    """The optional parameters in this body."""
    config = body.get("output_config", {})
    parts = {"effort"} & config.keys()
    if "format" in config:
        parts.add("output_config")
    if body["max_tokens"] > _DEFAULT_MAX_TOKENS:
        parts.add("max_tokens")
    contents = [body.get("system"), *(turn["content"] for turn in body["messages"])]
    if any(isinstance(content, list) for content in contents):
        parts.add("cache_control")
    return frozenset(parts)


def _limit(request: ModelRequest, without: Collection[str]) -> int:
    """The output limit, which the API requires; lower for models that do not allow so much."""
    wanted = request.max_output_tokens or _DEFAULT_MAX_TOKENS
    return min(wanted, _DEFAULT_MAX_TOKENS) if "max_tokens" in without else wanted


def _output_config(request: ModelRequest, without: Collection[str]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if request.effort is not None and "effort" not in without:
        config["effort"] = request.effort
    if request.json_schema is not None and "output_config" not in without:
        config["format"] = {"type": "json_schema", "schema": dict(request.json_schema)}
    return config


def _turns(request: ModelRequest, spoken: Conversation, cached: bool) -> list[dict[str, Any]]:
    """The turns; the prefix shared with other prompts is marked for the cache."""
    turns = [{"role": turn.voice, "content": turn.text} for turn in spoken.turns]
    if cached and len(turns) == 1:
        cut = pieces(request.prompt, spoken.system, spoken.turns[0].text, request.model)
        if len(cut) > 1:
            return [{"role": "user", "content": [piece.block() for piece in cut]}]
    return turns


def _system(model: str, text: str, cached: bool) -> str | list[dict[str, Any]]:
    worth = len(text.encode()) >= shortest_cached(model) * CHARS_PER_TOKEN
    return [Piece(text, True).block()] if cached and worth else text


class _EventReader(AnswerReader):
    """Reads one answer of the Messages API."""

    droppable = _DROPPABLE
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
        """The start of a content block; thinking is never shown."""
        if block.get("type") == "text":
            yield from self._text(text(block.get("text")))
        else:
            self.lively = True

    def _delta(self, delta: Mapping[str, Any]) -> Iterator[ModelEvent]:
        if delta.get("type") == "text_delta":
            yield from self._text(text(delta.get("text")))
        elif delta.get("type") in _THOUGHTS:
            self.lively = True

    def _text(self, piece: str) -> Iterator[ModelEvent]:
        yield from self._start("")
        yield from self._hear(piece)

    def _end(self, reason: str) -> None:
        if reason:
            self._ending = _ENDINGS.get(reason, "stop")

    def _use(self, usage: object) -> None:
        """Read usage; the final counts replace those of the first event."""
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
            kept=kept,
        )


class AnthropicPort(HttpAdapter):
    """Calls Claude, or any server with an Anthropic-compatible `/v1/messages`."""

    droppable = _DROPPABLE
    output_limits = _OUTPUT_LIMITS

    def _outgoing(self, request: ModelRequest, without: Collection[str]) -> Outgoing:
        body = _request_body(request, without)
        reader = _EventReader(request.model, self._secrets)
        url = f"{self._base.removesuffix(_PATH)}{_PATH}/messages"
        return Outgoing(url, body, reader, _optional_parts(body))

    def _headers(self) -> dict[str, str]:
        return {**super()._headers(), "anthropic-version": _API_VERSION}

    def _credentials(self, key: str) -> Mapping[str, str]:
        return {"x-api-key": key}
