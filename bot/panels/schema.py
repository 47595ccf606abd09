"""The JSON schema of panels.json as data, made from the models."""

import ast
import inspect
import itertools
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.panels.config import PanelsConfig
from bot.panels.section import Section

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_SCHEMA_FILE = "panels.schema.json"


def panels_schema() -> dict[str, Any]:
    """The schema, with a description for every key."""
    schema = PanelsConfig.model_json_schema(by_alias=True)
    for model in _models(Section):
        node = schema if model is PanelsConfig else schema["$defs"].get(model.__name__)
        if node is not None:
            _describe(node, model)
    return {"$schema": _DIALECT, "title": "Roundtable panels", **_tidied(schema)}


def _models(base: type[Section]) -> Iterator[type[Section]]:
    for model in base.__subclasses__():
        yield model
        yield from _models(model)


def _describe(node: dict[str, Any], model: type[Section]) -> None:
    """Give every key the sentence under its attribute.

    pydantic could do this itself, but then it would read the source of every class at each start.
    """
    sentences = _sentences(model)
    for name, field in model.model_fields.items():
        shown = node["properties"][field.alias or name]
        if name in sentences:
            shown["description"] = sentences[name]


def _sentences(model: type[Section]) -> dict[str, str]:
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, Section):
            found |= _attribute_docstrings(base)
    return found


def _attribute_docstrings(model: type[Section]) -> dict[str, str]:
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    statements = body.body if isinstance(body, ast.ClassDef) else []
    return {
        attribute.target.id: inspect.cleandoc(sentence.value.value)
        for attribute, sentence in itertools.pairwise(statements)
        if isinstance(attribute, ast.AnnAssign)
        and isinstance(attribute.target, ast.Name)
        and isinstance(sentence, ast.Expr)
        and isinstance(sentence.value, ast.Constant)
        and isinstance(sentence.value.value, str)
    }


def _tidied(node: Any, names_follow: bool = False) -> Any:
    """Drop the titles pydantic invents and close objects whose keys follow a pattern."""
    if isinstance(node, list):
        return [_tidied(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        key: _tidied(value, names_follow=key in {"properties", "$defs"} and not names_follow)
        for key, value in node.items()
        if names_follow or key != "title"
    }
    if "patternProperties" in kept and not names_follow:
        kept["additionalProperties"] = False
    return kept


def schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(panels_schema(), indent=2, ensure_ascii=False) + "\n"


def write_schema(folder: Path) -> Path:
    """Write the schema's file into a folder and return its path."""
    path = folder / _SCHEMA_FILE
    path.write_text(schema_text(), encoding="utf-8")
    return path


if __name__ == "__main__":
    write_schema(Path.cwd())
