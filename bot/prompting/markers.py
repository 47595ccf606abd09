"""Finds and strips the bracketed bookkeeping lines: `[STANCE: …]` and `[BALLOT: …]`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_OPENING: Final = re.compile(r"\[\s{0,8}(STANCE|BALLOT)\s{0,8}:", re.IGNORECASE)
_BRACKET_OR_END: Final = re.compile(r"[\[\]\n]")
_ONLY_DECORATION: Final = re.compile(r"[\s*_`>~#-]*")
_EMPTY_FENCE: Final = re.compile(r"^```[\w-]{0,20}\n\s{0,40}```$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Marker:
    """A marker's place, its kind in upper case, and what stands after its colon."""

    start: int
    end: int
    kind: str
    body: str


def find_markers(text: str) -> Iterator[Marker]:
    """Every marker in order; an unclosed one ends with its line."""
    position = 0
    while match := _OPENING.search(text, position):
        end, body_end = _closing(text, match.end())
        yield Marker(match.start(), end, match[1].upper(), text[match.end() : body_end].strip())
        position = end


def _closing(text: str, start: int) -> tuple[int, int]:
    """Where the marker and its body end; brackets inside a reason are balanced."""
    depth = 1
    for match in _BRACKET_OR_END.finditer(text, start):
        if match[0] == "\n":
            return match.start(), match.start()
        depth += 1 if match[0] == "[" else -1
        if depth == 0:
            return match.end(), match.start()
    return len(text), len(text)


def strip_markers(text: str) -> str:
    """The text without any marker and without the lines and fences that held nothing else."""
    if _OPENING.search(text) is None:
        return text.strip()
    pieces: list[str] = []
    position = 0
    for marker in find_markers(text):
        pieces.extend((text[position : marker.start], "\0"))
        position = marker.end
    pieces.append(text[position:])
    lines = "".join(pieces).split("\n")
    kept = [line for line in lines if "\0" not in line or not _was_marker(line)]
    bare = "\n".join(kept).replace("\0", "")
    return (_EMPTY_FENCE.sub("", bare) if "```" in bare else bare).strip()


def _was_marker(line: str) -> bool:
    return _ONLY_DECORATION.fullmatch(line.replace("\0", "")) is not None
