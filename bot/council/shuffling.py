"""Shuffles that come out the same on every machine, Python version and restart."""

import hashlib
from collections.abc import Iterable


def shuffled(items: Iterable[str], *key: object) -> tuple[str, ...]:
    """The items in an order that depends on nothing but themselves and the key."""
    return tuple(sorted(items, key=lambda item: (_rank((*key, item)), item)))


def _rank(parts: tuple[object, ...]) -> bytes:
    """Each part carries its length, so that no two keys can be written alike."""
    digest = hashlib.sha256()
    for part in parts:
        data = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()
