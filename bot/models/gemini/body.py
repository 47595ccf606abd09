"""Builds the request: only what somebody set."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from bot.models.conversation import Conversation, conversation
from bot.models.port import Message, ModelRequest

# Errors are read in lower case; a name in quotes is compared as it is written.
DROPPABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
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
OUTPUT_LIMITS = frozenset({"maxOutputTokens"})
_ROLES = MappingProxyType({"user": "user", "assistant": "model"})


def request_body(request: ModelRequest, without: Collection[str] = ()) -> dict[str, Any]:
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


def optional_parts(body: Mapping[str, Any]) -> frozenset[str]:
    """What this body could do without."""
    return frozenset(DROPPABLE.keys() & {*body, *body.get("generationConfig", {})})


def _content(turn: Message) -> dict[str, Any]:
    return {"role": _ROLES[turn.voice], "parts": [{"text": turn.text}]}


def _without_system(spoken: Conversation) -> Conversation:
    """The same words for models that know no system text."""
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
