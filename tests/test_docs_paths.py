"""The documents name existing files and folders, and every decision is listed."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.syntax_trees import ROOT

DOCS = [
    *("CHANGELOG.md", "CONTRIBUTING.md", "README.md"),
    *(
        path.relative_to(ROOT).as_posix()
        for folder in ("docs", "docs/decisions", "docs/gallery", "docs/internals")
        for path in sorted((ROOT / folder).glob("*.md"))
    ),
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


def test_every_decision_has_a_number_and_stands_in_the_list() -> None:
    folder = ROOT / "docs/decisions"
    records = [path for path in folder.glob("*.md") if path.name != "README.md"]
    records.sort(key=lambda path: int(path.name.split("-")[0]))
    titles = [path.read_text(encoding="utf-8").splitlines()[0] for path in records]
    listed = [line for line in (folder / "README.md").read_text().splitlines() if line[:2] == "- "]
    assert listed == [
        f"- [{title.removeprefix('# ')}]({path.name})"
        for title, path in zip(titles, records, strict=True)
    ]
    assert [title.split(".")[0] for title in titles] == [f"# {n + 1}" for n in range(len(titles))]
