"""Discord's events, from the gateway that hears one to the worker that handles it."""

from dataclasses import dataclass
from typing import Any, Final

READY: Final = "READY"
"""A shard identified; its payload names the shard and its servers."""
SHARD_READY: Final = "SHARD_READY"
"""All servers of a shard that identified were described; its payload says what was missed.

This name is ours: Discord does not tell when the last server was described.
"""
INTERACTION: Final = "INTERACTION_CREATE"
SERVER_EVENTS: Final = frozenset(
    "GUILD_CREATE GUILD_UPDATE GUILD_DELETE GUILD_ROLE_CREATE GUILD_ROLE_UPDATE GUILD_ROLE_DELETE"
    " GUILD_MEMBER_UPDATE CHANNEL_CREATE CHANNEL_UPDATE CHANNEL_DELETE THREAD_CREATE THREAD_UPDATE"
    " THREAD_DELETE THREAD_LIST_SYNC".split()
)
"""What changes how a server looks."""


@dataclass(frozen=True, slots=True)
class GatewayEvent:
    """An event as a gateway hands it on.

    `payload` is a JSON document, `key` is for what Discord may tell twice, `server` is where it
    happened (0 is what belongs to no server), and `mark` is the shard, its session and the event's
    number in it.
    """

    event: str
    payload: str
    key: str | None = None
    author_id: int = 0
    server: int = 0
    mark: tuple[int, str, int] | None = None


@dataclass(frozen=True, slots=True)
class TakenEvent:
    """An event that a worker handles, how many seconds it waited, and where it happened."""

    event: str
    payload: Any
    age: float
    server: int = 0
