"""Shuffles that come out the same on every machine, Python version and restart."""

import hashlib
from collections.abc import Iterable


def shuffled(items: Iterable[str], *key: object) -> tuple[str, ...]:
    """The items in an order that depends on nothing but themselves and the key."""
    begun = hashlib.sha256(b"".join([_written(part) for part in key]))

    def rank(item: str) -> tuple[bytes, str]:
        digest = begun.copy()
        digest.update(_written(item))
        return digest.digest(), item

    return tuple(sorted(items, key=rank))


def _written(part: object) -> bytes:
    """Each part carries its length, so that different keys never collide."""
    data = str(part).encode("utf-8", "surrogatepass")
    return len(data).to_bytes(8, "big") + data
