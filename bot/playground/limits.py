"""Rate limits: a window for each route and major parameter, told in headers, kept with 429."""

import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.playground._basics import Clock


@dataclass(frozen=True, slots=True)
class Limit:
    """So many requests in so many seconds."""

    count: int
    seconds: float


GENEROUS = Limit(10_000, 1.0)


@dataclass(slots=True)
class _Window:
    limit: Limit
    ends: float
    used: int = 0


@dataclass(slots=True)
class Limits:
    """Counts requests, by route and all together."""

    table: Mapping[str, Limit] = field(default_factory=dict)
    everything: Limit = GENEROUS
    clock: Clock = time.monotonic
    _windows: dict[str, _Window] = field(default_factory=dict)

    def take(self, route: str, major: str) -> tuple[dict[str, str], float, bool]:
        """Count a request: the headers to send, how long to wait (0: go on), if it is global."""
        told = self._window(route, major, self.table.get(route, GENEROUS))
        checks = [told]
        if not route.startswith(("POST interactions", "POST webhooks")):
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
        return named | {"Via": "1.1 google"}, wait, bool(full) and told not in full

    def _window(self, route: str, major: str, limit: Limit) -> _Window:
        key, now = f"{route} {major}", self.clock()
        if key not in self._windows or self._windows[key].ends <= now:
            self._windows[key] = _Window(limit, now + limit.seconds)
        return self._windows[key]
