"""The settings of a floor, from panels.json, with the limits every floor keeps to."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from bot.panels import Arbiter, Followups

RUNNING_LEASE_MS: Final = 120_000
"""While a model call is known to run, a claim lives at least this long."""
ROUND_IDLE_MS: Final = 3_600_000
"""A round waits for slow seats at least this long before it counts as forgotten."""
_LEAST: Final = {
    "lease_ms": 1000,
    "settle_ms": 250,
    "bot_reopen_cooldown_ms": 0,
    "epoch_idle_ms": 60_000,
    "max_bot_hops": 1,
    "max_prompt_chars": 4000,
    "max_calls": 1,
}


@dataclass(frozen=True, slots=True)
class FloorConfig:
    """How a floor behaves; values below their least are raised to it."""

    enabled: bool = True
    enabled_channels: frozenset[int] = field(default_factory=frozenset)
    lease_ms: int = 15_000
    settle_ms: int = 1500
    bot_reopen_cooldown_ms: int = 15_000
    epoch_idle_ms: int = 3_600_000
    max_bot_hops: int = 16
    max_prompt_chars: int = 60_000
    fail_open: bool = True
    debug: bool = False
    trim_prompt: bool = False
    open_always: bool = False
    max_calls: int = 16

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            object.__setattr__(self, name, max(least, int(getattr(self, name))))

    @classmethod
    def of(cls, arbiter: Arbiter, followups: Followups) -> "FloorConfig":
        """The settings as panels.json has them."""
        return cls(
            enabled=arbiter.enabled,
            enabled_channels=frozenset(arbiter.enabled_channels),
            lease_ms=arbiter.lease_ms,
            settle_ms=arbiter.settle_ms,
            bot_reopen_cooldown_ms=arbiter.bot_reopen_cooldown_ms,
            epoch_idle_ms=arbiter.epoch_idle_ms,
            max_bot_hops=arbiter.max_bot_hops,
            max_prompt_chars=arbiter.max_prompt_chars,
            fail_open=arbiter.fail_open,
            debug=arbiter.debug,
            trim_prompt=arbiter.prompt_overflow == "trim",
            open_always=followups.open_floor == "always",
            max_calls=followups.max_calls_per_epoch,
        )

    def in_channel(self, channel_ids: Iterable[int]) -> "FloorConfig":
        """The settings for a thread: off unless its own or its parent's id is allowed."""
        allowed = not self.enabled_channels or not self.enabled_channels.isdisjoint(channel_ids)
        return self if allowed else replace(self, enabled=False)
