"""Locks by name, kept only while somebody holds or awaits them."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager


class KeyedLocks:
    """Lets one task at a time work on a key."""

    def __init__(self) -> None:
        self._locks: dict[Hashable, asyncio.Lock] = {}
        self._interested: dict[Hashable, int] = {}

    @asynccontextmanager
    async def holding(self, key: Hashable) -> AsyncIterator[None]:
        """Wait for the key, hold it for the block, let go."""
        lock = self._locks.setdefault(key, asyncio.Lock())
        self._interested[key] = self._interested.get(key, 0) + 1
        try:
            async with lock:
                yield
        finally:
            self._interested[key] -= 1
            if not self._interested[key]:
                del self._interested[key], self._locks[key]

    def __len__(self) -> int:
        return len(self._locks)
