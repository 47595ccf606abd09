"""Finds what a person said in what others made of it, and takes it out."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

FORGOTTEN: Final = "[forgotten]"
SHORTEST_QUOTE: Final = 5
"""So many words in a row are a quote; fewer are anybody's words, unless that was all."""
LEAST_LETTERS: Final = 12
"""A message of fewer words and letters than that, such as "yes, do", is nobody's own."""
_WORD = re.compile(r"\w+")
Phrase = tuple[str, ...]


def phrases_of(said: Iterable[str]) -> frozenset[Phrase]:
    """Every run of words by which a quote of these texts is recognised."""
    found: set[Phrase] = set()
    for text in said:
        words = _words(text)
        size = min(SHORTEST_QUOTE, len(words))
        if size:
            every = (tuple(words[n : n + size]) for n in range(len(words) - size + 1))
            found.update(phrase for phrase in every if len("".join(phrase)) >= LEAST_LETTERS)
    return frozenset(found)


def without_quotes(value: Any, phrases: frozenset[Phrase]) -> Any:
    """A text, or everything in a document, with every quote replaced."""
    if isinstance(value, str):
        return _without(value, phrases)
    if isinstance(value, dict):
        return {
            without_quotes(name, phrases): without_quotes(part, phrases)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [without_quotes(part, phrases) for part in value]
    return value


def _words(text: str) -> list[str]:
    return [match[0].casefold() for match in _WORD.finditer(text)]


def _without(text: str, phrases: frozenset[Phrase]) -> str:
    places = list(_WORD.finditer(text))
    words = [place[0].casefold() for place in places]
    quoted = _quoted(words, phrases)
    result, position, n = "", 0, 0
    while n < len(places):
        if not quoted[n]:
            n += 1
            continue
        result += text[position : places[n].start()] + FORGOTTEN
        while n < len(places) and quoted[n]:
            n += 1
        position = places[n - 1].end()
    return result + text[position:]


def _quoted(words: Sequence[str], phrases: frozenset[Phrase]) -> list[bool]:
    marks = [False] * len(words)
    for size in {len(phrase) for phrase in phrases}:
        for n in range(len(words) - size + 1):
            if tuple(words[n : n + size]) in phrases:
                marks[n : n + size] = [True] * size
    return marks
