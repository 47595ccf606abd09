"""panels.schema.json: current, complete, and of one mind with the models."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.panels.schema import panels_schema, schema_text, write_schema
from tests.panels.panels_data import ROOT, Data, bent, shipped

SCHEMA_FILE = "panels.schema.json"

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


class Validator:
    """The part of JSON Schema that our schema uses."""

    def __init__(self, schema: Data) -> None:
        self._schema = schema

    def accepts(self, value: Any, node: Data | None = None) -> bool:
        node = self._schema if node is None else node
        if "$ref" in node:
            node = self._schema["$defs"][node["$ref"].rpartition("/")[2]]
        options = node.get("anyOf") or node.get("oneOf")
        if options:
            return any(self.accepts(value, option) for option in options)
        return self._plain(value, node) and self._parts(value, node)

    def _plain(self, value: Any, node: Data) -> bool:
        wanted = node.get("type")
        if wanted and (not isinstance(value, TYPES[wanted]) or _bool_as_number(value, wanted)):
            return False
        if "enum" in node and value not in node["enum"]:
            return False
        if "const" in node and value != node["const"]:
            return False
        return _within(value, node)

    def _parts(self, value: Any, node: Data) -> bool:
        if isinstance(value, list):
            return all(self.accepts(item, node.get("items", {})) for item in value)
        if not isinstance(value, dict):
            return True
        if any(key not in value for key in node.get("required", [])):
            return False
        return all(self._member(key, item, node) for key, item in value.items())

    def _member(self, key: str, value: Any, node: Data) -> bool:
        if key in node.get("properties", {}):
            return self.accepts(value, node["properties"][key])
        for pattern, inner in node.get("patternProperties", {}).items():
            if re.search(pattern, key):
                return self.accepts(value, inner)
        return node.get("additionalProperties", True) is not False


def _bool_as_number(value: Any, wanted: str) -> bool:
    return isinstance(value, bool) and wanted in {"integer", "number"}


def _within(value: Any, node: Data) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < node.get("minimum", value) or value > node.get("maximum", value):
            return False
        return "exclusiveMinimum" not in node or value > node["exclusiveMinimum"]
    if isinstance(value, str) and "pattern" in node:
        return re.search(node["pattern"], value) is not None
    if isinstance(value, list):
        return bool(node.get("minItems", 0) <= len(value) <= node.get("maxItems", len(value)))
    return True


def _objects(schema: Data) -> Iterator[tuple[str, Data]]:
    yield "PanelsConfig", schema
    yield from schema["$defs"].items()


def test_the_file_in_the_repository_is_current() -> None:
    """Run `python -m bot.panels.schema` after changing the models."""
    assert (ROOT / SCHEMA_FILE).read_text(encoding="utf-8") == schema_text()


def test_writing_makes_the_same_file(tmp_path: Path) -> None:
    assert write_schema(tmp_path).read_text(encoding="utf-8") == schema_text()


def test_panels_json_names_its_schema() -> None:
    assert shipped()["$schema"] == f"./{SCHEMA_FILE}"


def test_panels_json_is_valid_under_the_schema() -> None:
    assert Validator(panels_schema()).accepts(shipped())


def test_server_overrides_are_valid_under_the_schema() -> None:
    override = {"output": {"target": "42"}, "panels": {"vote": {"speechOrder": "random"}}}
    data = bent(lambda d: d.update(servers={"1234": override}))
    assert Validator(panels_schema()).accepts(data)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(outputs={}),
        lambda d: d["panels"].pop("vote"),
        lambda d: d["limits"].update(maxRounds=4),
        lambda d: d["timeouts"].update(run=0),
        lambda d: d["providers"]["openai"].update(kind="opnai"),
        lambda d: d["output"].update(autoArchiveMinutes=61),
        lambda d: d["output"].update(target="general"),
        lambda d: d["model_aliases"].update({"two words": "grok"}),
        lambda d: d.update(servers={"1234": {"models": {}}}),
    ],
)
def test_an_editor_marks_what_loading_would_refuse(change: Any) -> None:
    assert not Validator(panels_schema()).accepts(bent(change))


def test_every_key_is_described() -> None:
    schema = panels_schema()
    for name, node in _objects(schema):
        for key, inner in node.get("properties", {}).items():
            target = schema["$defs"].get(inner.get("$ref", "").rpartition("/")[2], {})
            assert inner.get("description") or target.get("description"), f"{name}.{key}"


def test_every_key_is_in_the_documentation() -> None:
    """design 11: every panels.json key has a line in docs/."""
    text = (ROOT / "docs" / "panels.md").read_text(encoding="utf-8")
    keys = {key for _, node in _objects(panels_schema()) for key in node.get("properties", {})}
    assert sorted(key for key in keys if f"`{key}`" not in text) == []


def test_the_examples_of_the_documentation_load_into_the_shipped_file() -> None:
    text = (ROOT / "docs" / "panels.md").read_text(encoding="utf-8")
    examples = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert examples
    for example in examples:
        data = shipped()
        for section, content in json.loads("{" + example + "}").items():
            data[section] = {**data[section], **content}
        assert Validator(panels_schema()).accepts(data)
