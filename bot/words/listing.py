"""Names in a row."""

from collections.abc import Iterable


def some(names: Iterable[str], most: int = 6) -> str:
    """A few names, and how many more there are."""
    every = list(names)
    rest = len(every) - most
    return ", ".join(every[:most]) + (f" and {rest} more" if rest > 0 else "")
