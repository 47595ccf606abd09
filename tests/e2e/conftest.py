"""A table that is laid for one test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.table import Table, laid_table


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    """The playground with a rehearsal panel that answers at once."""
    async with laid_table(tmp_path) as laid:
        yield laid
