"""Builds the request: only what somebody set, and what the Messages API cannot do without."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from bot.models.caching import CHARS_PER_TOKEN, Piece, pieces, shortest_cached
from bot.models.conversation import Conversation, conversation
from bot.models.port import ModelRequest

DROPPABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "effort": ("output_config.effort", "effort parameter"),
        "output_config": ("output_format", "json_schema", "structured output"),
        "cache_control": ("prompt caching",),
        "max_tokens": (),
    }
)
OUTPUT_LIMITS = frozenset({"max_tokens"})
DEFAULT_MAX_TOKENS = 8192
"""Several times the longest answer a prompt asks for, and within what every model allows."""


def request_body(request: ModelRequest, without: Collection[str] = ()) -> dict[str, Any]:
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


def optional_parts(body: Mapping[str, Any]) -> frozenset[str]:
    """What this body could do without."""
    config = body.get("output_config", {})
    parts = {"effort"} & config.keys()
    if "format" in config:
        parts.add("output_config")
    if body["max_tokens"] > DEFAULT_MAX_TOKENS:
        parts.add("max_tokens")
    contents = [body.get("system"), *(turn["content"] for turn in body["messages"])]
    if any(isinstance(content, list) for content in contents):
        parts.add("cache_control")
    return frozenset(parts)


def _limit(request: ModelRequest, without: Collection[str]) -> int:
    """The limit, which the API demands; a model that does not allow so much gets the usual one."""
    wanted = request.max_output_tokens or DEFAULT_MAX_TOKENS
    return min(wanted, DEFAULT_MAX_TOKENS) if "max_tokens" in without else wanted


def _output_config(request: ModelRequest, without: Collection[str]) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if request.effort is not None and "effort" not in without:
        config["effort"] = request.effort
    if request.json_schema is not None and "output_config" not in without:
        config["format"] = {"type": "json_schema", "schema": dict(request.json_schema)}
    return config


def _turns(request: ModelRequest, spoken: Conversation, cached: bool) -> list[dict[str, Any]]:
    """The turns; the beginning that other prompts share is marked where the prompt is one turn."""
    turns = [{"role": turn.voice, "content": turn.text} for turn in spoken.turns]
    if cached and len(turns) == 1:
        cut = pieces(request.prompt, spoken.system, spoken.turns[0].text, request.model)
        if len(cut) > 1:
            return [{"role": "user", "content": [piece.block() for piece in cut]}]
    return turns


def _system(model: str, text: str, cached: bool) -> str | list[dict[str, Any]]:
    worth = len(text.encode()) >= shortest_cached(model) * CHARS_PER_TOKEN
    return [Piece(text, True).block()] if cached and worth else text
