"""The playground stays small: past its limit it does more than our bot needs."""

import ast
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "bot" / "playground"
MOST_BYTES = 158_000
LONGEST_LINE = 100


def code_bytes(path: Path) -> int:
    """Bytes of a file without docstrings, comments of their own line and blank lines."""
    text = path.read_text(encoding="utf-8")
    dropped = docstring_lines(text) if path.suffix == ".py" else set()
    kept = [
        line
        for number, line in enumerate(text.splitlines(), 1)
        if number not in dropped and line.strip() and not line.strip().startswith(("#", "//"))
    ]
    return len("\n".join(kept).encode())


def docstring_lines(text: str) -> set[int]:
    found: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            found |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return found


def files() -> list[Path]:
    return [path for path in sorted(FOLDER.rglob("*.*")) if "__pycache__" not in path.parts]


def test_the_code_of_the_playground_stays_within_its_limit() -> None:
    assert sum(code_bytes(path) for path in files()) <= MOST_BYTES


def test_no_line_is_longer_than_a_hundred_characters() -> None:
    long = [
        f"{path.name}:{number}"
        for path in files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > LONGEST_LINE
    ]
    assert long == []
