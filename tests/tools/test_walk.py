"""The counting of tools/walk.py: which files a traced program went through, and the limits."""

import importlib
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.walk import (
    Limited,
    Tracer,
    Walk,
    figures,
    is_counted,
    names_per_1000_lines,
    public_names,
)


def test_files_are_listed_once_and_every_change_of_package_counts() -> None:
    walk = Walk()
    for file in ("cogs/client.py", "bot/store/a.py", "bot/store/b.py", "cogs/client.py"):
        walk.enter(file)
    assert list(walk.files) == ["cogs/client.py", "bot/store/a.py", "bot/store/b.py"]
    assert walk.package_changes == 2


@pytest.mark.parametrize(
    ("file", "counted"),
    [
        ("bot/app.py", True),
        ("cogs/client.py", True),
        ("bot/playground/server.py", False),
        ("bot/front/play.py", False),
        ("bot/rehearsal/port.py", False),
        ("tests/conftest.py", False),
    ],
)
def test_stand_ins_and_tests_do_not_count(file: str, counted: bool) -> None:
    assert is_counted(file) is counted


def test_public_names_are_what_a_module_defines_at_top_level() -> None:
    source = """
import os
from x import y
A, (B, _c) = 1, (2, 3)
D: int = 4
A = 5
os.environ["E"] = "6"
def f(): inner = 1
async def g(): ...
class H:
    attribute = 1
def _private(): ...
if True:
    conditional = 1
"""
    assert public_names(source) == {"A", "B", "D", "f", "g", "H"}


def test_names_are_reckoned_for_a_thousand_lines(tmp_path: Path) -> None:
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text("A = 1\nB = 2\n", encoding="utf-8")
    two.write_text("\n" * 18, encoding="utf-8")
    assert names_per_1000_lines([one, two]) == 100


def test_a_figure_misses_its_limit_as_it_is_printed() -> None:
    assert str(Limited("files", 150, 150)) == "files: 150 (limit 150)"
    assert not Limited("names", 30.4, 30).missed
    assert Limited("files", 151, 150).missed


def test_all_modules_of_the_bot_are_counted(tmp_path: Path) -> None:
    (tmp_path / "bot" / "store").mkdir(parents=True)
    for name in ("bot/app.py", "bot/store/a.py"):
        (tmp_path / name).write_text("A = 1\n", encoding="utf-8")
    walk = Walk()
    walk.enter("bot/app.py")
    assert [figure.value for figure in figures(walk, tmp_path)] == [1, 2, 1000]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A root folder with cogs/ whose modules can be imported by their bare names."""
    (tmp_path / "cogs").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "cogs")
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        del sys.modules[name]


def written(program: Path, name: str, source: str) -> None:
    (program / "cogs" / f"{name}.py").write_text(source, encoding="utf-8")


def test_functions_of_all_threads_are_followed_while_recording(program: Path) -> None:
    for name in ("walked_main", "walked_thread", "walked_before"):
        written(program, name, "def run(): pass\n")
    main, thread, before = map(
        importlib.import_module, ("walked_main", "walked_thread", "walked_before")
    )
    tracer = Tracer(program)
    with tracer.installed():
        before.run()
        with tracer.recording():
            main.run()
            worker = threading.Thread(target=thread.run)
            worker.start()
            worker.join()
    assert list(tracer.walk.files) == ["cogs/walked_main.py", "cogs/walked_thread.py"]


def test_an_import_runs_no_function(program: Path) -> None:
    written(
        program, "walked_lazy", "class A:\n    b = 1\ndef f(): pass\nf()\nc = [f() for _ in 'x']\n"
    )
    tracer = Tracer(program)
    with tracer.installed(), tracer.recording():
        lazy = importlib.import_module("walked_lazy")
        assert not tracer.walk.files
        lazy.f()
    assert list(tracer.walk.files) == ["cogs/walked_lazy.py"]
