"""What all layers share: words, ids and plain helpers that import nothing else of the bot."""

from collections.abc import Awaitable, Callable

SecretLookup = Callable[[str], str | None]
"""Looks up a variable of the environment or .env, as `Settings.secret` does."""
Sleep = Callable[[float], Awaitable[None]]
"""Waits so many seconds; injected, so that tests need not wait."""
