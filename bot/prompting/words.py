"""Counts and cuts words; scripts that write no blanks count two characters as a word."""

import re
from typing import Final

_UNSPACED: Final = "\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
LONGEST_WORD: Final = 40
CUT: Final = " […]"
_WITHOUT_BLANKS: Final = re.compile(rf"[{_UNSPACED}]")
_WORD: Final = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]{{1,{LONGEST_WORD}}}")


def count_words(text: str) -> int:
    """How many words the text has."""
    return sum(1 for _ in _WORD.finditer(text))


def cut_words(text: str, limit: int) -> str:
    """The text when it has at most `limit` words, else its first `limit` words and an ellipsis."""
    if len(text) <= limit or _is_short(text, limit):
        return text.strip()
    end = 0
    for number, word in enumerate(_WORD.finditer(text), start=1):
        if number > limit:
            return text[:end].rstrip() + "…"
        end = word.end()
    return text.strip()


def cut_chars(text: str, limit: int) -> str:
    """The text, or its beginning with a mark when it is too long."""
    return text if len(text) <= limit else text[: max(0, limit - len(CUT))].rstrip() + CUT


def _is_short(text: str, limit: int) -> bool:
    """Whether text with blanks has few enough words, told without looking at each of them."""
    if not text.isascii() and _WITHOUT_BLANKS.search(text):
        return False
    words = text.split()
    return 0 < len(words) <= limit and max(map(len, words)) <= LONGEST_WORD
