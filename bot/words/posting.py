"""Posts that Discord rejected, and replacements for content it cannot show."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import listed

PLACE_GONE: Final = "its thread or channel no longer exists"
NOT_TAKEN: Final = "Discord rejected the message"

HELD_ELSEWHERE: Final = "this roundtable runs in another post"
PANELISTS_SPEAK: Final = "panelists speak"

INVITE_REMOVED: Final = "(invite removed)"
SOME_ROLE: Final = "@a-role"
SOME_PERSON: Final = "@someone"


def right_lost(permissions: Sequence[str]) -> str:
    """Discord no longer lets the bot write there."""
    if not permissions:
        return "I no longer have permission to write there (an admin can restore it)"
    return (
        f"I no longer have {listed(permissions)} there (an admin can allow it for my role in the "
        "channel's settings)"
    )


def status(number: int) -> str:
    """Discord refused without a word."""
    return f"Discord answered with status {number}"


def message_failed(reason: str) -> str:
    """A post did not go out."""
    return f"A message could not be posted: {reason}."


def card_failed(reason: str) -> str:
    """The live card did not go out."""
    return f"The card could not be posted: {reason}."


def forum_post_failed(reason: str) -> str:
    """A forum did not take the roundtable."""
    return f"The post could not be opened: {reason}."


def full_text_attached(name: str, chars: int) -> str:
    """Stands below the beginning of a text that would fill the thread."""
    return f"-# 📎 Shortened: the full text ({chars:,} characters) is attached as `{name}`."


def code_attached(name: str, lines: int) -> str:
    """Stands where long code was."""
    return f"📎 `{name}` ({lines} lines, attached)"
