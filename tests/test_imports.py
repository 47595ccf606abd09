"""Which package may import which: the contracts of pyproject.toml are kept, and can be broken."""

import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from tests.support.syntax_trees import ROOT

LINT = Path(sys.executable).with_name("lint-imports")


def linted(folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [str(LINT), "--no-logo", "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_package_keeps_to_its_layer_and_only_discords_side_imports_discord() -> None:
    """A10 B1: rules, state and the bridges to models know nothing of what uses them."""
    found = linted(ROOT)
    assert found.returncode == 0, found.stdout


def test_no_modules_import_each_other_in_a_circle() -> None:
    """The contract compares siblings alone; a module and its own package count here, too."""
    graph = grimp.build_graph("bot", "cogs", cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the circle


def test_imports_within_functions_and_for_types_alone_count(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.importlinter]\nroot_package = "walled"\n'
        '[[tool.importlinter.contracts]]\nname = "c"\ntype = "forbidden"\n'
        'source_modules = ["walled.lazy", "walled.typed"]\nforbidden_modules = ["walled.above"]\n',
        encoding="utf-8",
    )
    package = tmp_path / "walled"
    package.mkdir()
    for name, source in {
        "__init__": "",
        "above": "",
        "lazy": "def f() -> None:\n    from walled import above\n",
        "typed": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from walled import above\n",
    }.items():
        (package / f"{name}.py").write_text(source, encoding="utf-8")
    found = linted(tmp_path)
    assert found.returncode == 1
    assert "walled.lazy -> walled.above" in found.stdout
    assert "walled.typed -> walled.above" in found.stdout
