"""Does the file have the right shape? Turns what pydantic found into sentences with a path."""

import copy
import functools
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from bot.messages.configuration import PanelsFileText
from bot.panels.config import PanelsConfig
from bot.panels.names import hint, shown
from bot.panels.schema import panels_schema
from bot.panels.section import PATTERN_HELP

_Step = str | int
Place = tuple[_Step, ...]
_PLAIN_KEY = re.compile(r"[\w$-]+")
_Found = Mapping[str, Any]
_WANTED = {
    "string_type": PanelsFileText.WRITE_TEXT,
    "int_type": PanelsFileText.WRITE_WHOLE_NUMBER,
    "float_type": PanelsFileText.WRITE_NUMBER,
    "bool_type": PanelsFileText.WRITE_TRUE_OR_FALSE,
    "tuple_type": PanelsFileText.WRITE_LIST,
    "dict_type": PanelsFileText.WRITE_OBJECT,
    "mapping_type": PanelsFileText.WRITE_OBJECT,
    "model_type": PanelsFileText.WRITE_OBJECT,
    "model_attributes_type": PanelsFileText.WRITE_OBJECT,
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: where, and a sentence `what is wrong; what to do`."""

    path: Place
    text: str

    def __str__(self) -> str:
        return f"{written(self.path)}: {self.text}" if self.path else self.text

    def under(self, *prefix: _Step) -> "Problem":
        """The same problem further down."""
        return Problem((*prefix, *self.path), self.text)


def written(path: Place) -> str:
    """A path as people write it: `panels.debate.agents[1].model`."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN_KEY.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"['{shown(step)}']"
    return text


def at(data: Any, path: Iterable[_Step]) -> Any:
    """What lies at a path, or None."""
    for step in path:
        if isinstance(data, dict) and isinstance(step, str):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


@dataclass(frozen=True, slots=True)
class Shape:
    """What validation gave: every problem, and the configuration as far as it can be read.

    `config` is also there when only separable values are wrong: they were taken out, and
    `ignored` says where, so that later checks can still speak about the rest of the file.
    """

    config: PanelsConfig | None
    problems: tuple[Problem, ...] = ()
    ignored: tuple[Place, ...] = ()

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Shape":
        """Validate the file's data against the models."""
        try:
            return cls(_validated(data))
        except ValidationError as error:
            found = [f for f in error.errors(include_url=False) if not _only_follows(f)]
        schema = _schema()
        problems = tuple(dict.fromkeys(_problem(f, data, schema) for f in found))
        ignored = tuple(_path(f, data) for f in found if f["type"] != "missing")
        try:
            return cls(_validated(_without(data, ignored)), problems, ignored)
        except ValidationError:
            return cls(None, problems, ignored)


@functools.cache
def _schema() -> dict[str, Any]:
    """Made once, for making it takes longer than checking a file."""
    return panels_schema()


def _validated(data: dict[str, Any]) -> PanelsConfig:
    # JSON mode is strict about types and still lets a JSON list fill a tuple.
    return PanelsConfig.model_validate_json(json.dumps(data))


def _without(data: dict[str, Any], paths: tuple[Place, ...]) -> dict[str, Any]:
    """A copy without the values at these paths; list items stay, for their numbers matter."""
    result = copy.deepcopy(data)
    for path in paths:
        parent = at(result, path[:-1])
        if path and isinstance(parent, dict):
            parent.pop(path[-1], None)
    return result


def _only_follows(found: _Found) -> bool:
    """Whether a list only looks too short because one of its entries is wrong."""
    enough = found.get("ctx", {}).get("min_length", 0)
    return bool(found["type"] == "too_short" and len(found["input"]) >= enough)


def _path(found: _Found, data: Any) -> Place:
    """The place in the file; pydantic also names union members, which are not in the file."""
    place: Place = ()
    for step in found["loc"]:
        here = at(data, place)
        if isinstance(here, list) if isinstance(step, int) else _has(here, step):
            place = (*place, step)
    return (*place, found["loc"][-1]) if found["type"] == "missing" else place


def _has(here: Any, step: str) -> bool:
    return isinstance(here, dict) and step in here


def _problem(found: _Found, data: dict[str, Any], schema: dict[str, Any]) -> Problem:
    path, kind = _path(found, data), found["type"]
    if kind in {"union_tag_invalid", "union_tag_not_found"}:
        return _kind_problem(path, found, schema)
    if kind == "extra_forbidden":
        known = list(_node(schema, found["loc"][:-1]).get("properties", {}))
        advice = hint(str(path[-1]), known, PanelsFileText.remove_key(known))
        return Problem(path, PanelsFileText.unknown_key(advice))
    if kind == "missing":
        return Problem(path, PanelsFileText.missing_key(_about(schema, found["loc"])))
    return Problem(path, _sentence(found))


def _kind_problem(path: Place, found: _Found, schema: dict[str, Any]) -> Problem:
    kinds = list(_resolved(schema, _node_of(schema, found["loc"]))["discriminator"]["mapping"])
    listed = PanelsFileText.use_one_of(kinds)
    if found["type"] == "union_tag_not_found":
        return Problem((*path, "kind"), PanelsFileText.missing_kind(listed))
    tag = str(found["ctx"]["tag"])
    return Problem(
        (*path, "kind"), PanelsFileText.unknown_kind(shown(tag), hint(tag, kinds, listed))
    )


def _sentence(found: _Found) -> str:
    kind, given = found["type"], found["input"]
    if kind in _WANTED:
        return PanelsFileText.other_kind(given, _WANTED[kind])
    if kind in _SENTENCES:
        return _SENTENCES[kind](given, found.get("ctx", {}))
    return PanelsFileText.correct_it(str(found["msg"]))


def _one_of(given: Any, context: _Found) -> str:
    expected = str(context["expected"])
    known = expected.replace(" or ", ", ").replace("'", "").split(", ")
    if not isinstance(given, str):
        return PanelsFileText.other_kind(given, PanelsFileText.use_words(expected))
    return PanelsFileText.other_word(
        shown(given), hint(given, known, PanelsFileText.use_words(expected))
    )


_SENTENCES: dict[str, Callable[[Any, _Found], str]] = {
    "value_error": lambda _, c: str(c["error"]),
    "literal_error": _one_of,
    "greater_than": lambda g, c: PanelsFileText.not_above(g, c["gt"]),
    "greater_than_equal": lambda g, c: PanelsFileText.below(g, c["ge"]),
    "less_than_equal": lambda g, c: PanelsFileText.above(g, c["le"]),
    "too_short": lambda _, c: PanelsFileText.too_few(c["min_length"]),
    "too_long": lambda g, c: PanelsFileText.too_many(len(g), c["max_length"]),
    "string_too_short": lambda _, __: PanelsFileText.EMPTY,
    "string_too_long": lambda g, c: PanelsFileText.too_long(len(g), c["max_length"]),
    "string_pattern_mismatch": lambda _, c: PATTERN_HELP[c["pattern"]],
}


def _node(schema: dict[str, Any], loc: tuple[str | int, ...]) -> dict[str, Any]:
    return _resolved(schema, _node_of(schema, loc))


def _about(schema: dict[str, Any], loc: tuple[str | int, ...]) -> str:
    """What a key is for; pydantic leaves it out where the object behind it says the same."""
    node = _node_of(schema, loc)
    return str({**_resolved(schema, node), **node}["description"]).rstrip(".")


def _node_of(schema: dict[str, Any], loc: tuple[str | int, ...]) -> dict[str, Any]:
    node = schema
    for step in loc:
        node = _inside(_resolved(schema, node), step)
    return node


def _inside(node: dict[str, Any], step: str | int) -> dict[str, Any]:
    mapping = node.get("discriminator", {}).get("mapping", {})
    if step in mapping:
        return {"$ref": mapping[step]}
    if isinstance(step, int):
        result = node.get("items", {})
    else:
        patterns: dict[str, Any] = next(iter(node.get("patternProperties", {}).values()), {})
        result = node.get("properties", {}).get(step, patterns)
    return dict(result)


def _resolved(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """Follow references, and of `X or null` take X."""
    while True:
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rpartition("/")[2]]
        elif "anyOf" in node:
            node = next((n for n in node["anyOf"] if n.get("type") != "null"), {})
        else:
            return node
