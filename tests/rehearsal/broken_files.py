"""Data files that are broken for a test, and the sentence with which they are refused."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bot.errors import ConfigError

Broken = Mapping[str, tuple[str, str, str, str]]
"""By what is wrong: the file, the words that are replaced, by which, and the sentence."""


def each(broken: Broken) -> pytest.MarkDecorator:
    """One test for each way to break a file."""
    return pytest.mark.parametrize(("name", "old", "new", "sentence"), broken.values(), ids=broken)


def break_file(file: Path, old: str, new: str) -> None:
    """Replace words that must be there, once."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def refusal(load: Callable[[Path], object], folder: Path) -> str:
    """What the loader of a folder says when it refuses it."""
    with pytest.raises(ConfigError) as refused:
        load(folder)
    return refused.value.text
