"""Every sentence the bot says stands in the catalogue, which the source itself shows."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.support.syntax_trees import tree_of

ROOT = Path(__file__).resolve().parent.parent.parent
CATALOGUE = "bot/messages/"
ELSEWHERE = {
    "bot/floor/transcript.py": "a part of prompts: who said what, and who may speak",
    "bot/models/adapters/local/prompts.py": "what the small model is told",
    "bot/rehearsal/": "what the rehearsal's models say, not the bot",
    "bot/playground/": "the embedded Discord, which speaks as Discord does",
    "bot/prompting/filling.py": "the last instruction to models",
    "bot/prompting/contract.py": "what models are told around the values of a prompt",
    "bot/request/languages.py": "words to look for in what people ask",
    "bot/reports/page.py": "a style sheet and tags of HTML",
    "bot/store/errors.py": "refusals that are a caller's bug or a race it handles",
    "bot/store/log/events.py": "the names of rights, which stand in such refusals",
    "bot/store/tables/": "comments for whoever opens the database",
    "bot/talk/session.py": "a part of prompts: what a panelist is reminded of",
}
"""Where sentences of somebody else stand, or sentences for nobody who uses the bot."""
FEWEST_WORDS = 4
BUGS = {
    "AssertionError",
    "NotImplementedError",
    "RuntimeError",
    "TypeError",
    "UnexpectedValueError",
}
"""What only a mistake of ours raises."""
REFUSALS = {"ConflictError", "ForbiddenTransitionError", "MissingRowError", "NotPermittedError"}
"""What the store says to code alone: all of these are `StoreRefusedError`."""
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
    """Whether what stands below the node is documentation, a pattern, a log or a bug's message."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert():
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr="compile")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(), attr="split")):
            return True  # a list of words to look for, written as a line of them
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name))):
            return name in LOGGERS
        case ast.Call(func=ast.Name(id=name)):
            return name in BUGS | REFUSALS
    return False


def sentences(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every sentence in the source below the node."""
    if silent(node):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and is_sentence(node.value):
        yield node.lineno, node.value
    for child in ast.iter_child_nodes(node):
        yield from sentences(child)


def astray() -> list[str]:
    """Every sentence outside the catalogue, except where it may stand."""
    found = []
    for path in sorted([*(ROOT / "bot").rglob("*.py"), *(ROOT / "cogs").rglob("*.py")]):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith((CATALOGUE, *ELSEWHERE)):
            tree = tree_of(path)
            found += [f"{name}:{line}: {text}" for line, text in sentences(tree)]
    return found


def test_no_sentence_stands_outside_the_catalogue() -> None:
    assert astray() == []


def described(node: ast.AST) -> bool:
    """Whether a slash command or group takes its description from somewhere but its docstring."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="app_commands"), attr="command")):
            return any(keyword.arg == "description" for keyword in node.keywords)
        case ast.ClassDef():
            given = {keyword.arg for keyword in node.keywords}
            return "group_name" not in given or "group_description" in given
    return True


def test_discord_shows_no_docstring() -> None:
    """discord.py falls back to docstrings, which are for who reads the source."""
    bare = [
        f"{path.name}:{node.lineno}"
        for path in sorted((ROOT / "cogs").rglob("*.py"))
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call | ast.ClassDef) and not described(node)
    ]
    assert bare == []


def test_the_check_sees_a_sentence_and_nothing_else() -> None:
    source = '''
"""A docstring of more than four words."""
log.warning("a log line of many words: %s", name)
raise RuntimeError("a bug that nobody but us should ever see")
raise MissingRowError("there is no run of that name")
SIGNS = re.compile("what others say when this happens")
OPENERS = "are can could should which who why will".split()
ASKED = "SELECT a few columns FROM a table WHERE it is so"
raise UserError(f"Nobody of that name sits here: write {name} as it is in the panel.")
'''
    found = [text for _, text in sentences(ast.parse(source))]
    assert found == ["Nobody of that name sits here: write ", " as it is in the panel."]
