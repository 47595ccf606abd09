"""Writes docs/requirements.md: every requirement id and the tests that name it.

    python tools/requirements.py            writes the file
    python tools/requirements.py --check    exits with 1 when the file is not what it would write

A test names ids in its docstring: `E93`, `A19 A20`, `E110-E117`, `2.2#12, #13`. Ids in square
brackets are quoted evidence and do not count. What became of the changes that tools/mutate.py tried
is taken from docs/mutations.json.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.mutation_results import FILE, Result, read_results

ROOT = Path(__file__).resolve().parents[1]
IDS = ROOT / "tools" / "requirement_ids.txt"
PAGE = ROOT / "docs" / "requirements.md"
TESTS = ROOT / "tests"

SHOWN_TESTS = 3
OPEN = "**open**"
SECTIONS = {
    "A": "The consensus protocol",
    "B": "The delivery protocol",
    "C": "The discussion tools",
    "D": "The turn arbiter",
    "E": "The flow people see",
    "2.2": "Rules where the sources disagree",
}
HEAD = """\
# Requirements and their tests

Made by `python tools/requirements.py` from the ids that tests name in their docstrings; do not
edit it by hand. A requirement that no test names is **open**.

The last two columns say how it was proved: how many small changes to the code that carries the
requirement were tried, and how many of them a test that names it caught. `python tools/mutate.py`
tries them and writes `docs/mutations.json`; its first lines say by which rule.
"""

_QUOTED = re.compile(r"\[[^\]\n]*\]|`[^`\n]*`")
_NAMED = re.compile(
    r"(?<![\w.#/])(?:(?P<letter>[A-E])|2\.2#)(?P<first>\d{1,3})(?P<more>(?:,? #\d{1,2})*)"
    r"(?:\s?[-–]\s?(?:[A-E]|2\.2#|#)?(?P<last>\d{1,3}))?(?![\w/])"
)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One id with its title."""

    id: str
    title: str

    @property
    def section(self) -> str:
        """The letter of the source, or the part of the rules."""
        return section_of(self.id)


def section_of(id_: str) -> str:
    """The section an id belongs to."""
    return id_.partition("#")[0] if "#" in id_ else id_[0]


def read_requirements(text: str) -> tuple[Requirement, ...]:
    """The list of ids and titles, in its order; lines that begin with `# ` are remarks."""
    rows = [line.partition(" ") for line in text.splitlines() if line and not line.startswith("# ")]
    return tuple(Requirement(id_, title.strip()) for id_, _, title in rows)


def ids_in(docstring: str) -> Iterator[str]:
    """Every id a docstring names, ranges spelled out."""
    for found in _NAMED.finditer(_QUOTED.sub(" ", docstring)):
        prefix = found["letter"] or "2.2#"
        first = int(found["first"])
        last = int(found["last"]) if found["last"] else first
        yield from (f"{prefix}{number}" for number in range(first, last + 1))
        if prefix == "2.2#":
            yield from (f"{prefix}{number}" for number in _NUMBER.findall(found["more"]))


def tests_in(source: str) -> Iterator[tuple[str, str]]:
    """The name and docstring of every test function, in the order of the file."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("test_"):
            yield node.name, ast.get_docstring(node) or ""


def named_by_tests(folder: Path) -> dict[str, list[str]]:
    """The tests that name each id, as `file::function`, files in alphabetical order."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("test_*.py")):
        place = path.relative_to(folder).as_posix()
        for name, docstring in tests_in(path.read_text(encoding="utf-8")):
            for id_ in dict.fromkeys(ids_in(docstring)):
                found.setdefault(id_, []).append(f"{place}::{name}")
    return found


def page(
    requirements: Sequence[Requirement],
    named: Mapping[str, Sequence[str]],
    tried: Mapping[str, Sequence[Result]],
) -> str:
    """The whole page."""
    parts = [HEAD]
    for section, title in SECTIONS.items():
        rows = [row for row in requirements if row.section == section]
        if rows:
            parts.append(f"## {section}. {title}\n\n{_table(rows, named, tried)}")
    if survivors := _survivors(requirements, tried):
        parts.append(f"## Changes that nobody caught\n\n{survivors}")
    parts.append(f"## How many have a test\n\n{_counts(requirements, named, tried)}")
    return "\n".join(parts)


def unknown_ids(requirements: Iterable[Requirement], named: Iterable[str]) -> list[str]:
    """Ids that tests name and the list does not hold."""
    return sorted(set(named) - {row.id for row in requirements})


def _table(
    rows: Iterable[Requirement],
    named: Mapping[str, Sequence[str]],
    tried: Mapping[str, Sequence[Result]],
) -> str:
    lines = [
        f"| {row.id} | {row.title} | {_shown(named.get(row.id, ()))} "
        f"| {len(tried.get(row.id, ()))} | {_caught(tried.get(row.id, ()))} |"
        for row in rows
    ]
    head = ("| id | what | tests | tried | caught |", "|---|---|---|---:|---:|")
    return "\n".join((*head, *lines, ""))


def _caught(results: Sequence[Result]) -> int:
    return sum(result["caught"] for result in results)


def _survivors(requirements: Iterable[Requirement], tried: Mapping[str, Sequence[Result]]) -> str:
    lines = [
        f"| {row.id} | `{result['place']}` | {result['change'].replace('|', '¦')} "
        f"| {result['reason']} |"
        for row in requirements
        for result in tried.get(row.id, ())
        if not result["caught"]
    ]
    head = ("| id | where | change | why |", "|---|---|---|---|")
    return "\n".join((*head, *lines, "")) if lines else ""


def _shown(tests: Sequence[str]) -> str:
    if not tests:
        return OPEN
    shown = ", ".join(f"`{test}`" for test in tests[:SHOWN_TESTS])
    left = len(tests) - SHOWN_TESTS
    return f"{shown} +{left}" if left > 0 else shown


def _counts(
    requirements: Sequence[Requirement],
    named: Mapping[str, Sequence[str]],
    tried: Mapping[str, Sequence[Result]],
) -> str:
    lines = []
    for section in SECTIONS:
        rows = [row.id for row in requirements if row.section == section]
        covered = sum(bool(named.get(id_)) for id_ in rows)
        results = [result for id_ in rows for result in tried.get(id_, ())]
        lines.append(f"| {section} | {covered}/{len(rows)} | {_caught(results)}/{len(results)} |")
    return "\n".join(("| part | covered/total | caught/tried |", "|---|---|---|", *lines, ""))


def main(
    arguments: Sequence[str], target: Path = PAGE, tests: Path = TESTS, results: Path = FILE
) -> int:
    """Write the page, or say that it is stale."""
    parser = argparse.ArgumentParser(description="Make docs/requirements.md from the tests.")
    parser.add_argument("--check", action="store_true", help="write nothing, exit 1 when stale")
    check = parser.parse_args(arguments).check
    requirements = read_requirements(IDS.read_text(encoding="utf-8"))
    named = named_by_tests(tests)
    if unknown := unknown_ids(requirements, named):
        sys.stderr.write(f"Tests name ids that do not exist: {', '.join(unknown)}.\n")
        return 1
    made = page(requirements, named, read_results(results))
    if not check:
        target.write_text(made, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != made:
        sys.stderr.write("docs/requirements.md is stale: run `python tools/requirements.py`.\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
