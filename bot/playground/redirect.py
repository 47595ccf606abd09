"""Points an unmodified discord.py at another Discord-compatible server."""

from collections.abc import Iterator
from contextlib import contextmanager

import discord
import yarl
from discord.gateway import DiscordWebSocket
from discord.http import Route


@contextmanager
def redirect_discord_py(api: str = "", gateway: str = "", cdn: str = "") -> Iterator[None]:
    """Send REST, gateway and avatar traffic of this process elsewhere; empty means unchanged."""
    before = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY, discord.Asset.BASE
    _aim(api or before[0], yarl.URL(gateway) if gateway else before[1], cdn or before[2])
    try:
        yield
    finally:
        _aim(*before)


def _aim(api: str, gateway: yarl.URL, cdn: str) -> None:
    Route.BASE, discord.Asset.BASE = api.rstrip("/"), cdn.rstrip("/")
    DiscordWebSocket.DEFAULT_GATEWAY = gateway
