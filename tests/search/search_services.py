"""The five services in tests: how each is built on an address and the shape in which it answers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from pydantic import SecretStr

from bot.search.adapters import BraveSearch, ExaSearch, SearxngSearch, SerperSearch, TavilySearch
from bot.search.port import SearchPort

KEY = "tvly-0123456789abcdef"
Row = Mapping[str, Any]


def _list(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"results": rows}


@dataclass(frozen=True, slots=True)
class KnownService:
    """A service, its way of wrapping rows, and its names for a row's parts."""

    build: Callable[[httpx.AsyncClient, str], SearchPort]
    wrap: Callable[[list[dict[str, Any]]], object] = _list
    url: str = "url"
    snippet: str = "content"
    published: str = "published_date"

    def answer(self, *rows: Row) -> object:
        """An answer with rows given under our names: title, url, snippet, published."""
        names = {"url": self.url, "snippet": self.snippet, "published": self.published}
        return self.wrap([{names.get(name, name): v for name, v in r.items()} for r in rows])


SERVICES: Mapping[str, KnownService] = {
    "tavily": KnownService(lambda client, url: TavilySearch(client, SecretStr(KEY), url)),
    "keyless": KnownService(lambda client, url: TavilySearch(client, None, url)),
    "brave": KnownService(
        lambda client, url: BraveSearch(client, SecretStr(KEY), url),
        lambda rows: {"web": {"results": rows}},
        snippet="description",
        published="age",
    ),
    "exa": KnownService(
        lambda client, url: ExaSearch(client, SecretStr(KEY), url),
        snippet="text",
        published="publishedDate",
    ),
    "serper": KnownService(
        lambda client, url: SerperSearch(client, SecretStr(KEY), url),
        lambda rows: {"organic": rows},
        url="link",
        snippet="snippet",
        published="date",
    ),
    "searxng": KnownService(
        lambda client, url: SearxngSearch(client, SecretStr(url)), published="publishedDate"
    ),
}
