"""Numbers, lists and times as people write them."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime


def counted(number: int, thing: str, things: str = "") -> str:
    """A number of things: 1 round, 2 rounds."""
    return f"{number} {thing if number == 1 else things or f'{thing}s'}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names in a row, the last one after `and` or another word."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


def some(names: Iterable[str], most: int = 6) -> str:
    """A few names, and how many more there are."""
    every = list(names)
    rest = len(every) - most
    return ", ".join(every[:most]) + (f" and {rest} more" if rest > 0 else "")


def any_role(role_ids: Sequence[int]) -> str:
    """Roles of a server of which one is enough, as mentions."""
    return listed([f"<@&{role}>" for role in role_ids], "or")


def duration_words(seconds: int) -> str:
    """A duration as people say it."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def as_start(text: str) -> str:
    """A text that begins a sentence."""
    return f"{text[0].upper()}{text[1:]}"


def as_lower(text: str) -> str:
    """A text that goes on in a sentence."""
    return f"{text[:1].lower()}{text[1:]}"


def time_text(seconds: float) -> str:
    """A point in time as files write it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def clock_text(seconds: float, began: float) -> str:
    """The same without its date, if that is the date on which the run began."""
    day, _, clock = time_text(seconds).partition(" ")
    return clock if time_text(began).startswith(day) else f"{day} {clock}"
