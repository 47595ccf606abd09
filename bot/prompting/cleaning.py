"""Removes what untrusted text must not carry, in one pass and without judging its meaning."""

import re
from typing import Final

from bot.types.characters import clean

__all__ = ["clean", "defuse", "flat", "is_plain", "one_line", "plain_words", "tidy"]

PLAIN_LIMIT: Final = 300
_FENCED: Final = re.compile(r"\A```[\w-]{0,20}[ \t]*\n(.*?)\n?```\Z", re.DOTALL)
_NOT_PLAIN: Final = re.compile(r"[\[\]<>{}\x00-\x1f\x7f]")
_MARKER_OPENING: Final = re.compile(r"\[(?=\s{0,8}(?:STANCE|BALLOT)\s{0,8}:)", re.IGNORECASE)


def tidy(answer: str) -> str:
    """Clean a model's answer, trim it and unwrap it when the whole of it stands in a code fence."""
    text = clean(answer).strip()
    fenced = _FENCED.match(text)
    if fenced and "```" not in fenced[1]:
        return fenced[1].strip()
    return text


def defuse(text: str) -> str:
    """Break the markers in quoted text, so that a seat that repeats them casts nothing."""
    return _MARKER_OPENING.sub("(", text)


def flat(text: str) -> str:
    """The text with every run of white space as one blank."""
    return " ".join(text.split())


def one_line(text: str) -> str:
    """The text cleaned and flat."""
    return flat(clean(text))


def is_plain(text: str) -> bool:
    """Whether a value may stand in a prompt outside a quoted block."""
    return len(text) <= PLAIN_LIMIT and clean(text) == text and not _NOT_PLAIN.search(text)


def plain_words(text: str, limit: int = PLAIN_LIMIT) -> str:
    """Make a text fit for a plain placeholder: one short line without brackets."""
    return flat(_NOT_PLAIN.sub(" ", clean(text)))[:limit].strip()
