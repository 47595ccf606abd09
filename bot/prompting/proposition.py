"""Reads a proposition: one whole sentence that a person can agree with or deny."""

import re
from typing import Final

from bot.prompting.cleaning import one_line, tidy
from bot.prompting.markers import strip_markers
from bot.prompting.words import count_words

LEAST_WORDS, MOST_WORDS = 3, 60
_LABEL: Final = re.compile(r"[\s*_#>]{0,8}proposition[\s*_]{0,4}:[\s*_]{0,4}", re.IGNORECASE)
_QUOTES: Final = "\"'“”„«»*_ "


def parse_proposition(answer: str) -> str | None:
    """The sentence a coordinator wrote, or None when it is no proposition."""
    text = strip_markers(tidy(answer)).strip()
    label = _LABEL.match(text)
    first = (text[label.end() :] if label else text).strip().split("\n\n")[0]
    return as_proposition(first.strip(_QUOTES))


def as_proposition(text: str) -> str | None:
    """The text in one line, unless it is a question, a blank, cut off, too short or too long."""
    line = one_line(text)
    cut_off = line.endswith(("…", "?", "？")) or (line.startswith("<") and line.endswith(">"))
    return line if LEAST_WORDS <= count_words(line) <= MOST_WORDS and not cut_off else None
