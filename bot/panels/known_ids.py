"""The ids the shipped price list knows of a provider, for when the provider cannot be asked."""

import re
from functools import lru_cache


@lru_cache(maxsize=64)
def known_ids(base_url: str) -> tuple[str, ...]:
    """The ids served at a base URL as far as the price list knows; none for other servers."""
    from genai_prices.data import providers  # noqa: PLC0415 (a quarter of a second)

    for provider in providers:
        if re.match(provider.api_pattern, base_url):
            return tuple(model.id for model in provider.models if not model.deprecated)
    return ()
