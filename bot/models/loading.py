"""Patience with servers that load a model when it is first asked, and forget it when it rests."""

import time
from collections.abc import Callable, Collection
from typing import Final

LOAD_SECONDS: Final = 120.0
KEPT_SECONDS: Final = 240.0
"""A little less than Ollama keeps a model that nobody asks."""


class LoadPatience:
    """Gives a call more time when its model may have to be loaded before it can begin."""

    def __init__(
        self, providers: Collection[str] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._providers = frozenset(providers)
        self._clock = clock
        self._answered: dict[tuple[str, str], float] = {}

    def expect(self, providers: Collection[str]) -> None:
        """From now on these providers load their models when they are first asked."""
        self._providers = frozenset(providers)

    def extra_seconds(self, provider: str, model: str) -> float:
        """How much longer than usual a call may take."""
        if provider not in self._providers:
            return 0.0
        last = self._answered.get((provider, model))
        fresh = last is not None and self._clock() - last < KEPT_SECONDS
        return 0.0 if fresh else LOAD_SECONDS

    def answered(self, provider: str, model: str) -> None:
        """A model answered, so it is loaded."""
        self._answered[(provider, model)] = self._clock()
