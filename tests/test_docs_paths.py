"""The documents name files and folders that there are."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sources import ROOT

DOCS = [
    *("README.md", "docs/formats.md", "docs/operations.md", "docs/panels.md", "docs/security.md"),
    "docs/architecture.md",
    *(f"docs/decisions/{path.name}" for path in sorted((ROOT / "docs/decisions").glob("*.md"))),
]
_TOP = r"(?:bench|bot|cogs|deploy|docs|prompts|tests|tools)"
_PATH = re.compile(rf"`({_TOP}/[\w./*-]*)`")
_LINK = re.compile(r"\]\((?!https?:|#)([^)#\s`]+)")


def missing(text: str, folder: Path) -> Iterator[str]:
    """What a document in this folder names in vain; `*` stands for any name."""
    for path in _PATH.findall(text):
        if not list(ROOT.glob(path.rstrip("/"))):
            yield path
    for link in _LINK.findall(text):
        if not (folder / link).exists():
            yield link


@pytest.mark.parametrize("name", DOCS)
def test_what_a_document_names_is_there(name: str) -> None:
    doc = ROOT / name
    assert list(missing(doc.read_text(encoding="utf-8"), doc.parent)) == []


def test_a_path_that_is_gone_is_found() -> None:
    text = "`bot/app.py`, `bot/gone.py`, `prompts/*.md`, [a](README.md) [b](gone.md) [c](https://x)"
    assert list(missing(text, ROOT)) == ["bot/gone.py", "gone.md"]
