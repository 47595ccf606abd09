"""The port to web search: a query in, a few cleaned results or one typed error out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from bot.messages.search import SearchText
from bot.types.model_port import ErrorKind


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
    """The interface of a search service."""

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        ...


@dataclass(frozen=True, slots=True)
class Service:
    """What admins call a search service, and the variable in .env that gives access to it."""

    name: str
    variable: str

    def refused(self, refusal: "SearchRefusal") -> SearchError:
        """The error that an HTTP status stands for."""
        kind, sentence = _meaning(refusal.status)
        return SearchError(kind, sentence(self, refusal))

    def odd_key(self) -> SearchError:
        """The error for a key that cannot stand in a header."""
        return SearchError(ErrorKind.NOT_AUTHORISED, SearchText.odd_key(self.name, self.variable))

    def not_results(self) -> SearchError:
        """The error for an answer that cannot be read."""
        return SearchError(ErrorKind.BAD_OUTPUT, SearchText.not_results(self.name, self.variable))


@dataclass(frozen=True, slots=True)
class SearchRefusal:
    """An HTTP answer that is no success."""

    status: int
    body: str
    wait: str
    """How long to wait: "40 s" when the service said so, else "a while"."""


Explain = Callable[[SearchRefusal], SearchError | None]
"""What an adapter knows better than the table of statuses; None leaves it to the table."""

_Sentence = Callable[[Service, SearchRefusal], str]
_REJECTED: Final[tuple[ErrorKind, _Sentence]] = (
    ErrorKind.UNSUPPORTED_PARAMETER,
    lambda service, refusal: SearchText.rejected(service.name, refusal.status),
)
_FAILED: Final[tuple[ErrorKind, _Sentence]] = (
    ErrorKind.NETWORK,
    lambda service, refusal: SearchText.failed(service.name, refusal.status),
)
_MEANINGS: Final[tuple[tuple[tuple[int, ...], ErrorKind, _Sentence], ...]] = (
    (
        (401, 403, 407),
        ErrorKind.NOT_AUTHORISED,
        lambda service, refusal: SearchText.key_refused(
            service.name, refusal.status, service.variable
        ),
    ),
    (
        (402, 432, 433),
        ErrorKind.OUT_OF_MONEY,
        lambda service, refusal: SearchText.used_up(service.name, refusal.status),
    ),
    (
        (429,),
        ErrorKind.RATE_LIMITED,
        lambda service, refusal: SearchText.too_often(service.name, refusal.wait),
    ),
    (
        (*range(300, 400), 404, 405, 410),
        ErrorKind.NOT_AUTHORISED,
        lambda service, refusal: SearchText.elsewhere(
            service.name, refusal.status, service.variable
        ),
    ),
    (
        (503, 529),
        ErrorKind.OVERLOADED,
        lambda service, refusal: SearchText.overloaded(service.name, refusal.status),
    ),
    ((408, 409, 425), *_FAILED),
)


def _meaning(status: int) -> tuple[ErrorKind, _Sentence]:
    for statuses, kind, sentence in _MEANINGS:
        if status in statuses:
            return kind, sentence
    return _REJECTED if 400 <= status < 500 else _FAILED
