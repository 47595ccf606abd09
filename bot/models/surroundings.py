"""Which models are usable here and now: looked up at the start, and again before each meeting."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Final

from bot.models.known_lists import KnownLists
from bot.models.loading import LoadPatience
from bot.models.local_servers import LocalServers, find_local
from bot.money.known_prices import has_price
from bot.panels import PanelsConfig, Resolution, resolve_models
from bot.panels.newest import is_pattern

Secret = Callable[[str], str | None]
Sleep = Callable[[float], Awaitable[None]]
STALE_SECONDS: Final = 15.0

_log = logging.getLogger(__name__)


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
        self.lists: KnownLists | None = None
        """What providers elsewhere have; None takes what the price list knows."""
        self._local = LocalServers({}, {})
        self._resolution: Resolution | None = None

    @property
    def resolution(self) -> Resolution:
        """Which models are usable, by what is known so far."""
        if self._resolution is None:
            self._resolution = self._resolve()
        return self._resolution

    def follow(self, config: PanelsConfig) -> None:
        """Resolve every model by another configuration, with the servers known so far."""
        self._config = config
        self._resolution = None

    async def start(self) -> None:
        """Ask every provider what it has, here and elsewhere, and resolve every model."""
        await asyncio.gather(self.ask(), self.look())

    async def ask(self) -> None:
        """Ask the providers elsewhere for their lists, and log which model changes with them."""
        if self.lists is None:
            return
        before = self._resolution
        await self.lists.ask(self._config)
        self._resolution = None
        if before is not None:
            self._tell_changes(before)

    async def ask_daily(self, sleep: Sleep) -> None:
        """Ask for the lists once a day, sooner after one that could not be read; never ends."""
        while self.lists is not None:
            await sleep(self.lists.due_in)
            await self.ask()

    async def look(self) -> None:
        """Check which local servers run and resolve every model again."""
        self._looked_at = self._clock()
        local = await find_local(self._config)
        self.loading.expect(local.loading)
        if local != self._local:
            self._local, self._resolution = local, None

    async def look_again(self) -> None:
        """Check again, unless that was done a moment ago."""
        if self._clock() - self._looked_at >= STALE_SECONDS:
            await self.look()

    def _resolve(self) -> Resolution:
        faults, offers = dict(self._local.faults), dict(self._local.offers)
        if self.lists is not None:
            faults |= self.lists.refusals
            offers |= self.lists.offers(self._config)
        config, secret = self._config, self._secret
        return resolve_models(config, secret, self._adapters, faults, offers, has_price)

    def _tell_changes(self, before: Resolution) -> None:
        for key, model in self.resolution.models.items():
            was, named = before.models.get(key), self._config.models.get(key)
            by_pattern = named is not None and any(is_pattern(r.model) for r in named.routes)
            if by_pattern and was is not None and was.wire_model != model.wire_model:
                now = (model.wire_model, model.provider)
                _log.info(
                    ("%s now maps to %s through %s, before it was %s"), key, *now, was.wire_model
                )
