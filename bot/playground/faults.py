"""Faults on order: what the network and Discord's servers do to a bot on a bad day."""

import random
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal

from bot.playground._basics import Clock, Wire
from bot.playground.model import Change


@dataclass(slots=True)
class Fault:
    """A fault of one route, e.g. `Fault("status", "POST", "channels/*/messages", status=502)`.

    `after` lets the request take effect first; `times` is how often it strikes (-1: for ever);
    `chance` is its probability each time.
    """

    kind: Literal["status", "reset", "delay"]
    method: str = "*"
    route: str = "*"
    status: int = 500
    seconds: float = 0.0
    after: bool = False
    via: bool = True
    times: int = 1
    chance: float = 1.0


@dataclass(slots=True)
class EventFault:
    """A fault of gateway events; `reorder` holds an event back until the next one went out."""

    kind: Literal["drop", "double", "delay", "reorder"]
    event: str = "*"
    seconds: float = 0.0
    times: int = 1
    chance: float = 1.0


@dataclass(slots=True)
class Faults:
    """The faults in force; the same seed gives the same bad luck."""

    seed: int = 0
    http: list[Fault] = field(default_factory=list)
    events: list[EventFault] = field(default_factory=list)
    struck: list[str] = field(default_factory=list)
    _held: list[Change] = field(default_factory=list)
    _dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def add(self, fault: Fault | EventFault) -> None:
        """Put a fault in force."""
        if isinstance(fault, Fault):
            self.http.append(fault)
        else:
            self.events.append(fault)

    def clear(self) -> None:
        """Lift every fault."""
        self.http.clear()
        self.events.clear()

    def for_request(self, method: str, path: str) -> Fault | None:
        """The fault that strikes this request, if any."""
        for fault in self.http:
            fits = fnmatchcase(method, fault.method) and fnmatchcase(path, fault.route)
            if fits and self._strikes(fault, f"{fault.kind} {method} {path}"):
                return fault
        return None

    def deliveries(self, change: Change) -> list[tuple[float, Change]]:
        """What is sent when this event happens, and after how many seconds."""
        for fault in self.events:
            fits = fnmatchcase(change.name, fault.event)
            if fits and self._strikes(fault, f"{fault.kind} {change.name}"):
                if fault.kind == "reorder":
                    self._held.append(change)
                copies = {"double": 2, "delay": 1}.get(fault.kind, 0)
                return [(fault.seconds, change)] * copies
        held, self._held = self._held, []
        return [(0.0, change), *((0.0, late) for late in held)]

    def _strikes(self, fault: Fault | EventFault, what: str) -> bool:
        if fault.times == 0 or self._dice.random() >= fault.chance:
            return False
        fault.times -= fault.times > 0
        self.struck.append(what)
        return True


@dataclass(frozen=True, slots=True)
class Limit:
    """So many requests in so many seconds."""

    count: int
    seconds: float


_GENEROUS = Limit(10_000, 1.0)
PER_TOKEN = Limit(50, 1.0)


@dataclass(slots=True)
class _Window:
    limit: Limit
    ends: float
    used: int = 0


@dataclass(slots=True)
class Limits:
    """Counts requests, by route and all together."""

    table: Mapping[str, Limit] = field(default_factory=dict)
    # All requests with the bot's token; Discord allows `PER_TOKEN`.
    everything: Limit = _GENEROUS
    # All messages of webhooks: without a token Discord counts by address, `PER_TOKEN`, too.
    addresses: Limit = _GENEROUS
    clock: Clock = time.monotonic
    # How many requests broke the limit of the token or of the address.
    violations: int = 0
    _windows: dict[str, _Window] = field(default_factory=dict)

    def take(self, route: str, major: str) -> tuple[dict[str, str], float, bool]:
        """Count a request: the headers to send, how long to wait (0: go on), if it is global."""
        told = self._window(route, major, self.table.get(route, _GENEROUS))
        checks = [told]
        if " webhooks/#/%" in route:
            checks.append(self._window("address", "", self.addresses))
        elif " interactions/" not in route:
            checks.append(self._window("", "", self.everything))
        now, full = self.clock(), [each for each in checks if each.used >= each.limit.count]
        for window in () if full else checks:
            window.used += 1
        headers = {
            "Limit": told.limit.count,
            "Remaining": told.limit.count - told.used,
            "Reset": time.time() + told.ends - now,
            "Reset-After": told.ends - now,
            "Bucket": zlib.crc32(route.encode()),
        }
        named = {f"X-RateLimit-{name}": str(value) for name, value in headers.items()}
        wait = max((window.ends - now for window in full), default=0.0)
        is_global = bool(full) and told not in full
        self.violations += is_global
        return named | {"Via": "1.1 google"}, wait, is_global

    def _window(self, route: str, major: str, limit: Limit) -> _Window:
        key, now = f"{route} {major}", self.clock()
        if key not in self._windows or self._windows[key].ends <= now:
            self._windows[key] = _Window(limit, now + limit.seconds)
        return self._windows[key]


@dataclass(slots=True)
class SessionStarts:
    """How a bot may identify: into how many shards, how often, and how many servers each has.

    Discord waits 5 seconds between two identifies of a rate limit key; by default nobody waits.
    """

    shards: int = 1
    most_guilds: int = 2500
    max_concurrency: int = 1
    total: int = 1000
    seconds: float = 0.0
    # How many seconds after its connection a session may be resumed.
    resumable: float = 180.0
    clock: Clock = time.monotonic
    used: int = 0
    # How many identifies came too soon.
    refused: int = 0
    _last: dict[int, float] = field(default_factory=dict)

    def wire(self) -> Wire:
        """What `GET /gateway/bot` says of it."""
        left = max(self.total - self.used, 0)
        limit = {"total": self.total, "remaining": left, "reset_after": 24 * 3_600_000}
        limit["max_concurrency"] = self.max_concurrency
        return {"shards": self.shards, "session_start_limit": limit}

    def too_soon(self, shard: int) -> bool:
        """Count an identify; whether the last one of its key was a moment ago."""
        key, now = shard % self.max_concurrency, self.clock()
        if now - self._last.get(key, -self.seconds) < self.seconds:
            self.refused += 1
            return True
        self._last[key] = now
        self.used += 1
        return False
