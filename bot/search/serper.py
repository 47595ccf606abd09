"""Serper, which asks Google."""

from typing import Final

import httpx
from pydantic import SecretStr

from bot.messages.search import SearchText
from bot.models.port import ErrorKind
from bot.search.calling import Call, fetch_json, rows_at
from bot.search.failures import Refusal, Service
from bot.search.port import SearchError, SearchResult
from bot.search.results import Fields, read_results

ADDRESS: Final = "https://google.serper.dev"
SERVICE: Final = Service("Serper", "SERPER_API_KEY")
_FIELDS: Final = Fields(url="link", snippet="snippet", published="date")


class SerperSearch:
    """Searches with Serper."""

    def __init__(self, client: httpx.AsyncClient, key: SecretStr, address: str = ADDRESS) -> None:
        self._client = client
        self._key = key
        self._url = f"{address}/search"

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        headers = {"X-API-KEY": self._key.get_secret_value()}
        call = Call("POST", self._url, headers, body={"q": query, "num": count})
        answer = await fetch_json(self._client, SERVICE, call, _explain)
        return read_results(rows_at(SERVICE, answer, "organic", may_miss=True), _FIELDS, count)


def _explain(refusal: Refusal) -> SearchError | None:
    """Serper reports an empty account with a status that otherwise means something else."""
    if refusal.status in (400, 403) and "credit" in refusal.body.casefold():
        return SearchError(ErrorKind.OUT_OF_MONEY, SearchText.serper_used_up(refusal.status))
    return None
