"""Background jobs of the running bot, apart from meetings."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def under_way(*chores: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Do chores until the end of the block; they end with it."""
    tasks = [asyncio.create_task(chore) for chore in chores]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
