"""Files on disk: for the bot's own user alone, no links followed; and those that come with it."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """Where a file of the repository's top level is: beside bot/, or in a wheel inside it."""
    packed = _PACKAGE / "shipped"
    return (packed if packed.is_dir() else _PACKAGE.parent) / name
