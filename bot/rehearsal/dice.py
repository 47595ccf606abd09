"""Dice that always fall the same way for the same names, in every process."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Dice:
    """A reproducible source of choices, seeded by any number of names."""

    def __init__(self, *names: object) -> None:
        key = "\x1f".join(str(name) for name in names).encode("utf-8", "surrogatepass")
        self._random = random.Random(int.from_bytes(hashlib.sha256(key).digest()))

    def unit(self) -> float:
        """A number from 0 up to 1."""
        return self._random.random()

    def between(self, low: float, high: float) -> float:
        """A number from `low` to `high`."""
        return low + (high - low) * self.unit()

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.unit() < probability

    def pick(self, items: Sequence[_T]) -> _T:
        """One of the items."""
        return items[int(self.unit() * len(items))]

    def order(self, items: Sequence[_T]) -> list[_T]:
        """All items in a new order."""
        places = [(self.unit(), number) for number in range(len(items))]
        return [items[number] for _, number in sorted(places)]
