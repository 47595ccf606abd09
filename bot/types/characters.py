"""Characters that no text of ours may carry, dropped in one pass wherever text comes in."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

_UNWANTED: Final = (
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
"""Control, zero-width, bidi, surrogate, tag and hidden selector characters."""
_LINE_ENDS: Final = "\x0b\x0c\r\x85\u2028\u2029"
_CLEAN: Final[dict[int, str | None]] = {
    **dict.fromkeys(number for first, last in _UNWANTED for number in range(first, last + 1)),
    **dict.fromkeys(map(ord, _LINE_ENDS), "\n"),
}


def _all_but(numbers: Iterable[int]) -> str:
    """Every other character, as the inside of a character class."""
    edges = [-1, *sorted(numbers), 0x110000]
    return "".join(
        f"\\U{low + 1:08x}-\\U{high - 1:08x}" for low, high in pairwise(edges) if low + 1 < high
    )


# A class that holds what is usual is looked up quicker than one that holds the exceptions.
_USUAL: Final = re.compile(f"[{_all_but(_CLEAN)}]*")
_PLAIN: Final = b"\t\n" + bytes(range(0x20, 0x7F))


def clean(text: str) -> str:
    """Unify line ends and drop every character that is invisible or steers a terminal."""
    if text.isascii() and text.isprintable():
        return text  # as nearly every single line
    unified = text.replace("\r\n", "\n") if "\r" in text else text
    return unified if _is_usual(unified) else unified.translate(_CLEAN)


def _is_usual(text: str) -> bool:
    """Whether nothing is to be dropped; plain letters are put aside, for they are most of it."""
    try:
        others = text.encode().translate(None, _PLAIN)
    except UnicodeEncodeError:
        return False
    return not others or _USUAL.fullmatch(others.decode()) is not None
