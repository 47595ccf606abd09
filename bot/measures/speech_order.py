"""In which order the answers of a round are posted; they are always generated together."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

from bot.types.mode import SpeechOrder


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


def post_order(
    order: SpeechOrder,
    roles: Sequence[str],
    priorities: Mapping[str, int],
    seed: int | str,
    round_number: int,
) -> tuple[str, ...] | None:
    """The roles in posting order, or None when each is posted as soon as it is ready."""
    if order == "free":
        return None
    if order == "random":
        return shuffled(roles, "speech order", seed, round_number)
    if order == "priority":
        return tuple(sorted(roles, key=lambda role: -priorities.get(role, 0)))
    return tuple(roles)
