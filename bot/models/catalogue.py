"""What OpenRouter sells and for how much, as it reports itself; read when asked, kept for hours."""

import asyncio
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from bot.models.failure_details import mapping, parse_json, text

if TYPE_CHECKING:
    import httpx


_KEPT_SECONDS: Final = 6 * 3600.0
_RETRY_SECONDS: Final = 300.0
_SECONDS: Final = 10.0
_MOST_PAGES: Final = 20
_LONGEST_LIST: Final = 8 * 1024 * 1024
"""All pages together."""
_MILLION: Final = 1_000_000
NOTHING: Final[Mapping[str, "ReportedPrice"]] = MappingProxyType({})

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReportedPrice:
    """Dollars for a million tokens; `cached` where reading from a cache has a price of its own."""

    read_per_million: float
    written_per_million: float
    cached_per_million: float | None = None


class Catalogue:
    """The price list of one router; a list that cannot be read leaves the last one standing."""

    def __init__(
        self,
        base_url: str,
        client: "Callable[[], httpx.AsyncClient]",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = f"{base_url.rstrip('/')}/models"
        self._client = client
        self._clock = clock
        self._prices = NOTHING
        self._due = -math.inf
        self._reading = asyncio.Lock()

    async def prices(self) -> Mapping[str, ReportedPrice]:
        """The price of every model by the router's own id; models without a price are left out."""
        async with self._reading:
            if self._clock() >= self._due:
                await self._refresh()
        return self._prices

    async def _refresh(self) -> None:
        import httpx  # noqa: PLC0415 (heavy, first use)

        try:
            async with asyncio.timeout(_SECONDS):
                found = {model: price async for model, price in self._read()}
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError) as error:
            _log.info("the list of models could not be read: %s", type(error).__name__)
            self._due = self._clock() + _RETRY_SECONDS
            return
        self._prices = MappingProxyType(found)
        self._due = self._clock() + _KEPT_SECONDS

    async def _read(self) -> AsyncIterator[tuple[str, ReportedPrice]]:
        from bot.http.bounded import read_body  # noqa: PLC0415 (heavy, first use)

        url, left = self._url, _LONGEST_LIST
        for _ in range(_MOST_PAGES):
            async with self._client().stream("GET", url) as answer:
                if not answer.is_success:
                    raise ValueError(url)
                body = await read_body(answer, left)
            left -= len(body)
            page = mapping(parse_json(body))
            listed = page.get("data")
            for entry in listed if isinstance(listed, list) else ():
                for priced in _priced(mapping(entry)):
                    yield priced
            following = self._next(page)
            if following is None:
                return
            url = following

    def _next(self, page: Mapping[str, Any]) -> str | None:
        """The next page, if it is on the same server: a list leads nowhere else."""
        link = text(mapping(page.get("links")).get("next"))
        if not link:
            return None
        whole = urljoin(self._url, link)
        here, there = urlsplit(self._url), urlsplit(whole)
        return whole if (here.scheme, here.netloc) == (there.scheme, there.netloc) else None


def _priced(entry: Mapping[str, Any]) -> Iterator[tuple[str, ReportedPrice]]:
    told = mapping(entry.get("pricing"))
    read, written = _dollars(told, "prompt"), _dollars(told, "completion")
    name = text(entry.get("id"))
    if name and read is not None and written is not None:
        yield name, ReportedPrice(read, written, _dollars(told, "input_cache_read"))


def _dollars(pricing: Mapping[str, Any], name: str) -> float | None:
    """Dollars per million tokens; what is no price, such as -1 for "it depends", is unknown."""
    try:
        value = float(pricing[name])
    except (KeyError, TypeError, ValueError):
        return None
    return value * _MILLION if math.isfinite(value) and value >= 0 else None
