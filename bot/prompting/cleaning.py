"""Removes what untrusted text must not carry, in one pass and without judging its meaning."""

import re
from collections.abc import Iterator
from typing import Final

PLAIN_LIMIT: Final = 300
_FENCED: Final = re.compile(r"\A```[\w-]{0,20}[ \t]*\n(.*?)\n?```\Z", re.DOTALL)
_SPACE: Final = re.compile(r"\s+")
_NOT_PLAIN: Final = re.compile(r"[\[\]<>{}\x00-\x1f\x7f]")
_MARKER_OPENING: Final = re.compile(r"\[(?=\s{0,8}(?:STANCE|BALLOT)\s{0,8}:)", re.IGNORECASE)


def _unwanted() -> Iterator[int]:
    """Control, zero-width, bidi, surrogate, tag and hidden selector characters."""
    ranges = (
        (0x00, 0x08),
        (0x0B, 0x1F),
        (0x7F, 0x84),
        (0x86, 0x9F),
        (0xAD, 0xAD),
        (0x61C, 0x61C),
        (0x180E, 0x180E),
        (0x200B, 0x200F),
        (0x202A, 0x202E),
        (0x2060, 0x206F),
        (0xD800, 0xDFFF),
        (0xFE00, 0xFE0D),
        (0xFEFF, 0xFEFF),
        (0xFFF9, 0xFFFB),
        (0xE0000, 0xE01EF),
    )
    for first, last in ranges:
        yield from range(first, last + 1)


_CLEAN: Final[dict[int, str | None]] = {
    **dict.fromkeys(_unwanted()),
    0x0B: "\n",
    0x0C: "\n",
    0x0D: "\n",
    0x85: "\n",
    0x2028: "\n",
    0x2029: "\n",
}


def clean(text: str) -> str:
    """Unify line ends and drop every character that is invisible or steers a terminal."""
    return text.replace("\r\n", "\n").translate(_CLEAN)


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


def one_line(text: str) -> str:
    """The text with every run of white space as one blank."""
    return _SPACE.sub(" ", clean(text)).strip()


def is_plain(text: str) -> bool:
    """Whether a value may stand in a prompt outside a quoted block."""
    return len(text) <= PLAIN_LIMIT and clean(text) == text and not _NOT_PLAIN.search(text)


def plain_words(text: str, limit: int = PLAIN_LIMIT) -> str:
    """Make a text fit for a plain placeholder: one short line without brackets."""
    return one_line(_NOT_PLAIN.sub(" ", clean(text)))[:limit].strip()
