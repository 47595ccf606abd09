"""The digest of a web search: what the results say in their own first words, with their numbers."""

import re

from bot.rehearsal.seat import Seat
from bot.rehearsal.text import capital, clause, clean, cut

_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_SOURCE = re.compile(r"\[(E\d{1,2})\]")
_ADDRESS = re.compile(
    r"\bhttps?://\S+|^(?:url|link|source|title|snippet)\s*:\s*", re.IGNORECASE | re.MULTILINE
)
MAX_FACTS = 8
FACT_CHARS = 130


def write_search_digest(seat: Seat) -> str:
    """At most 250 words: the date, then one line per result."""
    day = _DATE.search(seat.value("DATE"))
    facts = _facts(seat.value("RESULTS"))
    lines = [f"Searched on {day.group() if day else 'an unknown day'}."]
    lines += [f"- {text} [{source}]" for source, text in facts]
    return "\n".join(lines if facts else [*lines, "No relevant real-time data found."])


def _facts(results: str) -> list[tuple[str, str]]:
    pieces = _SOURCE.split(results)
    facts: dict[str, str] = {}
    for source, body in zip(pieces[1::2], pieces[2::2], strict=False):
        lines = [clause(clean(line)) for line in _ADDRESS.sub(" ", body).splitlines()]
        text = cut(": ".join(line for line in lines[:3] if line), FACT_CHARS)
        if text:
            facts.setdefault(source, capital(text))
    return list(facts.items())[:MAX_FACTS]
