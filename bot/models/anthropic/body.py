"""Builds the request: only what somebody set, and what the Messages API cannot do without."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

from bot.models.conversation import conversation
from bot.models.port import ModelRequest

DROPPABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "output_config": ("output_format", "json_schema", "structured output"),
        "cache_control": ("prompt caching",),
    }
)
DEFAULT_MAX_TOKENS = 8192
"""Several times the longest answer a prompt asks for, and within what every model allows."""
SHORTEST_CACHED_TOKENS = 1024
"""Below this no model caches anything."""
CHARS_PER_TOKEN = 4


def request_body(request: ModelRequest, without: Collection[str] = ()) -> dict[str, Any]:
    """The JSON body of one call."""
    spoken = conversation(request.prompt.messages)
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": request.max_output_tokens or DEFAULT_MAX_TOKENS,
        "messages": [{"role": turn.voice, "content": turn.text} for turn in spoken.turns],
        "stream": True,
    }
    if spoken.system:
        marked = _worth_caching(spoken.system) and "cache_control" not in without
        body["system"] = [_cached(spoken.system)] if marked else spoken.system
    if request.json_schema is not None and "output_config" not in without:
        described = {"type": "json_schema", "schema": dict(request.json_schema)}
        body["output_config"] = {"format": described}
    return body


def optional_parts(body: Mapping[str, Any]) -> frozenset[str]:
    """What this body could do without."""
    parts = {"output_config"} & body.keys()
    if isinstance(body.get("system"), list):
        parts.add("cache_control")
    return frozenset(parts)


def _worth_caching(system: str) -> bool:
    """Whether the mark can have an effect.

    Only the system text is ever marked: the user's part quotes its data under a boundary drawn
    anew for each prompt, so no later prompt begins like it, and a write costs more than it saves.
    """
    return len(system.encode()) >= SHORTEST_CACHED_TOKENS * CHARS_PER_TOKEN


def _cached(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
