"""The shipped panels.json as data to bend, and what loading bent data says."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.errors import ConfigError
from bot.panels import PanelsConfig, parse_panels

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "panels.json"

Data = dict[str, Any]


def shipped() -> Data:
    data: Data = json.loads(SHIPPED.read_text(encoding="utf-8"))
    return data


def bent(change: Callable[[Data], object]) -> Data:
    data = shipped()
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
