"""Locks by name, kept only while somebody holds or awaits them."""

import asyncio
from collections.abc import Hashable


class KeyedLocks:
    """Lets one task at a time work on a key."""

    def __init__(self) -> None:
        self._locks: dict[Hashable, _Shared] = {}

    def holding(self, key: Hashable) -> "_Holding":
        """Wait for the key, hold it for the block, let go."""
        return _Holding(self._locks, key)

    def __len__(self) -> int:
        return len(self._locks)


class _Shared(asyncio.Lock):
    """A lock and how many hold or await it."""

    interested = 0


class _Holding:
    def __init__(self, locks: dict[Hashable, _Shared], key: Hashable) -> None:
        self._locks = locks
        self._key = key

    async def __aenter__(self) -> None:
        lock = self._locks.get(self._key)
        if lock is None:
            lock = self._locks[self._key] = _Shared()
        lock.interested += 1
        try:
            await lock.acquire()
        except BaseException:
            self._lose_interest(lock)
            raise

    async def __aexit__(self, *_: object) -> None:
        lock = self._locks[self._key]
        lock.release()
        self._lose_interest(lock)

    def _lose_interest(self, lock: _Shared) -> None:
        lock.interested -= 1
        if not lock.interested:
            del self._locks[self._key]
