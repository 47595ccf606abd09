"""The search service: opened with the first question, as panels.json and .env say."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.messages.search import SearchText
from bot.panels.sections import Search
from bot.search.results import Findings
from bot.types import SecretLookup

if TYPE_CHECKING:
    import httpx

    from bot.search.grounding import Grounder


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
        secret: SecretLookup,
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
            return Findings.skipped(SearchText.REHEARSED)
        if self._grounder is None:
            self._grounder = self._open()
        return await self._grounder.look_up(topic, count, seconds)

    def import_adapters(self) -> None:
        """Import what searches; slow, for a thread beside the event loop."""
        from bot.search import adapters, grounding  # noqa: F401, PLC0415 (imported for later)

    async def close(self) -> None:
        """Close the connections to the search service."""
        if self._client is not None:
            await self._client.aclose()

    def _is_configured(self) -> bool:
        from bot.search.adapters import ADAPTERS  # noqa: PLC0415 (slow, for the first question)

        return any(
            self._secret(adapter.variable)
            for adapter in ADAPTERS
            if self._search.provider in ("auto", adapter.provider)
        )

    def _open(self) -> "Grounder":
        from bot.http.client import make_client  # noqa: PLC0415 (slow, for the first question)
        from bot.search.adapters import choose  # noqa: PLC0415
        from bot.search.grounding import Grounder  # noqa: PLC0415

        self._client = self._client or make_client()
        return Grounder(choose(self._search, self._secret, self._client), self._clock)
