"""The recorded id lists of the providers."""

import json

from tests.keys.record import CATALOGUES


def recorded(provider: str) -> tuple[str, ...]:
    """The ids a provider served on the day its list was recorded."""
    text = (CATALOGUES / f"{provider}.json").read_text(encoding="utf-8")
    return tuple(json.loads(text)["models"])
