"""How the report of `roundtable check` is laid out: two columns, and bullets."""

import textwrap
from collections.abc import Iterator

WIDTH = 80
LABEL = 20


def row(label: str, text: str) -> Iterator[str]:
    """A label and its text in two columns."""
    if len(label) > LABEL:
        yield f"  {label}"
        label = ""
    first = f"  {label:<{LABEL}}  "
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )


def wrapped(bullet: str, text: str) -> list[str]:
    """A paragraph, behind a bullet if there is one."""
    indent = "  " if bullet else ""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent + bullet,
        subsequent_indent=" " * len(indent + bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )
