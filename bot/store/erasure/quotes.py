"""Finds quotes of a person's text in other texts and replaces them without breaking structure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

FORGOTTEN: Final = "[forgotten]"
_SHORTEST_QUOTE: Final = 5
"""So many consecutive words are a quote; fewer are common phrases."""
TEXTS: Final = frozenset(
    "correction message point public reason reasoning summary text title".split()
)
"""The fields of documents that hold prose; all others are structure and stay as they are."""
GROUPS: Final = frozenset({"claims", "sections"})
"""The fields whose own fields all hold prose, whatever their names are."""
_FILES: Final = "files"
"""The field that holds built files: pairs of a name and a text."""
# Scripts without spaces: each letter is a token and counts as a third of a word.
_RUN_ON: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_FULL: Final = 3
# Labels, list numbers and the choice on a ballot are parsed from answers, so they stay.
_STRUCTURE: Final = re.compile(
    r"\[(?:BALLOT|STANCE):[^|\]\n]{0,200}(?:\|[^|\]\n]{0,20}\|)?"
    r"|^[^\w\n]{0,20}(?:(?:[A-Z][A-Z /&_-]{0,40}[A-Z]|C\d{1,2})[^\w\n:]{0,5}:|\d{1,3}[.)])",
    re.MULTILINE,
)
_EDGES: Final = re.compile(r"[\n|\[\]]")
Phrase = tuple[str, ...]
_Place = tuple[int, int]


@cache
def _word() -> re.Pattern[str]:
    """Large classes of letters are slow to compile, so they are not before they are needed."""
    return re.compile(rf"[{_RUN_ON}]|[^\W{_RUN_ON}]+")


@cache
def _letter() -> re.Pattern[str]:
    return re.compile(rf"[{_RUN_ON}]")


def phrases_of(said: Iterable[str]) -> frozenset[Phrase]:
    """Every sequence of words by which a quote of these texts is recognised."""
    return frozenset(phrase for text in said for phrase in _phrases(text))


def quoted_in(value: Any, phrases: frozenset[Phrase]) -> frozenset[Phrase]:
    """The phrases that occur in a text or a document, including its keys."""
    begins = frozenset(phrase[0] for phrase in phrases)
    return phrases.intersection(
        phrase for text in _texts(value) if phrases for phrase in _phrases(text, begins)
    )


def without_quotes(value: Any, phrases: frozenset[Phrase], *, prose: bool = True) -> Any:
    """A text, or the prose of a document, with every quote replaced; the structure stays."""
    if isinstance(value, str):
        return _without(value, phrases) if prose else value
    if isinstance(value, list):
        return [without_quotes(part, phrases, prose=prose) for part in value]
    if isinstance(value, dict):
        return {name: _field(name, part, phrases) for name, part in value.items()}
    return value


def without_quotes_in_document(value: Any, phrases: frozenset[Phrase]) -> Any:
    """The same for a document, where only named fields hold prose."""
    return without_quotes(value, phrases, prose=False)


def _field(name: str, value: Any, phrases: frozenset[Phrase]) -> Any:
    if name in GROUPS and isinstance(value, dict):
        return {key: without_quotes(part, phrases) for key, part in value.items()}
    if name == _FILES and isinstance(value, list):
        return [_file(pair, phrases) for pair in value]
    return without_quotes(value, phrases, prose=name in TEXTS)


def _file(pair: Any, phrases: frozenset[Phrase]) -> Any:
    if not isinstance(pair, list) or not pair:
        return pair
    return [pair[0], *(without_quotes(part, phrases) for part in pair[1:])]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield name
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def _phrases(text: str, begins: frozenset[str] | None = None) -> Iterator[Phrase]:
    """The phrases of a text, with its structural parts and without them."""
    places = _places(text)
    for words in {_words(text, places), _words(text, _prose(text, places))}:
        for first, last in _windows(words):
            if begins is None or words[first] in begins:
                yield words[first : last + 1]


def _places(text: str) -> list[_Place]:
    return [match.span() for match in _word().finditer(text)]


def _prose(text: str, places: Iterable[_Place]) -> list[_Place]:
    """The words of a text outside its structural parts."""
    kept, structure = list[_Place](), [match.span() for match in _STRUCTURE.finditer(text)]
    structure.reverse()
    for start, end in places:
        while structure and structure[-1][1] <= start:
            structure.pop()
        if not structure or start < structure[-1][0]:
            kept.append((start, end))
    return kept


def _words(text: str, places: Iterable[_Place]) -> Phrase:
    return tuple(text[start:end].casefold() for start, end in places)


def _windows(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """For each word, the first and last index of the shortest quote that starts there."""
    weights = [1 if _letter().match(word) else _FULL for word in words]
    last, weight = -1, 0
    for first in range(len(words)):
        while weight < _SHORTEST_QUOTE * _FULL:
            last += 1
            if last == len(words):
                return
            weight += weights[last]
        yield first, last
        weight -= weights[first]


def _without(text: str, phrases: frozenset[Phrase]) -> str:
    places = _prose(text, _places(text))
    words = _words(text, places)
    marked = set[int]()
    for first, last in _windows(words):
        if words[first : last + 1] in phrases:
            marked.update(range(first, last + 1))
    result, position, previous = "", 0, -2
    for n in sorted(marked):
        start, end = places[n]
        between = text[position:start]
        if n - 1 != previous or _EDGES.search(between):
            result += between + FORGOTTEN
        position, previous = end, n
    return result + text[position:]
