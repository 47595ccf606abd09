"""Chat completions: the request, the chunks, and detection of prompts a server truncated."""

import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from bot.messages.models import ModelErrorText
from bot.models.adapters.openai.vendors import COMPATIBLE, Vendor
from bot.models.answer_reader import (
    ASKED_FOR_TOOL,
    BROKE_OFF,
    DECLINED,
    AnswerReader,
    Ending,
    Failure,
    reported_usage,
)
from bot.models.conversation import pieces, sendable
from bot.models.failure_details import mapping, text
from bot.models.failures import error_from_event
from bot.types.model_port import Effort, ErrorKind, Message, ModelEvent, ModelRequest, Prompt, Usage

# `provider` is not optional: a privacy setting is not dropped because a server rejects it.
DROPPABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "stream_options": ("include_usage",),
        "max_completion_tokens": (),
        "max_tokens": (),
        "reasoning_effort": ("reasoning effort", "reasoningeffort"),
        "reasoning": ("reasoning.effort",),
        "response_format": ("json_schema", "structured output"),
        "cache_control": ("prompt caching",),
    }
)
SCHEMA_NAME = "answer"
_CLAUDE = "anthropic/"
LIMITS = ("max_completion_tokens", "max_tokens")
"""The two names of the output limit; a server that rejects one may want the other."""
_COMMAND_GUARD = "[message]: "
_COMMAND = re.compile(r"[\s\ufeff]*/")
_MOST_CHARS_PER_TOKEN: Final = 5.5
"""No ordinary text has more characters per token, in any language."""
_SHORTEST_CONTEXT: Final = 1000
"""Prompts below this are not checked: no server is set up to read less."""
_RUN: Final = re.compile(r"(\W)\1+|\s+")
_ENDINGS: Mapping[str, Ending] = MappingProxyType(
    {
        **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), "length"),
        **dict.fromkeys(("content_filter", "refusal", "safety"), DECLINED),
        **dict.fromkeys(("tool_calls", "function_call"), ASKED_FOR_TOOL),
        **dict.fromkeys(("error", "abort"), BROKE_OFF),
        "insufficient_system_resource": Failure(ErrorKind.OVERLOADED, ModelErrorText.OVERLOADED),
    }
)


def request_body(
    request: ModelRequest,
    deny_data_collection: bool,
    without: Collection[str] = (),
    vendor: Vendor = COMPATIBLE,
) -> dict[str, Any]:
    """The JSON body of one call, as the vendor wants it."""
    claude = vendor.routes and request.model.startswith(_CLAUDE)
    marked = claude and "cache_control" not in without
    body: dict[str, Any] = {
        "model": request.model,
        "messages": _marked(request) if marked else _messages(request.prompt.messages),
        "stream": True,
    }
    if vendor.asks_for_usage:
        body["stream_options"] = {"include_usage": True}
    if request.max_output_tokens is not None and (limit := _limit(vendor, without)):
        body[limit] = request.max_output_tokens
    if request.effort is not None:
        body |= _effort(request.effort, vendor)
    if request.json_schema is not None:
        body["response_format"] = _response_format(request.json_schema)
    if deny_data_collection:
        body["provider"] = {"data_collection": "deny"}
    return {name: value for name, value in body.items() if name not in without}


def _limit(vendor: Vendor, without: Collection[str]) -> str | None:
    names = (vendor.limit, *LIMITS)
    return next((name for name in names if name not in without), None)


def _effort(effort: Effort, vendor: Vendor) -> dict[str, Any]:
    match vendor.effort:
        case "flat":
            return {"reasoning_effort": effort}
        case "nested":
            return {"reasoning": {"effort": effort}}
        case None:
            return {}


def _response_format(schema: Mapping[str, object]) -> dict[str, Any]:
    described = {"name": SCHEMA_NAME, "strict": True, "schema": dict(schema)}
    return {"type": "json_schema", "json_schema": described}


def optional_parts(body: Mapping[str, Any]) -> frozenset[str]:
    """The optional parameters in this body."""
    parts = DROPPABLE.keys() & body.keys()
    if any(isinstance(message["content"], list) for message in body["messages"]):
        parts.add("cache_control")
    return frozenset(parts)


def _marked(request: ModelRequest) -> list[dict[str, Any]]:
    """The messages with the prefix shared by other prompts marked for Claude's cache."""
    wire: list[dict[str, Any]] = [*_messages(request.prompt.messages)]
    for message in wire:
        message["content"] = sendable(message["content"])
    system = "".join(message["content"] for message in wire[:-1])
    cut = pieces(request.prompt, system, wire[-1]["content"], request.model) if wire else ()
    if len(cut) > 1:
        wire[-1]["content"] = [piece.block() for piece in cut]
    return wire


def _messages(messages: tuple[Message, ...]) -> list[dict[str, str]]:
    wire = [{"role": message.voice, "content": message.text} for message in messages]
    for message in reversed(wire):
        if message["role"] == "user":
            message["content"] = _guarded(message["content"])
            break
    return wire


def _guarded(text: str) -> str:
    """Keep a router between us and the model from reading people's text as its own command."""
    return f"{_COMMAND_GUARD}{text}" if _COMMAND.match(text) else text


def _read_usage(value: object) -> Usage | None:
    """The usage of a chunk, or None where there is none."""
    usage = mapping(value)
    if not usage:
        return None
    details = mapping(usage.get("prompt_tokens_details"))
    written = mapping(usage.get("completion_tokens_details"))
    return reported_usage(
        (usage.get("prompt_tokens"),),
        (usage.get("completion_tokens"),),
        _cached(usage, details),
        usage.get("cost"),
        written.get("reasoning_tokens"),
        details.get("cache_write_tokens"),
    )


def _cached(usage: Mapping[str, Any], details: Mapping[str, Any]) -> object:
    """What came from a cache, in OpenAI's words, in DeepSeek's or in Moonshot's."""
    said = (
        details.get("cached_tokens"),
        usage.get("prompt_cache_hit_tokens"),
        usage.get("cached_tokens"),
    )
    return next((count for count in said if count is not None), None)


def least_tokens(prompt: Prompt) -> int:
    """A lower bound of the tokens in a prompt; repeated characters may be one token."""
    signs = sum(len(_RUN.sub(" ", message.text)) for message in prompt.messages)
    return int(signs / _MOST_CHARS_PER_TOKEN)


def _truncated(usage: Usage | None, prompt: Prompt) -> Failure | None:
    """The error for a server that read less than the whole prompt."""
    if usage is None or usage.input_tokens < _SHORTEST_CONTEXT:
        return None
    length = sum(len(message.text) for message in prompt.messages)
    if usage.input_tokens >= length / _MOST_CHARS_PER_TOKEN:
        return None
    if usage.input_tokens >= least_tokens(prompt):
        return None
    text = ModelErrorText.read_only_a_part(usage.input_tokens)
    return Failure(ErrorKind.CONTEXT_EXCEEDED, text)


class ChunkReader(AnswerReader):
    """Reads one answer of chat completions.

    With a `prompt` the reported usage is checked for a truncated prompt.
    """

    droppable = DROPPABLE

    def __init__(
        self, asked_model: str, secrets: Collection[str] = (), prompt: Prompt | None = None
    ) -> None:
        super().__init__(asked_model, secrets)
        self._prompt = prompt

    def finish(self) -> Iterator[ModelEvent]:
        """Report how the answer ended; an answer to a truncated prompt is an error."""
        if self._prompt and self._ending in ("stop", "length"):
            self._ending = _truncated(self._usage, self._prompt) or self._ending
        yield from super().finish()

    def _take(self, event: Mapping[str, Any], kind: str) -> Iterator[ModelEvent]:  # noqa: ARG002
        """Read one chunk, which has the shape of a whole answer."""
        yield from self._take_whole(event)

    def _take_whole(self, answer: Mapping[str, Any]) -> Iterator[ModelEvent]:
        choice = _first_choice(answer)
        if choice.get("error"):
            raise error_from_event(choice, self.droppable, self._secrets)
        self._usage = _read_usage(answer.get("usage")) or self._usage
        name = text(answer.get("model"))
        if name or answer.get("choices"):
            # A first chunk without choices may leave the model's name to the next.
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
