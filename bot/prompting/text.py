"""Removes what untrusted text must not carry, in one pass and without judging its meaning."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from bot.types.characters import clean

__all__ = ["clean", "defuse", "flat", "is_plain", "one_line", "plain_words", "tidy"]

_PLAIN_LIMIT: Final = 300
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
    return len(text) <= _PLAIN_LIMIT and clean(text) == text and not _NOT_PLAIN.search(text)


def plain_words(text: str, limit: int = _PLAIN_LIMIT) -> str:
    """Make a text fit for a plain placeholder: one short line without brackets."""
    return flat(_NOT_PLAIN.sub(" ", clean(text)))[:limit].strip()


def label_voices(entries: Iterable[tuple[str, str]]) -> str:
    """`Name:` at the start of a line and what they said indented below it, for each entry."""
    return "\n\n".join([f"{plain_words(name)}:\n{_indented(text)}" for name, text in entries])


def _indented(text: str) -> str:
    """Every line moved in, so that only labels of ours begin a line."""
    lines = clean(text).strip().split("\n")
    return "\n".join([f"  {line}" if line.strip() else "" for line in lines])


_UNSPACED: Final = "\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
LONGEST_WORD: Final = 40
CUT: Final = " […]"


@cache
def _without_blanks() -> re.Pattern[str]:
    """Large classes of letters are slow to compile, so they are not before they are needed."""
    return re.compile(rf"[{_UNSPACED}]")


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]{{1,{LONGEST_WORD}}}")


def count_words(text: str) -> int:
    """How many words the text has."""
    return sum(1 for _ in _word().finditer(text))


def cut_words(text: str, limit: int) -> str:
    """The text when it has at most `limit` words, else its first `limit` words and an ellipsis."""
    if len(text) <= limit or _is_short(text, limit):
        return text.strip()
    end = 0
    for number, word in enumerate(_word().finditer(text), start=1):
        if number > limit:
            return text[:end].rstrip() + "…"
        end = word.end()
    return text.strip()


def cut_chars(text: str, limit: int) -> str:
    """The text, or its beginning with a mark when it is too long."""
    return text if len(text) <= limit else text[: max(0, limit - len(CUT))].rstrip() + CUT


def _is_short(text: str, limit: int) -> bool:
    """Whether text with blanks has few enough words, told without looking at each of them."""
    if not text.isascii() and _without_blanks().search(text):
        return False
    words = text.split()
    return 0 < len(words) <= limit and max(map(len, words)) <= LONGEST_WORD
