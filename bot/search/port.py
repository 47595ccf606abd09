"""The port to web search: a query in, a few cleaned results or one typed error out."""

from dataclasses import dataclass
from typing import Protocol

from bot.models.port import ErrorKind


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One hit: untrusted words of the web, cleaned and cut, and a URL that is safe to print."""

    title: str
    url: str
    snippet: str
    published: str = ""


class SearchError(Exception):
    """A search failed for a known reason; the text is one sentence for admins without any key."""

    def __init__(self, kind: ErrorKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind

    @property
    def text(self) -> str:
        """The sentence to show to admins."""
        return str(self)


class SearchPort(Protocol):
    """What a search service offers."""

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        ...
