"""Every sentence the bot says stands in the catalogue, which the source itself shows."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CATALOGUE = "bot/words/"
ELSEWHERE = {
    "bot/models/rehearsal/": "what the rehearsal's models say, not the bot",
    "bot/playground/": "the embedded Discord, which speaks as Discord does",
}
"""Where sentences of somebody else stand."""
WAITING: tuple[str, ...] = (
    "bot/admin/",
    "bot/council/",
    "bot/floor/",
    "bot/front/",
    "bot/models/",
    "bot/panels/",
    "bot/prompting/",
    "bot/request/",
    "bot/stage/",
    "bot/store/",
    "bot/talk/",
    "cogs/",
)
"""What has not been moved into the catalogue yet."""
FEWEST_WORDS = 4
NOT_FOR_PEOPLE = {"RuntimeError", "AssertionError", "TypeError", "NotImplementedError"}
LOGGERS = {"log", "_log", "logger", "_logger"}
SQL = re.compile(
    r"\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|SET|PRAGMA|BEGIN|WITH|DO|FROM|WHERE|AND"
    r"|JOIN|ORDER|VALUES|ON)\b"
)
PATTERN = re.compile(r"\\[sdwbB]|\(\?|\[\^|\]\+|\]\*|\.\*")
WORD = re.compile(r"[A-Za-z][a-z'’]*[.,:;!?…]?")


def is_sentence(text: str) -> bool:
    """Whether a person could read it as words, rather than a query, a pattern or a key."""
    words = [word for word in text.split() if WORD.fullmatch(word.strip("`*_\"'()<>-"))]
    return len(words) >= FEWEST_WORDS and not SQL.match(text) and not PATTERN.search(text)


def silent(node: ast.AST) -> bool:
    """Whether what stands below the node is documentation, a log line or a bug's message."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert():
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name in LOGGERS
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name))):
            return name in NOT_FOR_PEOPLE
    return False


def sentences(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every sentence in the source below the node."""
    if silent(node):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_sentence(node.value):
        yield node.lineno, node.value
    for child in ast.iter_child_nodes(node):
        yield from sentences(child)


def astray(but: tuple[str, ...]) -> list[str]:
    """Every sentence outside the catalogue, except where it may stand."""
    found = []
    for path in sorted([*(ROOT / "bot").rglob("*.py"), *(ROOT / "cogs").rglob("*.py")]):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith((CATALOGUE, *ELSEWHERE, *but)):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            found += [f"{name}:{line}: {text}" for line, text in sentences(tree)]
    return found


def test_no_sentence_stands_outside_the_catalogue() -> None:
    assert astray(WAITING) == []


def test_the_catalogue_knows_nothing_of_the_bot() -> None:
    for path in (ROOT / CATALOGUE).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bot"):
                assert (node.module or "").startswith("bot.words"), f"{path.name}: {node.module}"


def test_the_check_sees_a_sentence_and_nothing_else() -> None:
    source = '''
"""A docstring of more than four words."""
log.warning("a log line of many words: %s", name)
raise RuntimeError("a bug that nobody but us should ever see")
ASKED = "SELECT a few columns FROM a table WHERE it is so"
raise UserError(f"Nobody of that name sits here: write {name} as it is in the panel.")
'''
    found = [text for _, text in sentences(ast.parse(source))]
    assert found == ["Nobody of that name sits here: write ", " as it is in the panel."]
