"""The adapter for the native Gemini API."""

import re
from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from bot.messages.models import ModelErrorText
from bot.models.answer_reader import (
    ASKED_FOR_TOOL,
    DECLINED,
    AnswerReader,
    Ending,
    Failure,
    reported_usage,
)
from bot.models.conversation import Conversation, conversation
from bot.models.failure_details import mapping, text
from bot.models.http_adapter import HttpAdapter, Outgoing
from bot.types.model_port import ErrorKind, Message, ModelError, ModelEvent, ModelRequest, Usage

# Errors are matched in lower case; a quoted name is compared as it is written.
_DROPPABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "responseJsonSchema": (
            "response_json_schema",
            "responsejsonschema",
            "response_schema",
            "responseMimeType",
            "response_mime_type",
            "json mode",
        ),
        "systemInstruction": (
            "system_instruction",
            "systeminstruction",
            "system instruction",
            "developer instruction",
        ),
        "maxOutputTokens": ("max_output_tokens", "maxoutputtokens"),
        "thinkingConfig": (
            "thinking_config",
            "thinkingconfig",
            "thinkingLevel",
            "thinking_level",
            "thinking level",
        ),
    }
)
_OUTPUT_LIMITS = frozenset({"maxOutputTokens"})
_ROLES = MappingProxyType({"user": "user", "assistant": "model"})
_NO_REASON: Final = frozenset({"", "FINISH_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED"})
_BROKEN: Final = Failure(ErrorKind.BAD_OUTPUT, ModelErrorText.COULD_NOT_FINISH)
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
_PATH = "/v1beta"
_MODEL = re.compile(r"(?:(models|tunedModels)/)?([A-Za-z0-9][A-Za-z0-9._-]{0,127})")


def _request_body(request: ModelRequest, without: Collection[str] = ()) -> dict[str, Any]:
    """The JSON body of one call."""
    spoken = conversation(request.prompt.messages)
    if "systemInstruction" in without:
        spoken = _without_system(spoken)
    body: dict[str, Any] = {"contents": [_content(turn) for turn in spoken.turns]}
    if spoken.system:
        body["systemInstruction"] = {"parts": [{"text": spoken.system}]}
    config = _generation_config(request, without)
    if config:
        body["generationConfig"] = config
    return body


def _optional_parts(body: Mapping[str, Any]) -> frozenset[str]:
    """The optional parameters in this body."""
    return frozenset(_DROPPABLE.keys() & {*body, *body.get("generationConfig", {})})


def _content(turn: Message) -> dict[str, Any]:
    return {"role": _ROLES[turn.voice], "parts": [{"text": turn.text}]}


def _without_system(spoken: Conversation) -> Conversation:
    """The same prompt for models without a system instruction."""
    return conversation((Message("user", spoken.system), *spoken.turns))


def _generation_config(request: ModelRequest, without: Collection[str]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if request.max_output_tokens is not None and "maxOutputTokens" not in without:
        config["maxOutputTokens"] = request.max_output_tokens
    if request.json_schema is not None and "responseJsonSchema" not in without:
        config["responseMimeType"] = "application/json"
        config["responseJsonSchema"] = dict(request.json_schema)
    if request.effort is not None and "thinkingConfig" not in without:
        config["thinkingConfig"] = {"thinkingLevel": request.effort}
    return config


class _ChunkReader(AnswerReader):
    """Reads one answer of generateContent."""

    droppable = _DROPPABLE

    def _take(self, event: Mapping[str, Any], kind: str) -> Iterator[ModelEvent]:  # noqa: ARG002
        """Read one chunk, which is shaped like a whole answer; Gemini does not name its events."""
        yield from self._take_whole(event)

    def _take_whole(self, answer: Mapping[str, Any]) -> Iterator[ModelEvent]:
        self._usage = _usage(answer.get("usageMetadata")) or self._usage
        candidate = _first_candidate(answer)
        name = text(answer.get("modelVersion"))
        if name or candidate:
            yield from self._start(name)
        yield from self._parts(mapping(candidate.get("content")).get("parts"))
        self._end(text(candidate.get("finishReason")))
        if text(mapping(answer.get("promptFeedback")).get("blockReason")) not in _NO_REASON:
            self._ending = DECLINED

    def _parts(self, parts: object) -> Iterator[ModelEvent]:
        """The text of the parts; thoughts only show that the model is working."""
        for part in map(mapping, parts if isinstance(parts, list) else ()):
            piece = text(part.get("text"))
            if part.get("thought"):
                self.lively = self.lively or bool(piece)
            else:
                yield from self._hear(piece)

    def _end(self, reason: str) -> None:
        if reason not in _NO_REASON:
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


class GeminiPort(HttpAdapter):
    """Calls Gemini; the key is sent in a header, because URLs end up in logs."""

    droppable = _DROPPABLE
    output_limits = _OUTPUT_LIMITS

    def _outgoing(self, request: ModelRequest, without: Collection[str]) -> Outgoing:
        body = _request_body(request, without)
        reader = _ChunkReader(request.model, self._secrets)
        url = f"{self._base.removesuffix(_PATH)}{_PATH}/{model_path(request.model)}"
        return Outgoing(f"{url}:streamGenerateContent?alt=sse", body, reader, _optional_parts(body))

    def _credentials(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}


def model_path(model: str) -> str:
    """The model's path in the URL; a name that could change the rest of the URL is refused."""
    found = _MODEL.fullmatch(model)
    if not found:
        raise ModelError(ErrorKind.NOT_AUTHORISED, ModelErrorText.NO_GEMINI_NAME)
    return f"{found[1] or 'models'}/{found[2]}"
