"""Reads numbered and bulleted lists; a line without a mark continues the item before it."""

import re
from typing import Final

_MARK: Final = re.compile(r"\s{0,20}(?:[-+•*–]\s{1,4}|\(?\d{1,2}[.):]\s{0,4}(?!\d))")


def has_mark(line: str) -> bool:
    """Whether a line begins a list item."""
    return _MARK.match(line) is not None


def strip_mark(line: str) -> str:
    """The line without its bullet or number."""
    match = _MARK.match(line)
    return (line[match.end() :] if match else line).strip()


def list_items(body: str) -> tuple[str, ...]:
    """The outer items of a list, one string each; text before the first mark is not an item."""
    items: list[list[str]] = []
    outer = 0
    for line in body.split("\n"):
        mark = _MARK.match(line)
        text = (line[mark.end() :] if mark else line).strip()
        indent = len(line) - len(line.lstrip())
        if mark and (not items or indent <= outer + 1):
            outer = indent if not items else outer
            items.append([text])
        elif items and line.strip():
            items[-1].append(text)
    return tuple(text for text in (" ".join(item).strip() for item in items) if text)
