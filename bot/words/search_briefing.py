"""The words of ours in the briefing that a panel gets from a web search."""

from typing import Final

NOTHING_FOUND: Final = "No relevant real-time data found"


def searched_on(date: str) -> str:
    """The first line of a briefing."""
    return f"Searched on {date}."
