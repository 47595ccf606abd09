"""A store of its own for each test, and the clock that tests move."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store import Store
from tests.store.conftest import Clock, clock, empty_file

__all__ = ["clock", "empty_file"]


@pytest.fixture
async def store(tmp_path: Path, clock: Clock, empty_file: Path) -> AsyncIterator[Store]:
    opened = await Store.open(Path(shutil.copy(empty_file, tmp_path)), clock=clock)
    yield opened
    await opened.close()
