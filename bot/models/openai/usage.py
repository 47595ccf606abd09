"""Reads what a call used and cost, in the dialects of OpenAI, OpenRouter and Blockrun."""

from bot.models.failure_details import mapping
from bot.models.port import Usage
from bot.models.usage import reported_usage


def read_usage(value: object) -> Usage | None:
    """The usage of a chunk, or None where there is none."""
    usage = mapping(value)
    if not usage:
        return None
    details = mapping(usage.get("prompt_tokens_details"))
    written = mapping(usage.get("completion_tokens_details"))
    return reported_usage(
        (usage.get("prompt_tokens"),),
        (usage.get("completion_tokens"),),
        details.get("cached_tokens"),
        usage.get("cost"),
        written.get("reasoning_tokens"),
    )
