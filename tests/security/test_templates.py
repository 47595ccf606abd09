"""No text of a person or a model is ever a template: not of a replacement, nor of a format."""

import ast
import importlib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType

import bot
from bot.playground.server import EmbeddedDiscord
from bot.playground.world import PersonPlan, the_table
from tests.e2e.playground_harness import open_harness

ROOT = Path(bot.__file__).parent.parent
# Patterns of the stand-in models are data files of ours; hostile topics are tried on them below.
OWN_PATTERNS = ("bot/rehearsal/", "bot/models/adapters/local/prompts.py")
HOSTILE = r"\o/ \g<0> \1 {0} {topic.__class__} %s $name"


@cache
def modules() -> list[tuple[str, ast.Module]]:
    """Every module that runs in the bot, by its path."""
    found = [path for package in ("bot", "cogs") for path in sorted((ROOT / package).rglob("*.py"))]
    return [(p.relative_to(ROOT).as_posix(), ast.parse(p.read_text("utf-8"))) for p in found]


def calls(tree: ast.Module, *methods: str) -> Iterator[tuple[ast.Call, ast.Attribute]]:
    for node in ast.walk(tree):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and isinstance(called, ast.Attribute):
            yield from [(node, called)] if called.attr in methods else []


def is_safe_replacement(node: ast.expr, tree: ast.Module, module: ModuleType) -> bool:
    """A text in the code, or a function; a name must stand for one of both."""
    if isinstance(node, ast.Constant | ast.Lambda):
        return True
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    if any(isinstance(n, functions) and n.name == name for n in ast.walk(tree)):
        return True
    holder: object = module
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        holder = getattr(module, node.value.id, None)
    value = getattr(holder, name, None)
    return isinstance(value, str) and "\\" not in value


def test_every_replacement_is_a_text_in_the_code_or_a_function() -> None:
    """re.sub reads backslashes in a replacement: `\\o` in a display name broke every topic."""
    unsafe = []
    for path, tree in modules():
        for call, method in calls(tree, "sub", "subn"):
            of_re = isinstance(method.value, ast.Name) and method.value.id == "re"
            module = importlib.import_module(path.removesuffix(".py").replace("/", "."))
            if not is_safe_replacement(call.args[1 if of_re else 0], tree, module):
                unsafe.append(f"{path}:{call.lineno}")
    assert unsafe == []


def test_every_format_is_a_text_in_the_code() -> None:
    """`{x.__class__}` in a template of somebody else reads what it should not."""
    unsafe = []
    for path, tree in modules():
        for call, method in calls(tree, "format", "format_map", "substitute", "safe_substitute"):
            own = isinstance(method.value, ast.Constant) or (
                isinstance(method.value, ast.Name) and method.value.id.strip("_").isupper()
            )
            if not own and not path.startswith(OWN_PATTERNS):
                unsafe.append(f"{path}:{call.lineno}")
    assert unsafe == []


def test_every_log_message_is_a_text_in_the_code() -> None:
    """A message that was put together first is formatted once more, with what others wrote."""
    levels = ("debug", "info", "warning", "error", "exception", "critical")
    unsafe = [
        f"{path}:{call.lineno}"
        for path, tree in modules()
        for call, method in calls(tree, *levels)
        if isinstance(method.value, ast.Name)
        and method.value.id in ("log", "_log", "logging")
        and isinstance(call.args[0], ast.JoinedStr | ast.BinOp)
    ]
    assert unsafe == []


async def test_names_and_topics_full_of_templates_are_only_text(tmp_path: Path) -> None:
    """Before, a mention of somebody called so was answered by "Internal error"."""
    home = the_table()
    people = (*home.people, PersonPlan(r"\o/ \g<9>"))
    discord = EmbeddedDiscord((replace(home, people=people),))
    async with open_harness(tmp_path, discord=discord) as table:
        who = table.discord.person(r"\o/ \g<9>")
        held = await table.hold(f"roundtable --quick --debate should <@!{who.id}> host it?")
        assert held.record.topic == r"should @\o/ \g<9> host it?"
        for mode in ("vote", "redteam"):
            held = await table.hold(f"roundtable --quick --{mode} keep {HOSTILE} or tea?")
            assert held.export["ending"] == "concluded"
