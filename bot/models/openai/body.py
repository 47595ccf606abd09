"""Builds the request: only what somebody set, and nothing a model is known to reject."""

import re
from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from bot.models.caching import pieces
from bot.models.openai.vendors import COMPATIBLE, Vendor
from bot.models.port import Message, ModelRequest
from bot.models.surrogates import sendable
from bot.panels.sections import Effort

# `provider` is missing on purpose: a privacy wish is not given up because a server dislikes it.
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
CLAUDE = "anthropic/"
LIMITS = ("max_completion_tokens", "max_tokens")
"""The two names of the output limit; a server that rejects one may want the other."""
COMMAND_GUARD = "[message]: "
_COMMAND = re.compile(r"[\s\ufeff]*/")


def request_body(
    request: ModelRequest,
    deny_data_collection: bool,
    without: Collection[str] = (),
    vendor: Vendor = COMPATIBLE,
) -> dict[str, Any]:
    """The JSON body of one call, as the vendor wants it."""
    claude = vendor.routes and request.model.startswith(CLAUDE)
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
    """What this body could do without."""
    parts = DROPPABLE.keys() & body.keys()
    if any(isinstance(message["content"], list) for message in body["messages"]):
        parts.add("cache_control")
    return frozenset(parts)


def _marked(request: ModelRequest) -> list[dict[str, Any]]:
    """The messages with the beginning that other prompts share marked for Claude's cache."""
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
    """Keep a router between us and the model from taking people's text for a command of its own."""
    return f"{COMMAND_GUARD}{text}" if _COMMAND.match(text) else text
