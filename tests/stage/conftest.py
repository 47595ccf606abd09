"""A bot of discord.py on the embedded Discord, and a store."""

from tests.playground.conftest import bot, server
from tests.support.sqlite_store import store

__all__ = ["bot", "server", "store"]
