"""Which panelist a text addresses by a name at its beginning."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from bot.floor.state import FloorSeat
from bot.types.characters import clean

_APOSTROPHES: Final = dict.fromkeys(map(ord, "'’‘‛ʼʹ´′＇"))
_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"}
)
# Marks that people leave out when they type; in other scripts a mark is part of the letter.
_OPTIONAL_MARKS: Final = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
_JOINERS: Final = re.compile(r"(?<=\w)[-‐‑_](?=\w)")
_SPACES: Final = re.compile(r"\s+")
_BEFORE_NAME: Final = re.compile(r"^(?:\s|<@[!&]?\d+>|[*_~|])+")
_LONG_QUOTE: Final = re.compile(r"^[^\S\n]*+>>>\s.*", re.DOTALL | re.MULTILINE)
_QUOTED_LINE: Final = re.compile(r"^[^\S\n]*+>[^\S\n].*", re.MULTILINE)
_ENDS_NAME: Final = re.compile(r"[*_~|]*(?:\s*[,:;!?.،؛؟、。।…]|\s*[–—]|\s+-+\s|\s*$)")
_SPACE: Final = re.compile(r"[*_~|]*\s")
_IS_QUESTION: Final = re.compile(r"[?؟;]\s*$")


def addressed_seat(text: str, seats: Iterable[FloorSeat]) -> str | None:
    """The key of the seat a text speaks to by name, or None.

    A name counts when it stands alone or before a comma, colon or the like; after an @, or in a
    text that is a question, a space is enough.
    """
    said = _BEFORE_NAME.sub("", _folded_name(without_quotes(text)))
    called = said.startswith("@")
    said = said.removeprefix("@").lstrip()
    longest_first = sorted(((_folded_name(seat.name), seat.key) for seat in seats), key=_length)
    for name, key in longest_first:
        if name and said.startswith(name) and _is_name(said[len(name) :], said, called=called):
            return key
    return None


def _folded_name(text: str) -> str:
    """A text without case, accents, apostrophes, and with single blanks."""
    plain = clean(text).translate(_APOSTROPHES)
    bare = _OPTIONAL_MARKS.sub("", unicodedata.normalize("NFKD", plain)).casefold()
    return _SPACES.sub(" ", _JOINERS.sub(" ", bare.translate(_LETTERS))).strip()


def without_quotes(text: str) -> str:
    """A text without the lines that quote somebody else."""
    return _QUOTED_LINE.sub("", _LONG_QUOTE.sub("", text))


def _is_name(after: str, said: str, *, called: bool) -> bool:
    """Whether a name ends here and is meant as an address."""
    if _ENDS_NAME.match(after):
        return True
    spaced = _SPACE.match(after) is not None
    return spaced and (called or _IS_QUESTION.search(said) is not None)


def _length(entry: tuple[str, str]) -> tuple[int, str]:
    return -len(entry[0]), entry[0]
