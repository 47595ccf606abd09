"""Adapters of search services, one call each; which one is asked says panels.json and .env."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

import httpx
from pydantic import SecretStr

from bot.http.bounded import TooLargeError, read_beginning, read_body
from bot.messages.search import SearchText
from bot.panels.sections import Search
from bot.search.port import Explain, SearchError, SearchPort, SearchRefusal, SearchResult, Service
from bot.search.results import SNIPPET_CHARS, Fields, read_results
from bot.types import SecretLookup
from bot.types.model_port import ErrorKind

_LONGEST_ANSWER: Final = 1_000_000
_LONGEST_REFUSAL: Final = 16_384
_MOST_ROWS: Final = 100
_SECONDS: Final = re.compile(r"[0-9]{1,6}")
_STATED_WAIT: Final = re.compile(r'"retry_after_seconds"\s{0,8}:\s{0,8}([0-9]{1,6})\b')
_BRAVE_ADDRESS: Final = "https://api.search.brave.com"
_BRAVE_SERVICE: Final = Service("Brave", "BRAVE_API_KEY")
_BRAVE_RESULTS: Final = 20
_BRAVE_WORDS: Final = 50
"""Brave rejects longer queries."""
_BRAVE_FIELDS: Final = Fields(snippet="description", published="age")
_EXA_ADDRESS: Final = "https://api.exa.ai"
_EXA_SERVICE: Final = Service("Exa", "EXA_API_KEY")
_EXA_FIELDS: Final = Fields(snippet="text", published="publishedDate")
_EXA_TEXT_CHARS: Final = 2 * SNIPPET_CHARS
"""More than is kept, because cleaning takes some of it away."""
_SEARXNG_SERVICE: Final = Service("SearXNG", "SEARXNG_URL")
_SEARXNG_FIELDS: Final = Fields(published="publishedDate")
_SEARXNG_REFUSALS: Final = {
    401: (ErrorKind.NOT_AUTHORISED, SearchText.SEARXNG_LOCKED),
    403: (ErrorKind.NOT_AUTHORISED, SearchText.SEARXNG_NO_JSON),
    429: (ErrorKind.RATE_LIMITED, SearchText.SEARXNG_LIMITER),
}
_SERPER_ADDRESS: Final = "https://google.serper.dev"
_SERPER_SERVICE: Final = Service("Serper", "SERPER_API_KEY")
_SERPER_FIELDS: Final = Fields(url="link", snippet="snippet", published="date")
_TAVILY_ADDRESS: Final = "https://api.tavily.com"
_TAVILY_SERVICE: Final = Service("Tavily", "TAVILY_API_KEY")
_TAVILY_FIELDS: Final = Fields()
_TAVILY_KEYLESS: Final = {"X-Tavily-Access-Mode": "keyless"}


@dataclass(frozen=True, slots=True)
class _Call:
    """One request to a service."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] | None = None
    body: Mapping[str, object] | None = None


async def _fetch_json(
    client: httpx.AsyncClient, service: Service, call: _Call, explain: Explain | None = None
) -> object:
    """Make the call and parse its answer; raises SearchError and nothing else."""
    if not all(value.isascii() and value.isprintable() for value in call.headers.values()):
        raise service.odd_key()
    try:
        async with client.stream(
            call.method, call.url, headers=call.headers, params=call.params, json=call.body
        ) as response:
            if not response.is_success:
                refusal = await _refusal(response)
                raise (explain and explain(refusal)) or service.refused(refusal)
            body = await read_body(response, _LONGEST_ANSWER)
    except TooLargeError:
        raise service.not_results() from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _broken_call(service, error) from None
    return _parsed(service, body)


def _rows_at(
    service: Service, answer: object, *path: str, may_miss: bool = False
) -> list[Mapping[str, object]]:
    """The list of results inside an answer; `may_miss` when services leave an empty one out."""
    for name in path:
        if not isinstance(answer, dict):
            raise service.not_results()
        if may_miss and answer.get(name) is None:
            return []
        answer = answer.get(name)
    if not isinstance(answer, list):
        raise service.not_results()
    return [row for row in answer[:_MOST_ROWS] if isinstance(row, dict)]


async def _refusal(response: httpx.Response) -> SearchRefusal:
    try:
        body = (await read_beginning(response, _LONGEST_REFUSAL)).decode("utf-8", "replace")
    except httpx.HTTPError:
        body = ""  # the status says enough when the explanation breaks off
    stated = _SECONDS.fullmatch(response.headers.get("retry-after", "").strip())
    wait = stated[0] if stated else "".join(_STATED_WAIT.findall(body)[:1])
    return SearchRefusal(
        response.status_code, body, SearchText.seconds(wait) if wait else SearchText.A_WHILE
    )


def _parsed(service: Service, body: bytes) -> object:
    try:
        parsed: object = json.loads(body)
    except (ValueError, RecursionError):
        raise service.not_results() from None
    return parsed


class BraveSearch:
    """Searches with Brave."""

    def __init__(
        self, client: httpx.AsyncClient, key: SecretStr, address: str = _BRAVE_ADDRESS
    ) -> None:
        self._client = client
        self._key = key
        self._url = f"{address}/res/v1/web/search"

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        asked = " ".join(query.split()[:_BRAVE_WORDS])
        call = _Call(
            "GET",
            self._url,
            {"X-Subscription-Token": self._key.get_secret_value()},
            params={"q": asked, "count": str(min(count, _BRAVE_RESULTS))},
        )
        answer = await _fetch_json(self._client, _BRAVE_SERVICE, call, _explain_brave)
        found = _rows_at(_BRAVE_SERVICE, answer, "web", "results", may_miss=True)
        return read_results(found, _BRAVE_FIELDS, count)


def _explain_brave(refusal: SearchRefusal) -> SearchError | None:
    """Brave reports a wrong key as an unprocessable request."""
    if refusal.status == 422 and "SUBSCRIPTION_TOKEN" in refusal.body:
        return SearchError(ErrorKind.NOT_AUTHORISED, SearchText.BRAVE_KEY_REFUSED)
    return None


class ExaSearch:
    """Searches with Exa."""

    def __init__(
        self, client: httpx.AsyncClient, key: SecretStr, address: str = _EXA_ADDRESS
    ) -> None:
        self._client = client
        self._key = key
        self._url = f"{address}/search"

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        text = {"maxCharacters": _EXA_TEXT_CHARS}
        body = {"query": query, "numResults": count, "contents": {"text": text}}
        call = _Call("POST", self._url, {"x-api-key": self._key.get_secret_value()}, body=body)
        answer = await _fetch_json(self._client, _EXA_SERVICE, call)
        return read_results(_rows_at(_EXA_SERVICE, answer, "results"), _EXA_FIELDS, count)


class SearxngSearch:
    """Searches with SearXNG; the address is kept secret because it may hold a password."""

    def __init__(self, client: httpx.AsyncClient, address: SecretStr) -> None:
        self._client = client
        self._address = address

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        base = self._address.get_secret_value().rstrip("/")
        call = _Call("GET", f"{base}/search", params={"q": query, "format": "json"})
        answer = await _fetch_json(self._client, _SEARXNG_SERVICE, call, _explain_searxng)
        found = _rows_at(_SEARXNG_SERVICE, answer, "results")
        if not found and isinstance(answer, dict) and answer.get("unresponsive_engines"):
            raise SearchError(ErrorKind.OVERLOADED, SearchText.SEARXNG_SILENT)
        return read_results(found, _SEARXNG_FIELDS, count)


def _explain_searxng(refusal: SearchRefusal) -> SearchError | None:
    found = _SEARXNG_REFUSALS.get(refusal.status)
    return SearchError(*found) if found else None


class SerperSearch:
    """Searches with Serper."""

    def __init__(
        self, client: httpx.AsyncClient, key: SecretStr, address: str = _SERPER_ADDRESS
    ) -> None:
        self._client = client
        self._key = key
        self._url = f"{address}/search"

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        headers = {"X-API-KEY": self._key.get_secret_value()}
        call = _Call("POST", self._url, headers, body={"q": query, "num": count})
        answer = await _fetch_json(self._client, _SERPER_SERVICE, call, _explain_serper)
        return read_results(
            _rows_at(_SERPER_SERVICE, answer, "organic", may_miss=True), _SERPER_FIELDS, count
        )


def _explain_serper(refusal: SearchRefusal) -> SearchError | None:
    """Serper reports an empty account with a status that otherwise means something else."""
    if refusal.status in (400, 403) and "credit" in refusal.body.casefold():
        return SearchError(ErrorKind.OUT_OF_MONEY, SearchText.serper_used_up(refusal.status))
    return None


class TavilySearch:
    """Searches with Tavily; no key means its free access."""

    def __init__(
        self, client: httpx.AsyncClient, key: SecretStr | None, address: str = _TAVILY_ADDRESS
    ) -> None:
        self._client = client
        self._key = key
        self._url = f"{address}/search"

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        body = {"query": query, "max_results": count, "search_depth": "basic"}
        call = _Call("POST", self._url, self._headers(), body=body)
        answer = await _fetch_json(self._client, _TAVILY_SERVICE, call, self._explain)
        return read_results(_rows_at(_TAVILY_SERVICE, answer, "results"), _TAVILY_FIELDS, count)

    def _headers(self) -> dict[str, str]:
        if self._key is None:
            return _TAVILY_KEYLESS
        return {"Authorization": f"Bearer {self._key.get_secret_value()}"}

    def _explain(self, refusal: SearchRefusal) -> SearchError | None:
        if self._key is not None or refusal.status not in (401, 403, 429, 432, 433):
            return None
        if refusal.status in (401, 403):
            return SearchError(ErrorKind.NOT_AUTHORISED, SearchText.tavily_refuses(refusal.status))
        sentence = SearchText.tavily_used_up(refusal.status, refusal.wait)
        return SearchError(ErrorKind.RATE_LIMITED, sentence)


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


def choose(search: Search, secret: SecretLookup, client: httpx.AsyncClient) -> SearchPort | None:
    """The service to search with; None when panels.json turned the search off."""
    if search.provider == "off":
        return None
    for adapter in _candidates(search):
        if value := secret(adapter.variable):
            return adapter.build(client, SecretStr(value))
    problem = missing(search, secret)
    return TavilySearch(client, None) if problem is None else _Unconfigured(problem)


def missing(search: Search, secret: SecretLookup) -> str | None:
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


def _broken_call(service: Service, error: Exception) -> SearchError:
    """The error behind what httpx raised, without its words, which may hold an address or key."""
    name, variable = service.name, service.variable
    if isinstance(error, httpx.TimeoutException):
        return SearchError(ErrorKind.TIMEOUT, SearchText.no_answer(name))
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.InvalidURL):
        return SearchError(ErrorKind.NOT_AUTHORISED, SearchText.misconfigured(name, variable))
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return SearchError(ErrorKind.NETWORK, SearchText.unreachable(name, variable))
    return SearchError(ErrorKind.NETWORK, SearchText.broken_off(name))
