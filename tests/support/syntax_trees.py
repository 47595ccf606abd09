"""The project's own source as syntax trees, each file parsed once."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def imports_of(path: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Every import of a file; walking whole trees takes longer than reading them."""
    return tuple(
        node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Import | ast.ImportFrom)
    )


def imported(path: Path) -> Iterator[str]:
    """The modules a file imports from."""
    for node in imports_of(path):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif node.module:
            yield node.module
