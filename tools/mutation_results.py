"""What became of the changes that were tried: docs/mutations.json.

For each id a list of changes, each with its place, the change in words, the state of code and
tests it was tried in, and whether a test caught it. What survived has a reason, written by hand.
"""

import ast
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from tools.code_mutations import Mutation
from tools.mutations import source_of_place

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "mutations.json"


class Result(TypedDict, total=False):
    """One line of the file."""

    place: str
    change: str
    state: str
    caught: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Trial:
    """One change for one id, and the tests that ought to notice."""

    id: str
    mutation: Mutation
    tests: tuple[str, ...]
    seconds: float
    state: str


class Results:
    """The results of all runs so far; every new one is written at once."""

    def __init__(self, file: Path = FILE) -> None:
        self._file = file
        self._found = read_results(file)

    def known(self, tried: Trial) -> bool | None:
        """What became of it, or None when code or tests have changed since."""
        found = self._entry(tried)
        return found["caught"] if found and found["state"] == tried.state else None

    def has(self, tried: Trial) -> bool:
        """Whether it was ever tried, in whatever state."""
        return self._entry(tried) is not None

    def survived(self, tried: Trial) -> bool:
        """Whether it survived when it was last tried, in whatever state."""
        found = self._entry(tried)
        return found is not None and not found["caught"]

    def ids_with_survivors(self) -> list[str]:
        """The ids one of whose changes nobody caught."""
        return [id_ for id_, rows in self._found.items() if not all(r["caught"] for r in rows)]

    def add(self, tried: Trial, caught: bool | None) -> None:
        """Keep a result in the place of an older one of the same change; None only removes it."""
        old = self._entry(tried)
        rows = self._found.setdefault(tried.id, [])
        if old is not None:
            rows.remove(old)
        if caught is not None:
            place, change = tried.mutation.place, tried.mutation.change
            made = Result(place=place, change=change, state=tried.state, caught=caught)
            if not caught:
                made["reason"] = old.get("reason", "") if old else ""
            rows.append(made)
        self._write()

    def keep_only(self, existing: Mapping[str, Iterable[Mutation]]) -> None:
        """Forget results of changes that can no longer be made."""
        keys = {id_: {(m.place, m.change) for m in found} for id_, found in existing.items()}
        self._found = {
            id_: [row for row in rows if (row["place"], row["change"]) in keys.get(id_, ())]
            for id_, rows in self._found.items()
        }
        self._write()

    def _entry(self, tried: Trial) -> Result | None:
        wanted = (tried.mutation.place, tried.mutation.change)
        rows = self._found.get(tried.id, ())
        return next((row for row in rows if (row["place"], row["change"]) == wanted), None)

    def _write(self) -> None:
        made = _text({id_: rows for id_, rows in self._found.items() if rows})
        waiting = self._file.with_suffix(".part")
        waiting.write_text(made, encoding="utf-8")
        waiting.replace(self._file)


def read_results(file: Path = FILE) -> dict[str, list[Result]]:
    """The results for each id; none before the first run."""
    if not file.exists():
        return {}
    found: dict[str, list[Result]] = json.loads(file.read_text(encoding="utf-8"))
    return found


def state_of(mutation: Mutation, source: str, tests: Iterable[str]) -> str:
    """A short name of the code at the place and of the tests that ran against it."""
    whole = hashlib.sha256(source_of_place(mutation.place, source).encode())
    for test in sorted(tests):
        whole.update(_source_of_test(test).encode())
    return whole.hexdigest()[:8]


_test_sources: dict[str, Mapping[str, str]] = {}


def _source_of_test(test: str) -> str:
    path, _, name = test.partition("::")
    if path not in _test_sources:
        text = (ROOT / path).read_text(encoding="utf-8")
        nodes = [
            node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        lines = text.splitlines()
        _test_sources[path] = {
            node.name: "\n".join(lines[_first_line(node) - 1 : node.end_lineno]) for node in nodes
        }
    return _test_sources[path].get(name, "")


def _first_line(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _text(found: Mapping[str, list[Result]]) -> str:
    """One line for each result, so that a change of the file can be read."""
    parts = []
    for id_ in sorted(found, key=_order):
        rows = sorted(found[id_], key=lambda row: (row["place"], row["change"]))
        lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
        parts.append(f"  {json.dumps(id_)}: [\n{lines}\n  ]")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _order(id_: str) -> tuple[bool, str, int]:
    head, _, number = id_.partition("#")
    return (bool(number), "" if number else head[0], int(number or head[1:]))
