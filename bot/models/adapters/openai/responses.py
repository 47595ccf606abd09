"""The Responses API: the request it wants, and how its events are read."""

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from bot.models.adapters.openai.chat import SCHEMA_NAME
from bot.models.answer_reader import (
    ASKED_FOR_TOOL,
    DECLINED,
    AnswerReader,
    Ending,
    Failure,
    reported_usage,
)
from bot.models.conversation import conversation
from bot.models.failure_details import mapping, text
from bot.models.failures import error_from_event
from bot.types.model_port import ModelEvent, ModelRequest, Usage

DROPPABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "reasoning": ("reasoning.effort", "reasoning_effort"),
        "text": ("text.format", "json_schema", "structured output"),
        "max_output_tokens": (),
        "instructions": (),
    }
)
_SHORTEST_LIMIT: Final = 16
"""The smallest limit the API accepts."""
_INCOMPLETE: Mapping[str, Ending] = MappingProxyType(
    {"max_output_tokens": "length", "max_tokens": "length", "content_filter": DECLINED}
)
_CALLS: Final = "_call"


def request_body(request: ModelRequest, without: Collection[str] = ()) -> dict[str, Any]:
    """The JSON body of one call; the provider is asked to store nothing."""
    spoken = conversation(request.prompt.messages)
    body: dict[str, Any] = {
        "model": request.model,
        "input": [{"role": turn.voice, "content": turn.text} for turn in spoken.turns],
        "stream": True,
        "store": False,
    }
    if spoken.system:
        body["instructions"] = spoken.system
    if request.max_output_tokens is not None:
        body["max_output_tokens"] = max(_SHORTEST_LIMIT, request.max_output_tokens)
    if request.effort is not None:
        body["reasoning"] = {"effort": request.effort}
    if request.json_schema is not None:
        described = {"name": SCHEMA_NAME, "strict": True, "schema": dict(request.json_schema)}
        body["text"] = {"format": {"type": "json_schema", **described}}
    if "instructions" in without and spoken.system:
        body["input"].insert(0, {"role": "developer", "content": spoken.system})
    return {name: value for name, value in body.items() if name not in without}


def optional_parts(body: Mapping[str, Any]) -> frozenset[str]:
    """The optional parameters in this body."""
    return frozenset(DROPPABLE.keys() & body.keys())


class ResponseReader(AnswerReader):
    """Reads one answer of the Responses API."""

    droppable = DROPPABLE

    def _take(self, event: Mapping[str, Any], kind: str) -> Iterator[ModelEvent]:
        match text(event.get("type")) or kind:
            case "response.created" | "response.in_progress":
                yield from self._begin(event)
            case "response.output_text.delta":
                yield from self._start("")
                yield from self._hear(text(event.get("delta")))
            case "response.refusal.delta" | "response.refusal.done":
                self._ending = DECLINED
            case "response.completed" | "response.incomplete" | "response.failed":
                yield from self._begin(event)
                self._end(mapping(event.get("response")))
            case other if other.startswith("response."):
                # Hidden reasoning and block boundaries: nothing to show, but the model is working.
                self.lively = True

    def _take_whole(self, answer: Mapping[str, Any]) -> Iterator[ModelEvent]:
        yield from self._start(text(answer.get("model")))
        for part in _parts(answer):
            if part.get("type") == "refusal":
                self._ending = DECLINED
            yield from self._hear(text(part.get("text")))
        self._end(answer)

    def _begin(self, event: Mapping[str, Any]) -> Iterator[ModelEvent]:
        yield from self._start(text(mapping(event.get("response")).get("model")))

    def _end(self, response: Mapping[str, Any]) -> None:
        """Read how the response ended; a refusal that came in parts stays a refusal."""
        self._usage = _usage(response.get("usage")) or self._usage
        if self._ending is not None:
            return
        status = text(response.get("status"))
        if status == "failed" or response.get("error"):
            error = error_from_event(response, self.droppable, self._secrets)
            self._ending = Failure(error.kind, str(error))
        elif status == "incomplete":
            reason = text(mapping(response.get("incomplete_details")).get("reason"))
            self._ending = _INCOMPLETE.get(reason, "length")
        elif not self._written and _asks_for_tool(response):
            self._ending = ASKED_FOR_TOOL
        else:
            self._ending = "stop"


def _items(response: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    output = response.get("output")
    return [mapping(item) for item in output] if isinstance(output, list) else []


def _parts(response: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The content parts of a response's messages; reasoning is never shown."""
    for item in _items(response):
        content = item.get("content")
        if item.get("type") == "message" and isinstance(content, list):
            yield from map(mapping, content)


def _asks_for_tool(response: Mapping[str, Any]) -> bool:
    return any(text(item.get("type")).endswith(_CALLS) for item in _items(response))


def _usage(value: object) -> Usage | None:
    used = mapping(value)
    if not used:
        return None
    read = mapping(used.get("input_tokens_details"))
    return reported_usage(
        (used.get("input_tokens"),),
        (used.get("output_tokens"),),
        read.get("cached_tokens"),
        kept=read.get("cache_write_tokens"),
        reasoning=mapping(used.get("output_tokens_details")).get("reasoning_tokens"),
    )
