"""Which models are usable now: by the providers' lists, and by the servers on this machine."""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bot.files.private import replace_file
from bot.models.failure_details import mapping
from bot.models.lists import Answer, ask_for_list, offer_of
from bot.models.local_servers import LoadPatience, LocalServers, find_local
from bot.panels import PanelsConfig, Resolution, resolve_models
from bot.panels.newest import is_pattern
from bot.panels.offers import Offer
from bot.panels.price_list import has_price
from bot.panels.providers import HostedProvider, OpenAIProvider
from bot.panels.urls import is_loopback
from bot.types import SecretLookup, Sleep

if TYPE_CHECKING:
    import httpx


_FILE: Final = "model-lists.json"
_DAY: Final = 86_400.0
_RETRY_SECONDS: Final = 900.0

_log = logging.getLogger(__name__)
_STALE_SECONDS: Final = 15.0


class KnownLists:
    """The last list of every provider; if one cannot be read, the previous one stays."""

    def __init__(
        self,
        client: "Callable[[], httpx.AsyncClient]",
        secret: SecretLookup,
        home: Path | None = None,
        clock: Callable[[], float] = time.time,
        *,
        keeps: bool = True,
    ) -> None:
        self._client = client
        self._secret = secret
        self._file = home / _FILE if home else None
        self._clock = clock
        self._keeps = keeps
        self._stored = _stored(self._file)
        self.answers: Mapping[str, Answer] = {}
        """The last result for each provider, by its name in panels.json."""
        self.due_in = 0.0
        """Seconds until the lists are fetched again, counted from the last time."""

    @property
    def refusals(self) -> Mapping[str, str]:
        """Why providers cannot be used: they rejected the key."""
        return {name: a.refused for name, a in self.answers.items() if a.refused}

    async def ask(self, config: PanelsConfig) -> None:
        """Fetch the lists of all providers with a key concurrently."""
        asked = self._askable(config)
        today = datetime.fromtimestamp(self._clock(), UTC).date().isoformat()
        asking = (
            ask_for_list(self._client(), provider, self._key(provider), today)
            for provider in asked.values()
        )
        self.answers = dict(zip(asked, await asyncio.gather(*asking), strict=True))
        for name, answer in self.answers.items():
            if answer.offer is not None:
                self._stored[asked[name].base_url] = _row(answer.offer)
            elif answer.failed:
                _log.info("%s: %s", name, answer.failed)
        failed = any(answer.failed for answer in self.answers.values())
        self.due_in = _RETRY_SECONDS if failed else _DAY
        self._keep()

    def offers(self, config: PanelsConfig) -> dict[str, Offer]:
        """The last known list of each provider of a configuration."""
        return {
            name: offer_of(provider, row["models"], frozenset(row["priced"]))
            for name, provider in self._askable(config).items()
            if (row := self._stored.get(provider.base_url)) is not None
        }

    def _askable(self, config: PanelsConfig) -> dict[str, HostedProvider]:
        """Providers with a key; local servers are asked before each run instead."""
        return {
            name: provider
            for name, provider in config.providers.items()
            if isinstance(provider, HostedProvider)
            and not (isinstance(provider, OpenAIProvider) and is_loopback(provider.base_url))
            and (self._key(provider) or not provider.api_key_env)
        }

    def _key(self, provider: HostedProvider) -> str:
        if provider.api_key_env:
            return (self._secret(provider.api_key_env) or "").strip()
        return provider.api_key.get_secret_value() if provider.api_key else ""

    def _keep(self) -> None:
        if self._file is None or not self._stored or not self._keeps:
            return
        with suppress(OSError):
            replace_file(self._file, json.dumps(self._stored))


def _row(offer: Offer) -> dict[str, Any]:
    return {
        "models": {wire: offer.created.get(wire) for wire in offer.models},
        "priced": sorted(offer.priced),
    }


def _stored(file: Path | None) -> dict[str, dict[str, Any]]:
    """The lists stored by an earlier start; an unreadable file counts as none."""
    try:
        rows = mapping(json.loads(file.read_text(encoding="utf-8"))) if file else {}
    except (OSError, ValueError, RecursionError):
        return {}
    return {url: row for url, row in rows.items() if _sound(mapping(row))}


def _sound(row: Mapping[str, Any]) -> bool:
    models, priced = row.get("models"), row.get("priced")
    return (
        isinstance(models, dict)
        and all(isinstance(at, int | float | None) for at in models.values())
        and isinstance(priced, list)
        and all(isinstance(wire, str) for wire in priced)
    )


class Availability:
    """Which models are usable; a server that starts or stops later is noticed, too."""

    def __init__(
        self,
        config: PanelsConfig,
        secret: SecretLookup,
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
        """The lists of hosted providers; None uses the shipped price list."""
        self._local = LocalServers({}, {})
        self._resolution: Resolution | None = None

    @property
    def resolution(self) -> Resolution:
        """Which models are usable, as known so far."""
        if self._resolution is None:
            self._resolution = self._resolve()
        return self._resolution

    def follow(self, config: PanelsConfig) -> None:
        """Resolve every model by another configuration, with the servers known so far."""
        self._config = config
        self._resolution = None

    async def start(self) -> None:
        """Fetch all lists, look for local servers, and resolve every model."""
        await asyncio.gather(self.ask(), self.look())

    async def ask(self) -> None:
        """Fetch the lists of hosted providers, and log which models change."""
        if self.lists is None:
            return
        before = self._resolution
        await self.lists.ask(self._config)
        self._resolution = None
        if before is not None:
            self._tell_changes(before)

    async def ask_daily(self, sleep: Sleep) -> None:
        """Fetch the lists once a day, sooner after a failure; never returns."""
        while self.lists is not None:
            await sleep(self.lists.due_in)
            await self.ask()

    async def look(self) -> None:
        """Look for local servers and resolve every model again."""
        self._looked_at = self._clock()
        local = await find_local(self._config)
        self.loading.expect(local.loading)
        if local != self._local:
            self._local, self._resolution = local, None

    async def look_again(self) -> None:
        """Look again, unless that was done a moment ago."""
        if self._clock() - self._looked_at >= _STALE_SECONDS:
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
                    "%s now maps to %s through %s, before it was %s", key, *now, was.wire_model
                )
