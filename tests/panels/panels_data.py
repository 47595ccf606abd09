"""The shipped panels.json as data to bend, and what loading bent data says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.errors import ConfigError
from bot.panels import PanelsConfig, parse_panels
from tests.support.free_ports import silent_port

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "panels.json"
ALONE = {"ROUNDTABLE_LOCAL": "off"}
"""The setting for a machine on which nothing else runs."""

Data = dict[str, Any]


def shipped() -> Data:
    data: Data = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return data


def alone() -> Data:
    """The shipped file for a machine on which nothing else runs, whatever does."""
    data = shipped()
    data["providers"]["blockrun"] = server_at(silent_port())
    return data


def server_at(port: int) -> Data:
    """A model server on this machine, as panels.json names it."""
    return {"kind": "openai", "baseUrl": f"http://127.0.0.1:{port}/v1", "apiKey": "none"}


def bent(change: Callable[[Data], object], data: Data | None = None) -> Data:
    data = shipped() if data is None else data
    change(data)
    return data


def loaded(data: Data) -> PanelsConfig:
    return parse_panels(json.dumps(data))


def complaints(data: Data) -> list[str]:
    """The lines of the error that loading this data raises; none when it loads."""
    try:
        loaded(data)
    except ConfigError as error:
        return error.text.splitlines()
    return []
