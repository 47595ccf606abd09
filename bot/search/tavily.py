"""Tavily: with a key, or without one through its free access, which is limited."""

from typing import Final

import httpx
from pydantic import SecretStr

from bot.messages.search import SearchText
from bot.models.port import ErrorKind
from bot.search.calling import Call, fetch_json, rows_at
from bot.search.failures import Refusal, Service
from bot.search.port import SearchError, SearchResult
from bot.search.results import Fields, read_results

ADDRESS: Final = "https://api.tavily.com"
SERVICE: Final = Service("Tavily", "TAVILY_API_KEY")
_FIELDS: Final = Fields()
_KEYLESS: Final = {"X-Tavily-Access-Mode": "keyless"}


class TavilySearch:
    """Searches with Tavily; no key means its free access."""

    def __init__(
        self, client: httpx.AsyncClient, key: SecretStr | None, address: str = ADDRESS
    ) -> None:
        self._client = client
        self._key = key
        self._url = f"{address}/search"

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        body = {"query": query, "max_results": count, "search_depth": "basic"}
        call = Call("POST", self._url, self._headers(), body=body)
        answer = await fetch_json(self._client, SERVICE, call, self._explain)
        return read_results(rows_at(SERVICE, answer, "results"), _FIELDS, count)

    def _headers(self) -> dict[str, str]:
        if self._key is None:
            return _KEYLESS
        return {"Authorization": f"Bearer {self._key.get_secret_value()}"}

    def _explain(self, refusal: Refusal) -> SearchError | None:
        if self._key is not None or refusal.status not in (401, 403, 429, 432, 433):
            return None
        if refusal.status in (401, 403):
            return SearchError(ErrorKind.NOT_AUTHORISED, SearchText.tavily_refuses(refusal.status))
        sentence = SearchText.tavily_used_up(refusal.status, refusal.wait)
        return SearchError(ErrorKind.RATE_LIMITED, sentence)
