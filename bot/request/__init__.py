"""What was asked: flags, mode and topic, read from a line of text."""

from bot.request.modes import (
    clean_topic,
    detect_mode,
    normalise_topic,
    thread_title,
    topic_key,
    topic_slug,
)
from bot.request.parse import (
    FLAGS,
    Command,
    Flag,
    Request,
    UnknownFlagError,
    begins_with_flag,
    build_request,
    corrected,
    is_addressed,
    parse_command,
    parse_request,
    without_mention,
)
from bot.types.mode import Mode

__all__ = [
    "FLAGS",
    "Command",
    "Flag",
    "Mode",
    "Request",
    "UnknownFlagError",
    "begins_with_flag",
    "build_request",
    "clean_topic",
    "corrected",
    "detect_mode",
    "is_addressed",
    "normalise_topic",
    "parse_command",
    "parse_request",
    "thread_title",
    "topic_key",
    "topic_slug",
    "without_mention",
]
