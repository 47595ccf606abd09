"""Ids, times, permissions, flags and components as Discord writes them."""

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any

import discord

Wire = dict[str, Any]
Clock = Callable[[], float]
ALL_PERMISSIONS = discord.Permissions.all().value
_EPOCH_MS = 1_420_070_400_000


class Snowflakes:
    """Hands out ids that are strictly increasing and carry the moment they were made."""

    def __init__(self, clock: Clock) -> None:
        self._clock, self._last = clock, 0

    def next(self) -> int:
        moment = int(self._clock() * 1000) - _EPOCH_MS << 22
        self._last = max(self._last + 1, moment)
        return self._last

    def go_beyond(self, number: int) -> None:
        """Hand out only larger ids from now on, even if the clock is behind."""
        self._last = max(self._last, number)


def moment_of(snowflake: int) -> float:
    return ((snowflake >> 22) + _EPOCH_MS) / 1000


def iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()


@cache
def bits(*names: str) -> int:
    """Permissions, named as discord.py names them, as a number."""
    return discord.Permissions(**dict.fromkeys(names, True)).value


class Flag(enum.IntFlag):
    """Message flags."""

    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SILENT = 1 << 12
    COMPONENTS_V2 = 1 << 15


@dataclass(frozen=True, slots=True)
class Pings:
    """Who a message notified."""

    users: frozenset[int] = frozenset()
    roles: frozenset[int] = frozenset()
    everyone: bool = False

    def __bool__(self) -> bool:
        return bool(self.users or self.roles or self.everyone)

    def __or__(self, other: "Pings") -> "Pings":
        everyone = self.everyone or other.everyone
        return Pings(self.users | other.users, self.roles | other.roles, everyone)


def walk(components: list[Wire]) -> Iterator[Wire]:
    """Every component, containers before what they hold."""
    for part in components:
        yield part
        inner = [part[key] for key in ("component", "accessory") if part.get(key)]
        yield from walk([*part.get("components", ()), *inner])
