"""Rate limits: a window for each route and major parameter, told in headers, kept with 429."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.playground.snowflakes import Clock


@dataclass(frozen=True, slots=True)
class Limit:
    """So many requests in so many seconds."""

    count: int
    seconds: float


GENEROUS = Limit(10_000, 1.0)
# What people observed of Discord; the numbers are not documented.
REALISTIC: Mapping[str, Limit] = {
    "POST channels/#/messages": Limit(5, 5.0),
    "PATCH channels/#/messages/#": Limit(5, 5.0),
    "PATCH channels/#": Limit(2, 600.0),
    "PUT channels/#/messages/#/reactions/%/@me": Limit(1, 0.25),
    "POST webhooks/#/%": Limit(5, 2.0),
    "PATCH webhooks/#/%/messages/%": Limit(5, 2.0),
}
REALISTIC_HIDDEN: Mapping[str, Limit] = {"POST webhooks/#/%": Limit(30, 60.0)}


@dataclass(slots=True)
class _Window:
    limit: Limit
    ends: float
    used: int = 0


@dataclass(slots=True)
class Limits:
    """Counts requests; `hidden` limits are enforced without being told in headers."""

    table: Mapping[str, Limit] = field(default_factory=dict)
    hidden: Mapping[str, Limit] = field(default_factory=dict)
    everything: Limit = GENEROUS
    default: Limit = GENEROUS
    clock: Clock = time.monotonic
    _windows: dict[str, _Window] = field(default_factory=dict)

    @classmethod
    def realistic(cls) -> "Limits":
        """Limits as strict as those of the real Discord."""
        return cls(REALISTIC, REALISTIC_HIDDEN, Limit(50, 1.0), Limit(50, 1.0))

    def take(self, route: str, major: str) -> tuple[dict[str, str], float, bool]:
        """Count a request: the headers to send, how long to wait (0: go on), if it is global."""
        told = self._window(f"{route} {major}", self.table.get(route, self.default))
        checks = [told]
        if route in self.hidden:
            checks.append(self._window(f"hidden {route} {major}", self.hidden[route]))
        if not route.startswith(("POST interactions", "POST webhooks")):
            checks.append(self._window("everything", self.everything))
        full = [window for window in checks if window.used >= window.limit.count]
        if not full:
            for window in checks:
                window.used += 1
        wait = max((window.ends - self.clock() for window in full), default=0.0)
        return self._headers(route, told), wait, bool(full) and told not in full

    def _window(self, key: str, limit: Limit) -> _Window:
        window = self._windows.get(key)
        if window is None or window.ends <= self.clock():
            window = self._windows[key] = _Window(limit, self.clock() + limit.seconds)
        return window

    def _headers(self, route: str, window: _Window) -> dict[str, str]:
        left = max(window.ends - self.clock(), 0.0)
        return {
            "X-RateLimit-Limit": str(window.limit.count),
            "X-RateLimit-Remaining": str(window.limit.count - window.used),
            "X-RateLimit-Reset": f"{time.time() + left:.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": hashlib.sha256(route.encode()).hexdigest()[:32],
            "Via": "1.1 google",
        }
