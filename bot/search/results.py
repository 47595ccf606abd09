"""Makes what a search service found fit to be quoted: snippets only, clean, short, no doubles."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bot.prompting.cleaning import one_line
from bot.search.port import SearchResult
from bot.search.urls import host_of, printable_url, sameness

SNIPPET_CHARS: Final = 300
TITLE_CHARS: Final = 120
DATE_CHARS: Final = 40
_READ_CHARS: Final = 4000
_EMPHASIS: Final = re.compile(r"</?(?:strong|b|em|i|mark|span)\b[^<>]{0,100}>", re.IGNORECASE)
_LABEL_OPENING: Final = re.compile(r"[\[【](?=\s{0,8}E\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Fields:
    """What a service calls the parts of a result."""

    title: str = "title"
    url: str = "url"
    snippet: str = "content"
    published: str = "published_date"


def read_results(
    rows: Iterable[Mapping[str, object]], fields: Fields, count: int
) -> tuple[SearchResult, ...]:
    """The first `count` usable results; whatever has a wrong type counts as missing."""
    chosen: dict[tuple[str, str, str], SearchResult] = {}
    for result in _usable(rows, fields):
        chosen.setdefault(sameness(result.url), result)
        if len(chosen) >= count:
            break
    return tuple(chosen.values())


def tidy_text(text: object, limit: int) -> str:
    """One visible line of at most `limit` characters that cannot pass for a source number."""
    if not isinstance(text, str):
        return ""
    plain = one_line(html.unescape(_EMPHASIS.sub("", text[:_READ_CHARS])))
    line = _LABEL_OPENING.sub("(", plain)
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _usable(rows: Iterable[Mapping[str, object]], fields: Fields) -> Iterator[SearchResult]:
    for row in rows:
        url = printable_url(row.get(fields.url))
        title = tidy_text(row.get(fields.title), TITLE_CHARS)
        snippet = tidy_text(row.get(fields.snippet), SNIPPET_CHARS)
        if url and (title or snippet):
            published = tidy_text(row.get(fields.published), DATE_CHARS)
            yield SearchResult(title or host_of(url), url, snippet, published)
