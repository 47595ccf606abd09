"""Handling words that somebody else wrote, so that they can be quoted in one harmless line."""

import re
import unicodedata
from collections.abc import Sequence

_MARKERS = re.compile(r"\[\s*(?:STANCE|BALLOT)\b[^\]\n]*\]?", re.IGNORECASE)
_LINKS = re.compile(r"(?:https?|ftp)://\S+", re.IGNORECASE)
_MARKUP = re.compile(r"[\[\]{}<>()`*_#|~@\\“”„\"«»]+")
_HEADINGS = re.compile(r"\b(C\d+|Thesis|Evidence|Risk|[A-Z][A-Z /-]{3,40})\s*[:：]")
_RULES = re.compile(r"-{2,}|={2,}|—{2,}")
_KEPT_INVISIBLE = "\u200d\ufe0f"


def clean(text: str) -> str:
    """One line without markers, links, brackets, markup or invisible characters."""
    plain = _LINKS.sub(" a link ", _MARKERS.sub(" ", text))
    plain = "".join(" " if _is_control(char) else char for char in plain)
    plain = "".join(char for char in plain if not _is_invisible(char))
    plain = _RULES.sub(" ", _MARKUP.sub(" ", plain))
    plain = _HEADINGS.sub(lambda found: found[1], plain)
    return " ".join(plain.split())


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, ended at a word and marked with an ellipsis when cut."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    if space >= limit // 2 and not text[limit - 1].isspace():
        head = head[:space]
    return _without_half_character(head).rstrip(" ,;:.-–—") + "…"


def capital(text: str) -> str:
    """The same text beginning like a sentence."""
    return text[:1].upper() + text[1:]


def clause(text: str) -> str:
    """A sentence made to stand inside another one: no final dot, no line breaks."""
    return " ".join(text.split()).rstrip(" .;:,!?")


def quoted(text: str, limit: int = 140) -> str:
    """A piece of somebody's text, short and harmless, to stand inside a sentence of ours."""
    return cut(clean(text).rstrip(" .;:,"), limit)


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def fold(text: str) -> str:
    """A text as it is compared: letters and digits in lower case, single spaces."""
    return " ".join(re.sub(r"[\W_]+", " ", text).split()).casefold()


def role_name(role: str) -> str:
    """A role as people read it."""
    return cut(clean(role.replace("_", " ")), 40) or "Panelist"


def role_key(role: str) -> str:
    """A role as it is compared: letters and digits only, in lower case."""
    return re.sub(r"[\W_]+", "", role).casefold()


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Zl", "Zp", "Cs"}


def _is_invisible(char: str) -> bool:
    return unicodedata.category(char) == "Cf" and char not in _KEPT_INVISIBLE


def _without_half_character(text: str) -> str:
    while text and (text[-1] in _KEPT_INVISIBLE or unicodedata.combining(text[-1])):
        text = text[:-2] if text[-1] == "\u200d" else text[:-1]
    return text
