"""What a model costs: the configured price, else the public price list, else nobody knows.

A cost the provider itself reports comes before all of these; it is known only after the call.
"""

import asyncio
import enum
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from bot.messages.money import MoneyText
from bot.models.registry import ReportedPrice
from bot.panels import (
    HostedProvider,
    LocalProvider,
    OpenAIProvider,
    PanelsConfig,
    Price,
    Provider,
    RehearsalProvider,
    Resolution,
    ResolvedModel,
)
from bot.panels.price_list import listed_cost
from bot.panels.sections import EFFORT_FACTORS
from bot.panels.urls import is_blockrun, is_loopback

_MILLION = 1_000_000
_REASONING = 4000
"""Tokens a model may think unseen in one call when panels.json does not say."""
_USUALLY_THOUGHT = 0.25
"""The share of that allowance which an estimate reckons with."""
_Reported = Callable[[str], Awaitable[Mapping[str, ReportedPrice]]]
_SAMPLE = 1000


class Tokens(NamedTuple):
    """What a call read and wrote.

    `cached` is the part of `read` that came from the provider's cache and cost less, `kept` the
    part that was put into it and may cost more.
    """

    read: int
    written: int
    cached: int = 0
    kept: int = 0

    @property
    def all(self) -> int:
        """Everything read and written."""
        return self.read + self.written


class Source(enum.StrEnum):
    """Where a price comes from."""

    CONFIGURED = "configured"
    LISTED = "listed"
    REPORTED = "reported"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Tariff:
    """A model's known price in US dollars."""

    source: Source
    read_per_million: float
    written_per_million: float
    calculate: Callable[[Tokens], float] | None = None
    cached_per_million: float | None = None

    def cost(self, tokens: Tokens) -> float:
        """What so many tokens cost; where no price of a cache is known, cached ones cost all."""
        if self.calculate is not None:
            return self.calculate(tokens)
        cached = 0 if self.cached_per_million is None else min(tokens.cached, tokens.read)
        read = (tokens.read - cached) * self.read_per_million
        read += cached * (self.cached_per_million or 0.0)
        return (read + tokens.written * self.written_per_million) / _MILLION


_FREE = Tariff(Source.FREE, 0.0, 0.0)


class PriceBook:
    """The price of every model of the configuration; the public list is read when first needed."""

    def __init__(
        self,
        config: Callable[[], PanelsConfig],
        served: Callable[[], Resolution],
        reported: _Reported | None = None,
    ) -> None:
        self._config = config
        self._served = served
        self._reported = reported
        self._listed: dict[tuple[str, str], Tariff | None] = {}
        self._filtered: tuple[Resolution, Resolution] | None = None

    def tariff(self, model: ResolvedModel) -> Tariff | None:
        """The model's price through its route, or None when nobody knows it."""
        config = self._config()
        named, provider = config.models.get(model.key), config.providers.get(model.provider)
        if named is not None and named.price is not None and not _costs_nothing(provider):
            return _configured(named.price)
        if provider is None:
            return None
        if _is_free(provider):
            return _FREE
        return self._look_up(provider, model.wire_model)

    def reasoning_tokens(self, model: ResolvedModel) -> int:
        """How much a model may think unseen in one call, on top of what it writes."""
        named = self._config().models.get(model.key)
        if named is not None and named.reasoning_tokens is not None:
            return named.reasoning_tokens
        return round(_REASONING * EFFORT_FACTORS[model.effort or "medium"])

    def expected_reasoning(self, model: ResolvedModel) -> int:
        """How much of that a call usually takes; nothing for models that were not said to think."""
        named = self._config().models.get(model.key)
        thinks = named is not None and (named.reasoning_tokens is not None or named.effort)
        return round(self.reasoning_tokens(model) * _USUALLY_THOUGHT) if thinks else 0

    async def load(self) -> None:
        """Look prices up beside the event loop, because reading the list takes its time."""
        wanted = list(self._served().models.values())
        if any(self._is_new(model) for model in wanted):
            await asyncio.to_thread(lambda: [self.tariff(model) for model in wanted])
            await self._ask_providers(wanted)

    async def _ask_providers(self, wanted: Sequence[ResolvedModel]) -> None:
        """What nobody else knows, a router's own list may tell."""
        for model in wanted:
            provider = self._config().providers.get(model.provider)
            if self._reported is None or not isinstance(provider, HostedProvider):
                continue
            key = (provider.base_url, model.wire_model)
            if key not in self._listed or self._listed[key] is not None:
                continue
            found = (await self._reported(model.provider)).get(model.wire_model)
            if found is not None:
                self._listed[key] = Tariff(
                    Source.REPORTED,
                    found.read_per_million,
                    found.written_per_million,
                    cached_per_million=found.cached_per_million,
                )
                self._filtered = None

    def allowed(self, model: ResolvedModel) -> bool:
        """Whether a model may be called: its price is known, or an admin allowed it without."""
        named = self._config().models.get(model.key)
        unpriced = named is not None and named.allow_unpriced
        return unpriced or self.tariff(model) is not None

    def usable(self) -> Resolution:
        """What is served now without the models that may not be called, each with the reason."""
        resolution = self._served()
        if self._filtered is None or self._filtered[0] is not resolution:
            self._filtered = (resolution, self._filter(resolution))
        return self._filtered[1]

    def _filter(self, resolution: Resolution) -> Resolution:
        refused = {k: m for k, m in resolution.models.items() if not self.allowed(m)}
        if not refused:
            return resolution
        models = {k: m for k, m in resolution.models.items() if k not in refused}
        why = {
            k: (MoneyText.no_price(m.provider, m.wire_model, m.key),) for k, m in refused.items()
        }
        # Their other routes would not help: no other provider is missed for them (2.2#17).
        return replace(
            resolution,
            models=models,
            reasons={**resolution.reasons, **why},
            routed={**resolution.routed, **{k: (m.provider,) for k, m in refused.items()}},
        )

    def _is_new(self, model: ResolvedModel) -> bool:
        """Whether the price stands neither in the file nor among those looked up before."""
        config = self._config()
        named, provider = config.models.get(model.key), config.providers.get(model.provider)
        if not isinstance(provider, HostedProvider) or _is_free(provider):
            return False
        looked_up = (provider.base_url, model.wire_model) in self._listed
        return not looked_up and not (named is not None and named.price is not None)

    def _look_up(self, provider: Provider, wire_model: str) -> Tariff | None:
        if not isinstance(provider, HostedProvider):
            return None
        key = (provider.base_url, wire_model)
        if key not in self._listed:
            self._listed[key] = _listed(*key)
        return self._listed[key]


def _is_free(provider: Provider) -> bool:
    """Whether calls cost nothing: no model at all, or one on this machine that is no gateway."""
    if isinstance(provider, OpenAIProvider) and provider.free is not None:
        return provider.free
    if isinstance(provider, HostedProvider):
        return is_loopback(provider.base_url) and not is_blockrun(provider.base_url)
    return isinstance(provider, LocalProvider | RehearsalProvider)


def _costs_nothing(provider: Provider | None) -> bool:
    """A stand-in costs nothing whatever the model it plays would cost."""
    return isinstance(provider, RehearsalProvider)


def _configured(price: Price) -> Tariff:
    return Tariff(
        Source.CONFIGURED,
        price.input_per_million,
        price.output_per_million,
        cached_per_million=price.cached_input_per_million,
    )


def _listed(base_url: str, wire_model: str) -> Tariff | None:
    """The public list's price."""
    cost = listed_cost(base_url, wire_model)
    if cost is None:
        return None

    def calculate(tokens: Tokens) -> float:
        return cost(tokens.read, tokens.written, tokens.cached, tokens.kept)

    per_token = _MILLION / _SAMPLE
    read = calculate(Tokens(_SAMPLE, 0)) * per_token
    written = calculate(Tokens(0, _SAMPLE)) * per_token
    return Tariff(Source.LISTED, read, written, calculate)
