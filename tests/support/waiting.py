"""Waiting for what happens outside this process."""

import asyncio
from collections.abc import Callable


async def soon(happened: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    async with asyncio.timeout(60):
        while not happened():  # noqa: ASYNC110 (nobody tells this process)
            await asyncio.sleep(0.02)
