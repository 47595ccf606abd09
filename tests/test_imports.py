"""Which package may import which: the contracts of pyproject.toml are kept, and can be broken."""

import json
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from tests.support.syntax_trees import ROOT

LINT = Path(sys.executable).with_name("lint-imports")
CORE = ("bot.measures", "bot.prompting.closing_lines", "bot.prompting.summary")
CORE_MAY_USE = ("bot.measures", "bot.messages", "bot.prompting", "bot.types")
ALONE = """
import importlib, json, pkgutil, sys
from importlib.abc import MetaPathFinder

class OnlyTheCore(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top == "bot" and (
            name == "bot" or name.startswith(tuple(json.loads(sys.argv[1])))
        ):
            return None
        raise ImportError(f"the core asked for {name}")

sys.meta_path.insert(0, OnlyTheCore())
import bot.measures
for found in pkgutil.iter_modules(bot.measures.__path__):
    importlib.import_module(f"bot.measures.{found.name}")
from bot.measures.convergence import convergence_of, stance_result
from bot.prompting.closing_lines import parse_stance
from bot.prompting.summary import compression_values, parse_summary

answers = {"Critic": "Cost. [STANCE: AGREE]", "Judge": "Fair. [STANCE: AGREE]"}
values = compression_values("Tea?", 2, 3, list(answers.items()), "Round 1: they met.")
point = {"text": "Tea is fine", "from": list(answers)}
summary = parse_summary(json.dumps({"summary": "Both agree.", "consensus": [point]}), answers)
stances = [parse_stance(text) for text in answers.values()]
result = [values["ROLLING_SUMMARY"], summary.summary, convergence_of(2, summary).score]
print(json.dumps([*result, stance_result(stances)]))
"""


def linted(folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [str(LINT), "--no-logo", "--no-cache"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_package_keeps_to_its_layer_and_only_discords_side_imports_discord() -> None:
    """A10 B1: rules, state and the bridges to models know nothing of what uses them."""
    found = linted(ROOT)
    assert found.returncode == 0, found.stdout


def test_the_core_reaches_no_model_no_http_and_no_discord_by_any_way() -> None:
    """A10: stance markers, compression and consensus, followed through everything they import."""
    graph = grimp.build_graph("bot", "cogs", cache_dir=None, include_external_packages=True)
    core = {name for name in graph.modules if name.startswith(CORE)}
    assert core >= {"bot.measures.convergence", "bot.prompting.summary"}
    reached = {used for name in core for used in graph.find_upstream_modules(name)}
    foreign = {name for name in reached if name.partition(".")[0] not in sys.stdlib_module_names}
    assert sorted(name for name in foreign if not name.startswith(CORE_MAY_USE)) == []
    assert "bot.types.model_port" not in reached


def test_the_core_works_where_nothing_else_is_installed() -> None:
    """A10: a round is compressed and judged in an interpreter that has the core alone."""
    command = [sys.executable, "-c", ALONE, json.dumps(CORE_MAY_USE)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    told = ["Round 1: they met.", "Both agree.", 1.0, "FULL_CONSENSUS"]
    assert json.loads(found.stdout) == told


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
