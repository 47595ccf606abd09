"""One process per database: an exclusive lock file that says who holds it."""

import asyncio
import errno
import logging
import math
import os
import sys
import time
from collections.abc import Callable, Hashable
from pathlib import Path

from bot.errors import UnavailableError
from bot.files.private import FILE, keep_private
from bot.messages.store import StoreText

_log = logging.getLogger(__name__)


class Holding:
    """The state of the lock: held, lost for now, or gone to another process for good."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until = math.inf
        self._held = asyncio.Event()
        self._held.set()
        self._over = asyncio.Event()
        self._told = False
        """Whether the log says that the database is away."""
        self._error: UnavailableError | None = None

    @property
    def held(self) -> bool:
        """Whether this process certainly holds the lock now."""
        return self._held.is_set() and self._now() < self._until

    async def wait(self) -> None:
        """Wait until the lock is held; never returns once another process has the database."""
        while not self.held:
            # A process that was stopped for a while wakes up here before its watch does.
            self._held.clear()
            await self._held.wait()

    def trust(self, seconds: float) -> None:
        """Count the lock as held for so long at most, unless it is proved again."""
        self._until = self._now() + seconds

    async def gone(self) -> UnavailableError:
        """Wait until another process has taken the database; returns a sentence that says which."""
        await self._over.wait()
        return self._error or UnavailableError("")

    def miss(self) -> None:
        """The database does not answer; the lock counts for as long as it was trusted."""
        if not self._told:
            _log.warning("the database is away: all work waits until it is back")
        self._told = True

    def lose(self) -> None:
        """The lock is in doubt: nothing visible to others may be done until it is regained."""
        self.miss()
        self._held.clear()

    def regain(self) -> None:
        """The lock is held again; ignored once another process has had the database."""
        if self._error is not None:
            return
        if self._told:
            _log.warning("the database is back: work continues")
        self._told = False
        self._held.set()

    def abandon(self, error: UnavailableError) -> None:
        """Another process has or had the database, so the state in memory is worthless."""
        self._held.clear()
        self._error = self._error or error
        self._over.set()


class KeyedLocks:
    """Lets one task at a time hold each key."""

    def __init__(self) -> None:
        self._locks: dict[Hashable, _Shared] = {}

    def holding(self, key: Hashable) -> "_Holding":
        """Hold the key for the duration of the block, after waiting for it."""
        return _Holding(self._locks, key)

    def __len__(self) -> int:
        return len(self._locks)


class _Shared(asyncio.Lock):
    """A lock and the number of tasks that hold or await it."""

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


if sys.platform == "win32":
    import msvcrt

    # Locks are mandatory on Windows: lock a byte far behind the text, so that it can be read.
    _LOCKED_BYTE = 1 << 30

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        os.lseek(descriptor, 0, os.SEEK_SET)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class ProcessLock:
    """Holds the lock until it is released or the process ends, even if it is killed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def acquire(cls, database: Path) -> "ProcessLock":
        """Take the lock file beside the database, or raise an error that names its holder."""
        path = database.with_name(database.name + ".lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, FILE)
        except OSError as error:
            raise UnavailableError(_not_writable(path, error)) from error
        try:
            _try_lock(descriptor)
        except OSError as error:
            holder = _holder(descriptor)
            os.close(descriptor)
            taken = StoreText.in_use(str(database), holder, StoreText.OTHER_FOLDER)
            raise UnavailableError(taken) from error
        try:
            keep_private(path)
            _sign(descriptor)
        except OSError as error:
            os.close(descriptor)
            full = error.errno == errno.ENOSPC
            sentence = StoreText.disk_full(str(database)) if full else _not_writable(path, error)
            raise UnavailableError(sentence) from error
        return cls(descriptor)

    def release(self) -> None:
        """Release the lock; the file stays, else two processes could lock two files."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _not_writable(path: Path, error: OSError) -> str:
    return StoreText.lock_not_writable(str(path), error.strerror)


def _sign(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())


def _holder(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    text = os.read(descriptor, 32).decode(errors="replace").strip()
    return StoreText.process(text) if text.isdigit() else StoreText.ANOTHER_PROCESS
