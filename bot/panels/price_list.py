"""The public price list that Roundtable ships with."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Final

from bot.panels.providers import HostedProvider, OpenAIProvider, Provider
from bot.panels.urls import is_blockrun, is_loopback

_Cost = Callable[[int, int, int, int], float]
"""Dollars for tokens read and written, and how many read came from a cache or were put into it."""
_SAMPLE: Final = 1000


def has_price(provider: Provider, wire_model: str) -> bool:
    """Whether a model's price need not be asked for: the list knows it, or nothing is paid."""
    if not isinstance(provider, HostedProvider):
        return True
    here = is_loopback(provider.base_url) and not is_blockrun(provider.base_url)
    if isinstance(provider, OpenAIProvider) and provider.free is not None:
        return provider.free
    return here or listed_cost(provider.base_url, wire_model) is not None


@lru_cache(maxsize=2048)
def listed_cost(base_url: str, wire_model: str) -> _Cost | None:
    """How the list computes what a model costs at a provider; None when it does not know."""
    if is_loopback(base_url) and not is_blockrun(base_url):
        return None
    for name, url in _meant(base_url, wire_model):
        cost = partial(_cost, name, url)
        try:
            cost(_SAMPLE, _SAMPLE, 0, 0)
        except (LookupError, ValueError):
            continue
        return cost
    return None


def _meant(base_url: str, wire_model: str) -> Iterator[tuple[str, str | None]]:
    """Blockrun sells at the vendors' prices, under the vendors' names before a slash."""
    if not is_blockrun(base_url):
        yield wire_model, base_url
        return
    name = wire_model.rpartition("/")[2]
    yield from ((name, None), (f"{name}-preview", None))


def _cost(name: str, url: str | None, read: int, written: int, cached: int, kept: int) -> float:
    """What the list says; it knows tiers and caches, so it does the sums itself."""
    from genai_prices import Usage, calc_price  # noqa: PLC0415 (a quarter of a second)

    cached = min(cached, read)
    usage = Usage(
        input_tokens=read,
        output_tokens=written,
        cache_read_tokens=cached,
        cache_write_tokens=min(kept, read - cached),
    )
    return float(calc_price(usage, name, provider_api_url=url).total_price)


@lru_cache(maxsize=64)
def known_ids(base_url: str) -> tuple[str, ...]:
    """The ids served at a base URL as far as the price list knows; none for other servers."""
    from genai_prices.data import providers  # noqa: PLC0415 (a quarter of a second)

    for provider in providers:
        if re.match(provider.api_pattern, base_url):
            return tuple(model.id for model in provider.models if not model.deprecated)
    return ()
