"""SearXNG on a server of one's own; its settings.yml must allow JSON."""

from typing import Final

import httpx
from pydantic import SecretStr

from bot.messages.search import SearchText
from bot.models.port import ErrorKind
from bot.search.calling import Call, fetch_json, rows_at
from bot.search.failures import Refusal, Service
from bot.search.port import SearchError, SearchResult
from bot.search.results import Fields, read_results

SERVICE: Final = Service("SearXNG", "SEARXNG_URL")
_FIELDS: Final = Fields(published="publishedDate")


class SearxngSearch:
    """Searches with SearXNG; the address is kept secret because it may hold a password."""

    def __init__(self, client: httpx.AsyncClient, address: SecretStr) -> None:
        self._client = client
        self._address = address

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        base = self._address.get_secret_value().rstrip("/")
        call = Call("GET", f"{base}/search", params={"q": query, "format": "json"})
        answer = await fetch_json(self._client, SERVICE, call, _explain)
        found = rows_at(SERVICE, answer, "results")
        if not found and isinstance(answer, dict) and answer.get("unresponsive_engines"):
            raise SearchError(ErrorKind.OVERLOADED, SearchText.SEARXNG_SILENT)
        return read_results(found, _FIELDS, count)


def _explain(refusal: Refusal) -> SearchError | None:
    found = _MEANINGS.get(refusal.status)
    return SearchError(*found) if found else None


_MEANINGS: Final = {
    401: (ErrorKind.NOT_AUTHORISED, SearchText.SEARXNG_LOCKED),
    403: (ErrorKind.NOT_AUTHORISED, SearchText.SEARXNG_NO_JSON),
    429: (ErrorKind.RATE_LIMITED, SearchText.SEARXNG_LIMITER),
}
