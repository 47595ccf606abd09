"""Which lines each test runs: collected once with coverage, kept in `.mutate/`.

A trace holds as long as neither the code nor the file of the test changes. Lines of child
processes are not seen.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from coverage import CoverageData

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".mutate"
CODE = ("bot", "cogs")
# What a copy of the tree leaves out.
LEFT_OUT = (".git", ".venv", ".mutate", ".*_cache", ".hypothesis", ".coverage*", "dist", "*.db*")

_COLLECT = "-m|not browser|--cov|--cov-context=test|--cov-report=|-q|-p|no:cacheprovider"


@dataclass(frozen=True, slots=True)
class Trace:
    """What one test function ran, all its examples together."""

    seconds: float
    passed: bool
    lines: Mapping[str, frozenset[int]]


def copy_tree(target: Path) -> None:
    """A copy of the working tree in which a file may be changed."""
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=True)


def pytest_command(*arguments: str) -> list[str]:
    """pytest of this environment."""
    return [sys.executable, "-m", "pytest", *arguments]


def environment(tree: Path) -> dict[str, str]:
    """The tests of a copy import the copy, and so do their child processes."""
    return {**os.environ, "PYTHONPATH": str(tree)}


class Traces:
    """The traces of tests, named as `tests/file.py::function`."""

    def __init__(self, kept: Path = KEPT) -> None:
        self._file = kept / "traces.json"
        self._code = _digest(path for top in CODE for path in sorted((ROOT / top).rglob("*.py")))
        self._known: dict[str, dict[str, object]] = {}
        if self._file.exists():
            self._known = json.loads(self._file.read_text(encoding="utf-8"))

    def of(self, tests: Iterable[str], jobs: int) -> dict[str, Trace]:
        """The traces of these tests; those that are missing or stale are collected now."""
        wanted = sorted(set(tests))
        if missing := [test for test in wanted if not self._holds(test)]:
            print(f"Tracing {len(missing)} tests …", flush=True)
            self._collect(missing, jobs)
        return {test: _trace(self._known[test]) for test in wanted if test in self._known}

    def _holds(self, test: str) -> bool:
        return self._known.get(test, {}).get("state") == self._state(test)

    def _state(self, test: str) -> str:
        return f"{self._code} {_digest([ROOT / test.partition('::')[0]])}"

    def _collect(self, tests: list[str], jobs: int) -> None:
        tree = self._file.parent / "traced"
        shutil.rmtree(tree, ignore_errors=True)
        copy_tree(tree)
        report = tree / "report.xml"
        options = [*_COLLECT.split("|"), "-n", str(jobs), f"--junitxml={report}"]
        command = pytest_command(*options, *tests)
        subprocess.run(  # noqa: S603 (our own)
            command, cwd=tree, env=environment(tree), check=False, stdout=subprocess.DEVNULL
        )
        lines = _lines_by_test(tree)
        for test, (seconds, passed) in outcomes(report).items():
            self._known[test] = {
                "state": self._state(test),
                "seconds": round(seconds, 2),
                "passed": passed,
                "lines": {path: sorted(found) for path, found in lines.get(test, {}).items()},
            }
        self._file.write_text(json.dumps(self._known), encoding="utf-8")
        shutil.rmtree(tree, ignore_errors=True)


def _trace(kept: Mapping[str, object]) -> Trace:
    seconds, lines = kept["seconds"], kept["lines"]
    if not isinstance(seconds, int | float) or not isinstance(lines, dict):
        raise TypeError("traces.json is damaged: remove the folder .mutate")
    found = {path: frozenset(numbers) for path, numbers in lines.items()}
    return Trace(seconds, bool(kept["passed"]), found)


def _lines_by_test(tree: Path) -> dict[str, dict[str, set[int]]]:
    data = CoverageData(str(tree / ".coverage"))
    data.read()
    found: dict[str, dict[str, set[int]]] = {}
    for file in data.measured_files():
        path = Path(file).relative_to(tree).as_posix()
        for line, contexts in data.contexts_by_lineno(file).items():
            for context in contexts:
                if test := _function(context.rpartition("|")[0]):
                    found.setdefault(test, {}).setdefault(path, set()).add(line)
    return found


def outcomes(report: Path) -> dict[str, tuple[float, bool]]:
    """Seconds and success of each test function, from the report of pytest."""
    found: dict[str, tuple[float, bool]] = {}
    for case in ET.parse(report).getroot().iter("testcase"):  # noqa: S314 (our own)
        file = case.get("classname", "").replace(".", "/") + ".py"
        test = _function(f"{file}::{case.get('name', '')}")
        seconds, passed = found.get(test, (0.0, True))
        failed = any(case.find(tag) is not None for tag in ("failure", "error", "skipped"))
        found[test] = (seconds + float(case.get("time", "0")), passed and not failed)
    return found


def _function(node: str) -> str:
    file, _, name = node.partition("::")
    return f"{file}::{name.partition('[')[0]}" if name else ""


def _digest(files: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.read_bytes())
    return whole.hexdigest()[:16]
