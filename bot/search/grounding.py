"""Searches the web for a topic once, within a time limit; failures never stop a run."""

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from bot.messages.search import SearchText
from bot.prompting.text import one_line
from bot.request.modes import normalise_topic
from bot.search.port import SearchError, SearchPort
from bot.search.results import Findings

_CACHE_SECONDS: Final = 900.0
_MOST_CACHED: Final = 256
_QUERY_CHARS: Final = 400
_DISCORD_IDS: Final = re.compile(r"<(?:@[!&]?|#|a?:\w{1,40}:)\d{1,25}>")
_log: Final = logging.getLogger(__name__)

_Clock = Callable[[], float]
_Key = tuple[str, int]


@dataclass(eq=False, slots=True)
class _Flight:
    """A running search and the number of look-ups that wait for it."""

    task: asyncio.Task[Findings]
    waiting: int = 0


class Grounder:
    """Searches for topics; `clock` gives seconds since 1970 and `port` is None when search is off.

    What was found is reused for `cache_seconds`, and look-ups of one topic at the same time share
    one request; failures are not kept.
    """

    def __init__(
        self, port: SearchPort | None, clock: _Clock, cache_seconds: float = _CACHE_SECONDS
    ) -> None:
        self._port = port
        self._clock = clock
        self._cache_seconds = cache_seconds
        self._cache: dict[_Key, tuple[float, Findings]] = {}
        self._flights: dict[_Key, _Flight] = {}
        self._tasks: set[asyncio.Task[Findings]] = set()

    async def look_up(self, topic: str, count: int, seconds: float) -> Findings:
        """What the web says about a topic within `seconds`; every failure is in the findings."""
        if self._port is None:
            return Findings.skipped(SearchText.SWITCHED_OFF)
        query = query_for(topic)
        key = (normalise_topic(query), count)
        if not query:
            return Findings.found((), self._today())
        return self._remembered(key) or await self._together(self._port, key, query, seconds)

    async def _together(self, port: SearchPort, key: _Key, query: str, seconds: float) -> Findings:
        """Wait for the search, which another look-up may have started."""
        flight = self._flights.get(key) or self._depart(port, key, query)
        flight.waiting += 1
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.shield(flight.task)
        except TimeoutError:
            return Findings.failed(self._today(), SearchText.not_in_time(seconds))
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                self._land(key, flight)

    def _depart(self, port: SearchPort, key: _Key, query: str) -> _Flight:
        task = asyncio.create_task(self._search(port, key, query), name="search")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._flights[key] = _Flight(task)
        return self._flights[key]

    def _land(self, key: _Key, flight: _Flight) -> None:
        """Nobody waits any more: cancel the search."""
        flight.task.cancel()
        if self._flights.get(key) is flight:
            del self._flights[key]

    async def _search(self, port: SearchPort, key: _Key, query: str) -> Findings:
        try:
            results = await port.search(query, key[1])
        except SearchError as error:
            _log.warning("The web search failed: %s", error.text)
            return Findings.failed(self._today(), error.text)
        except Exception:
            # A bug in an adapter costs the search results, not the run.
            _log.exception("The web search failed unexpectedly")
            return Findings.failed(self._today(), SearchText.UNEXPECTED)
        findings = Findings.found(results[: key[1]], self._today())
        self._remember(key, findings)
        return findings

    def _remembered(self, key: _Key) -> Findings | None:
        since, findings = self._cache.get(key, (0.0, None))
        fresh = 0 <= self._clock() - since < self._cache_seconds
        return findings if fresh else None

    def _remember(self, key: _Key, findings: Findings) -> None:
        self._cache.pop(key, None)
        self._cache[key] = (self._clock(), findings)
        while len(self._cache) > _MOST_CACHED:
            del self._cache[next(iter(self._cache))]

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).date().isoformat()


def query_for(topic: str) -> str:
    """The topic on one line, without ids of Discord, cut at a word: nothing else is sent out."""
    line = one_line(_DISCORD_IDS.sub(" ", topic))
    if len(line) <= _QUERY_CHARS:
        return line
    head, _, _ = line[: _QUERY_CHARS + 1].rpartition(" ")
    return head or line[:_QUERY_CHARS]
