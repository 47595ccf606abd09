"""Reads what a call used and cost, in the dialects of OpenAI, OpenRouter and Blockrun."""

import math
from collections.abc import Mapping
from typing import Any

from bot.models.failure_details import mapping
from bot.models.port import Usage


def read_usage(value: object) -> Usage | None:
    """The usage of a chunk, or None where there is none."""
    usage = mapping(value)
    if not usage:
        return None
    return Usage(
        input_tokens=_count(usage, "prompt_tokens"),
        output_tokens=_count(usage, "completion_tokens"),
        cached_tokens=_count(mapping(usage.get("prompt_tokens_details")), "cached_tokens"),
        cost_usd=_cost(usage.get("cost")),
        reasoning_tokens=_count(
            mapping(usage.get("completion_tokens_details")), "reasoning_tokens"
        ),
    )


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = _number(usage.get(name))
    return int(value) if value is not None else 0


def _cost(value: object) -> float | None:
    """A number of dollars, or an object with a total; anything else is unknown, never 0."""
    return _number(value.get("total") if isinstance(value, Mapping) else value)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None
