"""Which search service is asked: what panels.json and .env say together."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import httpx
from pydantic import SecretStr

from bot.messages.search import SearchText
from bot.panels.sections import Search
from bot.search.adapters import BraveSearch, ExaSearch, SearxngSearch, SerperSearch, TavilySearch
from bot.search.port import SearchError, SearchPort, SearchResult
from bot.search.results import Findings, skipped
from bot.types.model_port import ErrorKind

if TYPE_CHECKING:
    from bot.search.grounding import Grounder


_Secret = Callable[[str], str | None]
"""Looks up a variable of the environment or .env, as `Settings.secret` does."""


@dataclass(frozen=True, slots=True)
class _Adapter:
    """A search service as panels.json names it, and the variable that gives access to it."""

    provider: str
    variable: str
    build: Callable[[httpx.AsyncClient, SecretStr], SearchPort]


ADAPTERS: Final = (
    _Adapter("tavily", "TAVILY_API_KEY", TavilySearch),
    _Adapter("brave", "BRAVE_API_KEY", BraveSearch),
    _Adapter("exa", "EXA_API_KEY", ExaSearch),
    _Adapter("serper", "SERPER_API_KEY", SerperSearch),
    _Adapter("searxng", "SEARXNG_URL", SearxngSearch),
)
"""In the order in which "auto" tries them; Tavily's free access comes after all of them."""


def choose(search: Search, secret: _Secret, client: httpx.AsyncClient) -> SearchPort | None:
    """The service to search with; None when panels.json turned the search off."""
    if search.provider == "off":
        return None
    for adapter in _candidates(search):
        if value := secret(adapter.variable):
            return adapter.build(client, SecretStr(value))
    problem = missing(search, secret)
    return TavilySearch(client, None) if problem is None else _Unconfigured(problem)


def missing(search: Search, secret: _Secret) -> str | None:
    """What the chosen service lacks, as a sentence for admins; None when it can be asked."""
    if search.provider in ("off", "auto", "tavily"):
        return None
    (adapter,) = _candidates(search)
    if secret(adapter.variable):
        return None
    return SearchText.not_set(adapter.provider, adapter.variable)


def _candidates(search: Search) -> list[_Adapter]:
    return [a for a in ADAPTERS if search.provider in ("auto", a.provider)]


class _Unconfigured:
    """Stands in for a service that was chosen without its key, so that every run says so."""

    def __init__(self, problem: str) -> None:
        self._problem = problem

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:  # noqa: ARG002
        """Say what is missing; raises SearchError."""
        raise SearchError(ErrorKind.NOT_AUTHORISED, self._problem)


_MOST_DIGESTS = 256


class _DigestMemory(dict[Findings, str]):
    """What was made of findings, so that a topic asked again is not condensed again (E35)."""

    def __setitem__(self, findings: Findings, digest: str) -> None:
        while len(self) >= _MOST_DIGESTS:
            del self[next(iter(self))]
        super().__setitem__(findings, digest)


class SearchService:
    """Looks topics up; a rehearsal asks nobody outside unless a service is configured for it."""

    def __init__(
        self,
        search: Search,
        secret: _Secret,
        *,
        rehearsal: Callable[[], bool],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._search = search
        self._secret = secret
        self._rehearsal = rehearsal
        self._clock = clock
        self._client: httpx.AsyncClient | None = None
        self._grounder: Grounder | None = None
        self.digests = _DigestMemory()

    def follow(self, search: Search) -> None:
        """Search as another configuration says, from the next question on."""
        if search != self._search:
            self._search, self._grounder = search, None

    async def look_up(self, topic: str, count: int, seconds: float) -> Findings:
        """What the web says about a topic; every failure is in the findings."""
        if self._rehearsal() and not self._is_configured():
            return skipped(SearchText.REHEARSED)
        if self._grounder is None:
            self._grounder = self._open()
        return await self._grounder.look_up(topic, count, seconds)

    async def close(self) -> None:
        """Close the connections to the search service."""
        if self._client is not None:
            await self._client.aclose()

    def _is_configured(self) -> bool:

        return any(
            self._secret(adapter.variable)
            for adapter in ADAPTERS
            if self._search.provider in ("auto", adapter.provider)
        )

    def _open(self) -> "Grounder":
        from bot.http.client import make_client  # noqa: PLC0415 (slow, for the first question)
        from bot.search.grounding import Grounder  # noqa: PLC0415

        self._client = self._client or make_client()
        return Grounder(choose(self._search, self._secret, self._client), self._clock)
