"""A table that is laid for one test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.playground_harness import PlaygroundHarness, open_harness


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlaygroundHarness]:
    """The playground with a rehearsal panel that answers at once."""
    async with open_harness(tmp_path) as laid:
        yield laid
