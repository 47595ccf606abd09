"""A key that panels.json holds or names is hidden in the log, also one that came with a reload."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.app import open_app
from bot.operations.logs import set_up_logging
from bot.settings import load_settings
from tests.panels.panels_data import ALONE, alone


@pytest.fixture
def root_logger() -> Iterator[None]:
    """The root logger as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def with_provider(key: dict[str, str]) -> dict[str, Any]:
    data = alone()
    data["providers"]["hosted"] = {
        "kind": "openai",
        "baseUrl": "https://models.example.org/v1",
    } | key
    return data


@pytest.mark.usefixtures("root_logger")
async def test_keys_of_panels_json_are_hidden_at_the_start_and_after_a_reload(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither is shaped like a token, and neither variable is called like a secret."""
    file = tmp_path / "panels.json"
    file.write_text(json.dumps(with_provider({"apiKey": "plain words one"})), encoding="utf-8")
    places = {"ROUNDTABLE_HOME": str(tmp_path), "ROUNDTABLE_PANELS": str(file)}
    settings = load_settings(None, ALONE | places | {"ODD_NAME": "plain words two"})
    set_up_logging("WARNING", settings.redactions())
    async with open_app(settings) as app:
        logging.getLogger("bot").warning("refused: plain words one")
        file.write_text(json.dumps(with_provider({"apiKeyEnv": "ODD_NAME"})), encoding="utf-8")
        await app.panels.reload()
        logging.getLogger("bot").warning("refused: plain words two")
    logged = [line for line in capsys.readouterr().err.splitlines() if "refused" in line]
    assert [line.partition("refused: ")[2] for line in logged] == ["[hidden]", "[hidden]"]
