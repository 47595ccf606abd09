"""The JSON schema of panels.json as data, made from the models."""

from typing import Any

from bot.panels.config import PanelsConfig

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def panels_schema() -> dict[str, Any]:
    """The schema, with a description for every key."""
    schema = _tidied(PanelsConfig.model_json_schema(by_alias=True))
    return {"$schema": DIALECT, "title": "Roundtable panels", **schema}


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
