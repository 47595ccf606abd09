"""Writes the JSON schema of panels.json, so that editors complete the file.

`python -m bot.panels.schema` writes panels.schema.json anew into the working directory.
"""

import json
from pathlib import Path

from bot.panels._schema import panels_schema

SCHEMA_FILE = "panels.schema.json"


def schema_text() -> str:
    """The schema as the text of its file."""
    return json.dumps(panels_schema(), indent=2, ensure_ascii=False) + "\n"


def write_schema(folder: Path) -> Path:
    """Write the schema's file into a folder and return its path."""
    path = folder / SCHEMA_FILE
    path.write_text(schema_text(), encoding="utf-8")
    return path


if __name__ == "__main__":
    write_schema(Path.cwd())
