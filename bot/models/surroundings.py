"""Which models are usable here and now: looked up at the start, and again before each meeting."""

import time
from collections.abc import Callable
from typing import Final

from bot.models.loading import LoadPatience
from bot.models.local_servers import LocalServers, find_local
from bot.panels import PanelsConfig, Resolution, resolve_models

Secret = Callable[[str], str | None]
STALE_SECONDS: Final = 15.0


class Surroundings:
    """What was found around the bot; a server that starts or ends later is noticed, too."""

    def __init__(
        self,
        config: PanelsConfig,
        secret: Secret,
        adapters: frozenset[str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._secret = secret
        self._adapters = adapters
        self._clock = clock
        self._looked_at = clock()
        self.loading = LoadPatience()
        self._local = LocalServers({}, {})
        self.resolution = self._resolve()

    def follow(self, config: PanelsConfig) -> None:
        """Resolve every model by another configuration, with the servers known so far."""
        self._config = config
        self.resolution = self._resolve()

    async def look(self) -> None:
        """Look which servers run here and resolve every model anew."""
        self._looked_at = self._clock()
        self._local = await find_local(self._config)
        self.loading.expect(self._local.loading)
        self.resolution = self._resolve()

    async def look_again(self) -> None:
        """Look anew, unless that was done a moment ago."""
        if self._clock() - self._looked_at >= STALE_SECONDS:
            await self.look()

    def _resolve(self) -> Resolution:
        local = self._local
        return resolve_models(
            self._config, self._secret, self._adapters, local.faults, local.offers
        )
