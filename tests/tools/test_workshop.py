"""Changes that are tried for real, in copies of a small tree with tests of its own."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tools.mutate import run
from tools.mutation_results import Results, Trial
from tools.mutations import of_place
from tools.workshop import Workshop

CODE = """
def f():
    return 2 + 1
"""
CASES = """
import pathlib, time
from bot.x import f

def test_notices():
    assert f() == 3

def test_notices_nothing():
    assert f()

def test_fails_anyway():
    assert not f()

def test_fails_once():
    seen = pathlib.Path("seen")
    first = not seen.exists()
    seen.touch()
    assert not (first and f() == 4)

def test_waits_for_what_never_comes():
    while f() != 3:
        time.sleep(0.05)
"""

pytestmark = pytest.mark.heavy


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that has one module and one file of tests."""
    root = tmp_path / "project"
    files = {"bot/x.py": CODE, "bot/__init__.py": "", "tests/test_x.py": CASES}
    for name, text in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        os.utime(file, (1_000_000_000.0, 1_000_000_000.0))  # else it looks as new as its changes
    monkeypatch.setattr("tools.traces.ROOT", root)
    return root


def trial(*tests: str, change: str = "`2` → `3`") -> Trial:
    found = of_place("bot/x.py::f", CODE)
    (mutation,) = [one for one in found if one.change == change]
    return Trial("A1", mutation, tuple(f"tests/test_x.py::test_{name}" for name in tests), 0.1, "s")


@pytest.mark.parametrize(
    ("tests", "caught"),
    [
        (("notices",), True),
        (("notices_nothing", "notices"), True),
        (("notices_nothing",), False),
        (("fails_anyway",), None),
        (("is_gone",), None),
        (("fails_once",), None),
    ],
)
def test_a_change_is_caught_by_what_fails_twice_and_passes_without_it(
    tree: Path, tmp_path: Path, tests: tuple[str, ...], caught: bool | None
) -> None:
    """Issue 23 point 9: neither chance nor a test that is broken anyway proves anything."""
    workshop = Workshop(tmp_path / "copies", 1)
    assert workshop.caught(trial(*tests)) is caught
    copied = tmp_path / "copies" / "copy0" / "bot" / "x.py"
    assert copied.read_text(encoding="utf-8") == CODE
    assert (tree / "bot" / "x.py").read_text(encoding="utf-8") == CODE


def test_a_change_that_is_waited_for_in_vain_is_caught(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 23 point 9."""
    monkeypatch.setattr("tools.workshop.GRACE_SECONDS", 8.0)
    assert Workshop(tmp_path / "copies", 1).caught(trial("waits_for_what_never_comes"))


def test_what_has_no_result_is_not_written_and_counts_as_not_caught(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 23 point 9."""
    monkeypatch.setattr("tools.mutate.KEPT", tmp_path / "kept")
    results = Results(tmp_path / "mutations.json")
    unclear, caught = trial("fails_anyway"), trial("notices", change="`+` → `-`")
    results.add(replace(unclear, state="an older one"), caught=True)
    assert run([unclear, caught], results, jobs=1) == [False, True]
    assert (results.known(unclear), results.known(caught)) == (None, True)
    assert not results.has(unclear), "what was caught in another state is not known any more"
    assert "NO RESULT A1 bot/x.py::f:3 `2` → `3`" in capsys.readouterr().out
