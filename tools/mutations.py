"""Small changes to the code that carries a requirement, one at a time.

`of_place` makes them for a place of tools/requirement_code.txt:

    bot/x.py::function, bot/x.py::Class.method, bot/x.py::Class, bot/x.py::CONSTANT,
    bot/x.py::TABLE.KEY
        comparisons, `and` and `or`, conditions, numbers, words, returned and assigned values,
        and calls that are dropped; log lines, texts of errors, docstrings, annotations and
        decorators stay as they are
    panels.json::panels.debate, panels.json::panels.debate.*.model
        a value below the key (or below it and called so) becomes another one that stands under
        the same name, or is changed
    prompts/round1.md, pyproject.toml::httpx
        a line (that holds the text) is left out
    bot/x.py::+discord
        an import is added that the place must not have

`~text` after a name takes only those of its lines that hold the text, for functions that carry more
than one requirement: bot/x.py::function~deadline.
A `!` at the end says that tests run the place in a child process, where no trace sees its lines, so
every line of it counts.
"""

import ast
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tools.code_mutations import Mutation, PlaceError, named_node, python_mutations, short

PLACES = Path(__file__).with_name("requirement_code.txt")


def read_places(text: str) -> dict[str, tuple[str, ...]]:
    """The places of each id; lines that begin with `# ` are remarks."""
    rows = [line.split() for line in text.splitlines() if line and not line.startswith("# ")]
    return {id_: tuple(places) for id_, *places in rows}


def of_place(place: str, source: str) -> tuple[Mutation, ...]:
    """Every change at a place, the source of its file given."""
    if place.endswith("!"):
        return tuple(replace(m, in_function=False) for m in of_place(place[:-1], source))
    head, tilde, text = place.partition("~")
    if tilde:
        lines = source.splitlines()
        return tuple(m for m in of_place(head, source) if text in lines[m.lines[0] - 1])
    path, _, name = place.partition("::")
    if name.startswith("+"):
        found: Iterable[Mutation] = [_added_import(place, name[1:], source)]
    elif path.endswith(".py"):
        found = python_mutations(place, source)
    elif path.endswith(".json"):
        found = _json_mutations(place, source)
    else:
        found = _line_mutations(place, source)
    return tuple(_numbered(found))


def source_of_place(place: str, source: str) -> str:
    """The text a place names: what has to be the same for a result to hold."""
    path, _, name = place.rstrip("!").partition("~")[0].partition("::")
    if not path.endswith(".py") or name.startswith("+"):
        return source
    return ast.get_source_segment(source, named_node(ast.parse(source), f"{path}::{name}")) or ""


def _numbered(found: Iterable[Mutation]) -> Iterator[Mutation]:
    seen: Counter[tuple[str, str]] = Counter()
    for mutation in found:
        key = (short(mutation.old), short(mutation.shown or mutation.new))
        yield replace(mutation, nth=seen[key])
        seen[key] += 1


def _added_import(place: str, module: str, source: str) -> Mutation:
    tree = ast.parse(source)
    first = next((node.lineno for node in tree.body if not isinstance(node, ast.Expr)), 1)
    start = sum(len(line) for line in source.splitlines(keepends=True)[: first - 1])
    path = place.partition("::")[0]
    text = f"import {module}\n"
    return Mutation(path, place, (first, first), start, start, "", text, in_function=False)


def _line_mutations(place: str, source: str) -> Iterator[Mutation]:
    path, _, text = place.partition("::")
    start, found = 0, False
    for number, line in enumerate(source.splitlines(keepends=True), 1):
        if line.strip() and text in line:
            found = True
            end = start + len(line)
            yield Mutation(path, place, (number, number), start, end, line, "", in_function=False)
        start += len(line)
    if not found:
        raise PlaceError(place)


def _json_mutations(place: str, source: str) -> Iterator[Mutation]:
    path, _, keys = place.partition("::")
    head, _, only = keys.partition(".*.")
    whole = json.loads(source)
    for trail in _trails(_below(whole, head.split("."), place)):
        if only and trail[-1] != only:
            continue
        copy = json.loads(source)
        old, new = _changed_value(_below(copy, head.split("."), place), trail)
        text = json.dumps(copy, indent=2, ensure_ascii=False) + "\n"
        name = ".".join(map(str, trail))
        yield Mutation(
            *(path, place, (1, 1), 0, len(source), f"{name}: {old}", text),
            in_function=False,
            shown=str(new),
        )


def _below(value: Any, keys: Iterable[str], place: str) -> Any:
    for key in keys:
        try:
            value = value[int(key)] if isinstance(value, list) else value[key]
        except (KeyError, IndexError, ValueError) as error:
            raise PlaceError(place) from error
    return value


def _trails(value: Any, trail: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _trails(below, (*trail, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from _trails(below, (*trail, index))
    elif trail and value is not None:
        yield trail


def _changed_value(top: Any, trail: tuple[str | int, ...]) -> tuple[Any, Any]:
    others = [_below(top, map(str, found), "") for found in _trails(top) if found[-1] == trail[-1]]
    holder = _below(top, map(str, trail[:-1]), "")
    old = holder[trail[-1]]
    if isinstance(old, bool):
        new: Any = not old
    elif isinstance(old, int | float):
        new = old + 1
    else:
        new = next((other for other in others if other != old), f"{old}x")
    holder[trail[-1]] = new
    return old, new
