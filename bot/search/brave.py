"""Brave's web search."""

from typing import Final

import httpx
from pydantic import SecretStr

from bot.messages.search import SearchText
from bot.models.port import ErrorKind
from bot.search.calling import Call, fetch_json, rows_at
from bot.search.failures import Refusal, Service
from bot.search.port import SearchError, SearchResult
from bot.search.results import Fields, read_results

ADDRESS: Final = "https://api.search.brave.com"
SERVICE: Final = Service("Brave", "BRAVE_API_KEY")
MOST_RESULTS: Final = 20
MOST_WORDS: Final = 50
"""Brave rejects longer queries."""
_FIELDS: Final = Fields(snippet="description", published="age")


class BraveSearch:
    """Searches with Brave."""

    def __init__(self, client: httpx.AsyncClient, key: SecretStr, address: str = ADDRESS) -> None:
        self._client = client
        self._key = key
        self._url = f"{address}/res/v1/web/search"

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        asked = " ".join(query.split()[:MOST_WORDS])
        call = Call(
            "GET",
            self._url,
            {"X-Subscription-Token": self._key.get_secret_value()},
            params={"q": asked, "count": str(min(count, MOST_RESULTS))},
        )
        answer = await fetch_json(self._client, SERVICE, call, _explain)
        found = rows_at(SERVICE, answer, "web", "results", may_miss=True)
        return read_results(found, _FIELDS, count)


def _explain(refusal: Refusal) -> SearchError | None:
    """Brave reports a wrong key as an unprocessable request."""
    if refusal.status == 422 and "SUBSCRIPTION_TOKEN" in refusal.body:
        return SearchError(ErrorKind.NOT_AUTHORISED, SearchText.BRAVE_KEY_REFUSED)
    return None
