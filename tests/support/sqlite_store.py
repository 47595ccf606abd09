"""A store on a fresh file whose clock stands still, for tests of what is built on it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store import Store

NOW = 1_800_000_000.0


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = await Store.open(tmp_path / "roundtable.db", clock=lambda: NOW)
    yield opened
    await opened.close()
