"""What all layers share: words, ids and plain helpers that import nothing else of the bot."""

from collections.abc import Callable

SecretLookup = Callable[[str], str | None]
"""Looks up a variable of the environment or .env, as `Settings.secret` does."""
