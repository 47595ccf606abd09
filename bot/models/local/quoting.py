"""Finds the quoted blocks of a prompt by their tags, reading its text only twice."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

_OPENING: Final = re.compile(r"<data-(\w{1,64}+) [^>\n]{0,400}+>\n")
_CLOSING: Final = re.compile(r"\n</data-(\w{1,64}+)>")


class Block(NamedTuple):
    """Where a block begins, where the text in it begins and ends, and where the block ends."""

    start: int
    body: int
    body_end: int
    end: int


def quoted_blocks(text: str) -> Iterator[Block]:
    """The blocks in their order; an opening tag without a closing one is text like any other."""
    closings: dict[str, list[tuple[int, int]]] = {}
    for closing in _CLOSING.finditer(text):
        closings.setdefault(closing[1], []).append(closing.span())
    at = 0
    while opening := _OPENING.search(text, at):
        at = opening.end()
        spans = closings.get(opening[1], [])
        place = bisect_left(spans, (at, at))
        if place < len(spans):
            body_end, end = spans[place]
            yield Block(opening.start(), at, body_end, end)
            at = end
