"""Every key path of panels.json, read from the schema that editors use."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

SCHEMA = Path(__file__).resolve().parents[2] / "panels.schema.json"
_LIMITS = ("minimum", "maximum", "exclusiveMinimum", "maxLength", "minLength", "pattern")


def key_paths() -> dict[str, list[str]]:
    """Each path with what may stand there; `*` is a name of the writer's choice."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    found: dict[str, set[str]] = {}
    for path, fact in _walk(schema, schema["$defs"], "", ()):
        found.setdefault(path, set()).add(fact)
    return {path: sorted(found[path] - {""}) for path in sorted(found)}


def _walk(
    part: Mapping[str, Any], defs: Mapping[str, Any], path: str, seen: tuple[str, ...]
) -> Iterator[tuple[str, str]]:
    if path:
        yield from ((path, fact) for fact in _facts(part))
    for inner, below in _below(part, path):
        yield from _walk(below, defs, inner, seen)
    name = str(part.get("$ref", "")).rpartition("/")[2]
    if name and name not in seen:
        yield from _walk(defs[name], defs, path, (*seen, name))


def _below(part: Mapping[str, Any], path: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for choice in ("anyOf", "oneOf", "allOf"):
        yield from ((path, option) for option in part.get(choice, []))
    for key, inner in part.get("properties", {}).items():
        yield f"{path}.{key}".lstrip("."), inner
    others = part.get("additionalProperties")
    for inner in (*part.get("patternProperties", {}).values(), others):
        if isinstance(inner, dict):
            yield f"{path}.*", inner
    if isinstance(part.get("items"), dict):
        yield f"{path}[]", part["items"]


def _facts(part: Mapping[str, Any]) -> Iterator[str]:
    """What a program that writes the file must know: type, words, limits, default, needed keys."""
    yield str(part.get("type", ""))
    if "const" in part:
        yield f"const {json.dumps(part['const'])}"
    yield from (f"word {json.dumps(word)}" for word in part.get("enum", []))
    yield from (f"needs {key}" for key in part.get("required", []))
    if "default" in part:
        yield f"default {json.dumps(part['default'], sort_keys=True)}"
    yield from (f"{limit} {part[limit]}" for limit in _LIMITS if limit in part)
