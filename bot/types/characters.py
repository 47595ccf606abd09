"""Characters that no text of ours may carry, dropped in one pass wherever text comes in."""

import re
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
_INVISIBLE: Final = re.compile(
    "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _UNWANTED) + "]"
)
_LINE_END: Final = re.compile("[\x0b\x0c\r\x85\u2028\u2029]")


def clean(text: str) -> str:
    """Unify line ends and drop every character that is invisible or steers a terminal."""
    return _INVISIBLE.sub("", _LINE_END.sub("\n", text.replace("\r\n", "\n")))
