"""The services of a bot that is not connected to Discord."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.app import open_app
from bot.settings import load_settings
from cogs.services import CogServices
from tests.panels.panels_data import ALONE, alone

TOPICS = 555
"""A channel in which every message is a topic."""


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[CogServices]:
    file = tmp_path / "panels.json"
    panels = alone()
    panels.setdefault("trigger", {})["channelIds"] = [str(TOPICS)]
    file.write_text(json.dumps(panels), encoding="utf-8")
    places = {"ROUNDTABLE_HOME": str(tmp_path), "ROUNDTABLE_PANELS": str(file)}
    async with open_app(load_settings(None, ALONE | places)) as app:
        yield app.bot.services
