"""Which search service is asked: what panels.json and .env say together."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import httpx
from pydantic import SecretStr

from bot.messages.search import SearchText
from bot.models.port import ErrorKind
from bot.panels.sections import Search
from bot.search.brave import BraveSearch
from bot.search.exa import ExaSearch
from bot.search.port import SearchError, SearchPort, SearchResult
from bot.search.searxng import SearxngSearch
from bot.search.serper import SerperSearch
from bot.search.tavily import TavilySearch

Secret = Callable[[str], str | None]
"""Looks up a variable of the environment or .env, as `Settings.secret` does."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """A search service as panels.json names it, and the variable that gives access to it."""

    provider: str
    variable: str
    build: Callable[[httpx.AsyncClient, SecretStr], SearchPort]


ADAPTERS: Final = (
    Adapter("tavily", "TAVILY_API_KEY", TavilySearch),
    Adapter("brave", "BRAVE_API_KEY", BraveSearch),
    Adapter("exa", "EXA_API_KEY", ExaSearch),
    Adapter("serper", "SERPER_API_KEY", SerperSearch),
    Adapter("searxng", "SEARXNG_URL", SearxngSearch),
)
"""In the order in which "auto" tries them; Tavily's free access comes after all of them."""


def choose(search: Search, secret: Secret, client: httpx.AsyncClient) -> SearchPort | None:
    """The service to search with; None when panels.json turned the search off."""
    if search.provider == "off":
        return None
    for adapter in _candidates(search):
        if value := secret(adapter.variable):
            return adapter.build(client, SecretStr(value))
    problem = missing(search, secret)
    return TavilySearch(client, None) if problem is None else _Unconfigured(problem)


def missing(search: Search, secret: Secret) -> str | None:
    """What the chosen service lacks, as a sentence for admins; None when it can be asked."""
    if search.provider in ("off", "auto", "tavily"):
        return None
    (adapter,) = _candidates(search)
    if secret(adapter.variable):
        return None
    return SearchText.not_set(adapter.provider, adapter.variable)


def _candidates(search: Search) -> list[Adapter]:
    return [a for a in ADAPTERS if search.provider in ("auto", a.provider)]


class _Unconfigured:
    """Stands in for a service that was chosen without its key, so that every run says so."""

    def __init__(self, problem: str) -> None:
        self._problem = problem

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:  # noqa: ARG002
        """Say what is missing; raises SearchError."""
        raise SearchError(ErrorKind.NOT_AUTHORISED, self._problem)
