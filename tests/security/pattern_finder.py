"""Finds every regular expression of bot/ and cogs/, and how it is used.

`python -m tests.security.pattern_finder` imports every module with `re` watched, calls the samples
below for patterns that are put together later, and reads the sources for those written inside
functions. A call of `re` that none of the three reaches is reported as unseen.
"""

import ast
import functools
import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
MAKERS = ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
METHODS = frozenset(MAKERS) - {"compile"}
STAND_IN = "17"
Site = tuple[str, int]
"""A file and the line of a call in it."""


@dataclass(frozen=True, slots=True)
class Found:
    """A pattern, where it stands, and whether it is tried at the start only or everywhere."""

    file: str
    line: int
    pattern: str
    flags: int
    uses: tuple[str, ...]


@dataclass(slots=True)
class _Watched:
    """Calls of `re` seen while modules were imported and samples called."""

    calls: list[tuple[Site, str, Any, int]] = field(default_factory=list)

    def start(self) -> None:
        for name in MAKERS:
            setattr(re, name, self._watching(name, getattr(re, name)))

    def _watching(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def called(pattern: Any, *args: Any, **options: Any) -> Any:
            made = real(pattern, *args, **options)
            frame = sys._getframe(1)
            if _is_ours(Path(frame.f_code.co_filename)):
                site = (_short(Path(frame.f_code.co_filename)), frame.f_lineno)
                compiled = made if isinstance(made, re.Pattern) else real_compile(pattern)
                self.calls.append((site, name, compiled, compiled.flags))
            return made

        real_compile = re.compile
        return called


def find_all() -> tuple[list[Found], list[str]]:
    """Every pattern, and the calls of `re` whose pattern nobody could see."""
    watched = _Watched()
    watched.start()
    modules = dict(_modules())
    for sample in _samples():
        sample()
    names = _names(modules)
    found: dict[tuple[str, str, int], Found] = {}

    def add(site: Site, pattern: str, flags: int, uses: tuple[str, ...]) -> None:
        key = (site[0], pattern, flags)
        known = found[key].uses if key in found else ()
        merged = tuple(sorted({*known, *uses}))
        found[key] = Found(site[0], site[1], pattern, flags, merged)

    for site, how, compiled, flags in watched.calls:
        uses = (how,) if how != "compile" else _uses(compiled, site, names)
        add(site, compiled.pattern, flags, uses)
    unseen = []
    seen = {site for site, *_ in watched.calls}
    for file, module in modules.items():
        for call in _calls(file):
            if any((file, line) in seen for line in range(call.lineno, _end(call) + 1)):
                continue
            try:
                compiled = _evaluated(call, module)
            except NameError:
                unseen.append(f"{file}:{call.lineno}")
                continue
            assert isinstance(call.func, ast.Attribute)
            how, site = call.func.attr, (file, call.lineno)
            uses = (how,) if how != "compile" else _uses(compiled, site, names)
            add(site, compiled.pattern, compiled.flags, uses)
    return sorted(found.values(), key=lambda one: (one.file, one.line)), unseen


def _samples() -> tuple[Callable[[], object], ...]:
    """What puts patterns together from names and numbers that are known only later."""
    mask = importlib.import_module("bot.record.masking").Mask
    roles = importlib.import_module("bot.prompting.roles").Roles
    nodes = importlib.import_module("bot.prompting.grammar.nodes")
    route_of = importlib.import_module("bot.playground._routes").find_route
    names = ("the analyst's friend", "Ann-Kathrin *Ä*", "x", "advocatus diaboli")
    letter = nodes.Chars((("a", "z"),), " ")
    sentence = nodes.sequence("- ", nodes.Repeat(letter, 1, 200), nodes.choice((".", "!", "?")))
    known_ids = importlib.import_module("bot.panels.price_list").known_ids
    return (
        lambda: known_ids("https://models.example/v1"),
        lambda: mask(dict.fromkeys(names, "Panelist A"), names).text("x y"),
        lambda: roles(names),
        lambda: nodes.to_pattern(nodes.Repeat(sentence, 1, 40)),
        lambda: [route_of(method, "x") for method in ("GET", "POST", "PUT", "PATCH", "DELETE")],
    )


def _modules() -> Iterator[tuple[str, ModuleType]]:
    for package in ("bot", "cogs"):
        for info in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            if not info.name.endswith("__main__"):
                module = importlib.import_module(info.name)
                _tree(_short(Path(str(module.__file__))))
                yield _short(Path(str(module.__file__))), module


def _names(modules: dict[str, ModuleType]) -> dict[int, set[str]]:
    """The names of compiled patterns in modules, by their identity."""
    named: dict[int, set[str]] = {}
    for module in modules.values():
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                named.setdefault(id(value), set()).add(name)
    return named


def _uses(compiled: Any, site: Site, names: dict[int, set[str]]) -> tuple[str, ...]:
    """The methods called on a pattern; one without a name may be used as its module uses any."""
    file, line = site
    known = names.get(id(compiled), set()) | _assigned(file, line)
    places = [file] if all(name.startswith("_") for name in known) else list(_TREES)
    uses = {how for place in places for name, how in _methods(place) if name in known}
    if not known:
        uses = {how for _, how in _methods(file) if how != "split"}
    return tuple(sorted(uses)) or ("search",)


def _assigned(file: str, line: int) -> set[str]:
    """The names, attributes or properties that the call on a line is the value of."""
    return {name for first, last, name in _assignments(file) if first <= line <= last}


@functools.cache
def _assignments(file: str) -> tuple[tuple[int, int, str], ...]:
    """The first and last lines of calls of `re` that are given a name, with it."""
    calls = {id(call): call for call in _calls(file)}
    return tuple(
        (call.lineno, _end(call), name)
        for node in ast.walk(_tree(file))
        for name, value in _given_names(node)
        if (call := calls.get(id(value))) is not None
    )


_PROPERTIES = frozenset({"property", "cached_property"})


def _given_names(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """What is assigned, or returned by a property, with its name."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        yield _name(_target(node)), node.value
    elif isinstance(node, ast.FunctionDef) and _PROPERTIES & set(map(_name, node.decorator_list)):
        yield from ((node.name, end.value) for end in node.body if isinstance(end, ast.Return))


def _target(node: ast.Assign | ast.AnnAssign) -> ast.expr:
    return node.targets[0] if isinstance(node, ast.Assign) else node.target


@functools.cache
def _methods(file: str) -> frozenset[tuple[str, str]]:
    """Names and the methods of patterns called on them; matching from a place on is a search."""
    found = set()
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            found.add((_name(node.value), node.attr))
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr="match"), args=[_, _]):
                found.add((_name(owner), "finditer"))
    return frozenset(use for use in found if use[0] != "re")


def _name(node: ast.AST) -> str:
    return str(getattr(node, "id", "") or getattr(node, "attr", ""))


@functools.cache
def _calls(file: str) -> tuple[ast.Call, ...]:
    """The calls of `re` in a file."""
    return tuple(
        node
        for node in ast.walk(_tree(file))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in MAKERS
        and _name(node.func.value) == "re"
    )


def _evaluated(call: ast.Call, module: ModuleType) -> "re.Pattern[str]":
    """The pattern of a call; a number or word stands for what only the running bot knows."""
    assert isinstance(call.func, ast.Attribute)
    flags = next((word.value for word in call.keywords if word.arg == "flags"), None)
    place = {"sub": 4, "subn": 4, "split": 3, "compile": 1}.get(call.func.attr, 2)
    flags = flags or (call.args[place] if len(call.args) > place else None)
    return re.compile(_value(call.args[0], module), _value(flags, module) if flags else 0)


def _value(node: ast.expr, module: ModuleType) -> Any:
    if isinstance(node, ast.JoinedStr):
        return "".join(_value(part, module) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        try:
            return str(_value(node.value, module))
        except NameError:
            return STAND_IN
    return eval(compile(ast.Expression(node), "<pattern>", "eval"), dict(vars(module)))


_TREES: dict[str, ast.Module] = {}


def _tree(file: str) -> ast.Module:
    if file not in _TREES:
        _TREES[file] = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return _TREES[file]


def _end(call: ast.Call) -> int:
    return call.end_lineno or call.lineno


def _is_ours(path: Path) -> bool:
    return path.is_relative_to(ROOT / "bot") or path.is_relative_to(ROOT / "cogs")


def _short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
