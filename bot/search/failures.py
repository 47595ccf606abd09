"""Why a search service did not answer, in one sentence that says what to do next."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import httpx

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

_ELSEWHERE: Final = "{name} is not where Roundtable looks for it (HTTP {status}); "
_REJECTED: Final = (
    ErrorKind.UNSUPPORTED_PARAMETER,
    "{name} rejected the query (HTTP {status}); put the topic in other words.",
)
_FAILED: Final = (ErrorKind.NETWORK, "{name} failed (HTTP {status}); try again in a moment.")
_MEANINGS: Final = (
    (
        (401, 403, 407),
        ErrorKind.NOT_AUTHORISED,
        "{name} did not accept the key (HTTP {status}); check {variable} in .env.",
    ),
    (
        (402, 432, 433),
        ErrorKind.OUT_OF_MONEY,
        "{name}'s plan or credit is used up (HTTP {status}); choose another search.provider.",
    ),
    (
        (429,),
        ErrorKind.RATE_LIMITED,
        "{name} is asked too often (HTTP 429); wait {wait} or choose another search.provider.",
    ),
    (
        (*range(300, 400), 404, 405, 410),
        ErrorKind.NOT_AUTHORISED,
        _ELSEWHERE + "check {variable} in .env or choose another search.provider.",
    ),
    (
        (503, 529),
        ErrorKind.OVERLOADED,
        "{name} is overloaded (HTTP {status}); try again in a moment.",
    ),
    ((408, 409, 425), *_FAILED),
)


def by_status(service: Service, refusal: Refusal) -> SearchError:
    """The error that an HTTP status stands for."""
    status = refusal.status
    kind, sentence = _meaning(status)
    name, variable = service.name, service.variable
    return SearchError(
        kind, sentence.format(name=name, variable=variable, status=status, wait=refusal.wait)
    )


def _meaning(status: int) -> tuple[ErrorKind, str]:
    for statuses, kind, sentence in _MEANINGS:
        if status in statuses:
            return kind, sentence
    return _REJECTED if 400 <= status < 500 else _FAILED


def broken_call(service: Service, error: Exception) -> SearchError:
    """The error behind what httpx raised, without its words, which may hold an address or key."""
    name, variable = service.name, service.variable
    if isinstance(error, httpx.TimeoutException):
        return SearchError(
            ErrorKind.TIMEOUT, f"{name} did not answer in time; try again in a moment."
        )
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.InvalidURL):
        return SearchError(
            ErrorKind.NOT_AUTHORISED,
            f"{name} cannot be called as configured; check {variable} in .env.",
        )
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return SearchError(
            ErrorKind.NETWORK,
            f"{name} cannot be reached; check the network and {variable} in .env.",
        )
    return SearchError(ErrorKind.NETWORK, f"The connection to {name} broke; try again in a moment.")


def odd_key(service: Service) -> SearchError:
    """The error for a key that cannot stand in a header."""
    return SearchError(
        ErrorKind.NOT_AUTHORISED,
        f"The key of {service.name} holds characters no key has; copy {service.variable} into "
        ".env again.",
    )


def not_results(service: Service) -> SearchError:
    """The error for an answer that cannot be read."""
    return SearchError(
        ErrorKind.BAD_OUTPUT,
        f"{service.name} answered with something other than search results; check "
        f"{service.variable} in .env or choose another search.provider.",
    )
