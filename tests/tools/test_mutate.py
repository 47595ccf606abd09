"""The whole tool on a project of one module: what it tries, writes, says and ends with."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.syntax_trees import ROOT

pytestmark = pytest.mark.heavy

FILES = {
    "pyproject.toml": '[tool.coverage.run]\nsource = ["bot"]\n',
    "bot/__init__.py": "",
    "bot/x.py": "LIMIT = 3\n\n\ndef f(n):\n    if n > LIMIT:\n        return 1\n    return 0\n",
    "tests/__init__.py": "",
    "tests/test_x.py": '''
import pytest
from bot.x import LIMIT, f

def test_the_limit():
    """A1."""
    assert LIMIT == 3

def test_below():
    """A2."""
    assert f(2) == 0

def test_broken():
    """A1 A2."""
    assert f(9) == 0

@pytest.mark.parametrize("n", [1, 2])
def test_skipped_once(n):
    """A1 A2."""
    if n == 1:
        pytest.skip("not here")
    assert f(9) == 1
''',
    "docs/mutations.json": '{"A1": [{"place": "bot/x.py::GONE", "change": "c", "caught": true}]}',
    "tools/requirement_code.txt": "A1 bot/x.py::LIMIT bot/x.py::LIMIT~3\nA2 bot/x.py::f\n",
}


def mutated(project: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the project's own copy of the tool."""
    return subprocess.run(
        [sys.executable, "tools/mutate.py", "--jobs", "1", *arguments],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_tries_what_tests_of_an_id_reach_and_says_how_much_was_caught(
    tmp_path: Path,
) -> None:
    """Issue 23 point 9: a test that is broken or skipped proves nothing, and is named.

    What two places share is tried once.
    """
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (1_000_000_000.0, 1_000_000_000.0))  # else it looks as new as its changes
    first = mutated(tmp_path, "--all", "--sample", "9", "--seed", "1")
    assert first.returncode == 1, first.stderr
    broken = ("tests/test_x.py::test_broken", "tests/test_x.py::test_skipped_once")
    assert f"Not asked, for they do not pass without any change: {', '.join(broken)}" in (
        first.stdout
    )
    kept = json.loads((tmp_path / "docs" / "mutations.json").read_text(encoding="utf-8"))
    outcome = {(id_, row["change"]): row["caught"] for id_, rows in kept.items() for row in rows}
    assert outcome == {
        ("A1", "`3` → `4`"): True,
        ("A2", "`>` → `>=`"): False,
        ("A2", "`0` → `1`"): True,
    }
    assert first.stdout.splitlines()[-1] == "2 of 3 caught: 66.7%"
    once_more = mutated(tmp_path, "--survivors").stdout
    assert "1 changes, 1 of them to be tried now." in once_more
    assert "SURVIVED A2 bot/x.py::f:5 `>` → `>=`" in once_more
    assert "Not tried, for no test of their id runs their lines: 1\n" in once_more
    again = mutated(tmp_path, "A1")
    assert again.returncode == 0, again.stderr
    assert "1 changes, 0 of them to be tried now." in again.stdout
    tests = tmp_path / "tests" / "test_x.py"
    tests.write_text(FILES["tests/test_x.py"].replace("LIMIT == 3", "LIMIT in (3, 4)"))
    changed = mutated(tmp_path, "--all", "--again")
    assert "3 changes, 1 of them to be tried now." in changed.stdout
    assert changed.stdout.splitlines()[-1] == "1 of 3 caught: 33.3%"
