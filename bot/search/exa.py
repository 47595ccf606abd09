"""Exa, which gives the beginning of a page's text instead of a snippet."""

from typing import Final

import httpx
from pydantic import SecretStr

from bot.search.calling import Call, fetch_json, rows_at
from bot.search.failures import Service
from bot.search.port import SearchResult
from bot.search.results import SNIPPET_CHARS, Fields, read_results

ADDRESS: Final = "https://api.exa.ai"
SERVICE: Final = Service("Exa", "EXA_API_KEY")
_FIELDS: Final = Fields(snippet="text", published="publishedDate")
_TEXT_CHARS: Final = 2 * SNIPPET_CHARS
"""More than is kept, because cleaning takes some of it away."""


class ExaSearch:
    """Searches with Exa."""

    def __init__(self, client: httpx.AsyncClient, key: SecretStr, address: str = ADDRESS) -> None:
        self._client = client
        self._key = key
        self._url = f"{address}/search"

    async def search(self, query: str, count: int) -> tuple[SearchResult, ...]:
        """Find at most `count` results; raises SearchError."""
        text = {"maxCharacters": _TEXT_CHARS}
        body = {"query": query, "numResults": count, "contents": {"text": text}}
        call = Call("POST", self._url, {"x-api-key": self._key.get_secret_value()}, body=body)
        answer = await fetch_json(self._client, SERVICE, call)
        return read_results(rows_at(SERVICE, answer, "results"), _FIELDS, count)
