"""Why a search service did not answer, in one sentence that says what to do next."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import httpx

from bot.messages.search import SearchText
from bot.models.port import ErrorKind
from bot.search.port import SearchError


@dataclass(frozen=True, slots=True)
class Service:
    """What admins call a search service, and the variable in .env that gives access to it."""

    name: str
    variable: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """An HTTP answer that is no success."""

    status: int
    body: str
    wait: str
    """How long to wait: "40 s" when the service said so, else "a while"."""


Explain = Callable[[Refusal], SearchError | None]
"""What an adapter knows better than the table of statuses; None leaves it to the table."""

_Sentence = Callable[[Service, Refusal], str]
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


def by_status(service: Service, refusal: Refusal) -> SearchError:
    """The error that an HTTP status stands for."""
    kind, sentence = _meaning(refusal.status)
    return SearchError(kind, sentence(service, refusal))


def _meaning(status: int) -> tuple[ErrorKind, _Sentence]:
    for statuses, kind, sentence in _MEANINGS:
        if status in statuses:
            return kind, sentence
    return _REJECTED if 400 <= status < 500 else _FAILED


def broken_call(service: Service, error: Exception) -> SearchError:
    """The error behind what httpx raised, without its words, which may hold an address or key."""
    name, variable = service.name, service.variable
    if isinstance(error, httpx.TimeoutException):
        return SearchError(ErrorKind.TIMEOUT, SearchText.no_answer(name))
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.InvalidURL):
        return SearchError(ErrorKind.NOT_AUTHORISED, SearchText.misconfigured(name, variable))
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return SearchError(ErrorKind.NETWORK, SearchText.unreachable(name, variable))
    return SearchError(ErrorKind.NETWORK, SearchText.broken_off(name))


def odd_key(service: Service) -> SearchError:
    """The error for a key that cannot stand in a header."""
    return SearchError(ErrorKind.NOT_AUTHORISED, SearchText.odd_key(service.name, service.variable))


def not_results(service: Service) -> SearchError:
    """The error for an answer that cannot be read."""
    return SearchError(ErrorKind.BAD_OUTPUT, SearchText.not_results(service.name, service.variable))
