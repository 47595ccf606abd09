"""The protocol, checked on the source: who may write, who may move a phase, what is used.

Which package may import which is in the contracts of pyproject.toml (tests/test_imports.py).
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.syntax_trees import ROOT, imported, imports_of

SOURCES = [*sorted((ROOT / "bot").rglob("*.py")), *sorted((ROOT / "cogs").rglob("*.py"))]
READING = {"Connection", "func", "select"}
IMPORT_NAMES = {
    "discord.py": "discord",
    "httpx-sse": "httpx_sse",
    "genai-prices": "genai_prices",
    "python-dotenv": "dotenv",
    "agent-client-protocol": "acp",
    "pillow": "PIL",
    "prometheus-client": "prometheus_client",
    "sqlalchemy": "sqlalchemy",
}
RAW_WRITE = re.compile(r"""exec_driver_sql\(\s*f?["'](?!SELECT)""")
HABIT = re.compile(
    r"\bbeads\b|\bbd\b|blackboard|git[ _-]worktree|langgraph|session_?key=", re.IGNORECASE
)
COMES_WITH = {"yarl": "aiohttp", "httpx2": "mcp", "starlette": "mcp", "uvicorn": "mcp"}


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def from_imports(path: Path, module: str) -> Iterator[str]:
    """The names a file takes from a module."""
    for node in imports_of(path):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            yield from (name.name for name in node.names)


def writers_outside_the_store(sources: list[Path]) -> list[str]:
    return [
        f"{place(path)} takes {name} from sqlalchemy"
        for path in sources
        if not place(path).startswith("bot/store/")
        for name in from_imports(path, "sqlalchemy")
        if name not in READING
    ]


def test_the_store_is_the_only_way_to_write_protocol_state() -> None:
    """B2 B7: elsewhere nothing that inserts, updates or deletes is even imported."""
    assert writers_outside_the_store(SOURCES) == []
    raw = [place(path) for path in SOURCES if RAW_WRITE.search(path.read_text(encoding="utf-8"))]
    assert [name for name in raw if not name.startswith("bot/store/")] == []


def test_the_orchestrator_alone_can_reach_the_function_that_moves_a_phase() -> None:
    """B1 B6 B38: what carries a run is the orchestrator; cogs, models, stage and floor are not."""
    modules = ("bot.store", "bot.store.repositories.phases")
    movers = {
        place(path).rsplit("/", 1)[0]
        for path in SOURCES
        if any("move" in from_imports(path, module) for module in modules)
    }
    assert movers == {"bot/approvals", "bot/delivery", "bot/meeting", "bot/runs", "bot/store"}


def test_what_is_imported_is_declared() -> None:
    """B8: every package the bot uses stands in pyproject.toml, in its dependencies or an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    names = {re.split(r"[\[<>=!;~ ]", line, maxsplit=1)[0].lower() for line in wanted}
    declared = {IMPORT_NAMES.get(name, name) for name in names}
    used = {name.split(".")[0] for path in SOURCES for name in imported(path)}
    foreign = used - set(sys.stdlib_module_names) - {"bot", "cogs"}
    assert {COMES_WITH.get(name, name) for name in foreign} <= declared


def test_none_of_the_old_habits_is_assumed() -> None:
    """B9 B47: no beads, no blackboard, no fixed role session, no worktree, no LangGraph."""
    texts = [*SOURCES, *sorted((ROOT / "prompts").glob("*.md")), ROOT / "pyproject.toml"]
    found = [place(path) for path in texts if HABIT.search(path.read_text(encoding="utf-8"))]
    assert found == []


def test_the_checks_can_see_an_offender(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.test_protocol_layers.ROOT", tmp_path)
    offender = tmp_path / "bot" / "meeting" / "x.py"
    offender.parent.mkdir(parents=True)
    offender.write_text("from sqlalchemy import Connection, update\n", encoding="utf-8")
    assert writers_outside_the_store([offender]) == [
        "bot/meeting/x.py takes update from sqlalchemy"
    ]
