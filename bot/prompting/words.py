"""Counts and cuts words; scripts that write no blanks count two characters as a word."""

import re
from typing import Final

_UNSPACED: Final = "\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_WORD: Final = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]{{1,40}}")


def count_words(text: str) -> int:
    """How many words the text has."""
    return sum(1 for _ in _WORD.finditer(text))


def cut_words(text: str, limit: int) -> str:
    """The text when it has at most `limit` words, else its first `limit` words and an ellipsis."""
    end = 0
    for number, word in enumerate(_WORD.finditer(text), start=1):
        if number > limit:
            return text[:end].rstrip() + "…"
        end = word.end()
    return text.strip()
