"""Answers that fit one message, without a line cut in the middle."""

from collections.abc import Iterable
from typing import Final

MESSAGE_LIMIT: Final = 2000


def fitted(lines: Iterable[str], rest: str = "", limit: int = MESSAGE_LIMIT) -> str:
    """As many lines as fit; when some do not, `rest` says where they stand."""
    every = list(lines)
    whole = "\n".join(every)
    if len(whole) <= limit:
        return whole
    kept: list[str] = []
    room = limit - len(_left_out(len(every), rest)) - 1
    for line in every:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, _left_out(len(every) - len(kept), rest)])


def some(names: Iterable[str], most: int = 6) -> str:
    """A few names, and how many more there are."""
    every = list(names)
    rest = len(every) - most
    return ", ".join(every[:most]) + (f" and {rest} more" if rest > 0 else "")


def _left_out(number: int, rest: str) -> str:
    return f"… and {number} more lines{f': {rest}' if rest else '.'}"
