"""Files that come with Roundtable: beside the code in a checkout, inside the package in a wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path:
    """Where a file of the repository's top level is, such as panels.json or prompts."""
    packed = _PACKAGE / "shipped"
    return (packed if packed.is_dir() else _PACKAGE.parent) / name
