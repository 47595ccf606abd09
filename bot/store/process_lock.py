"""One process per database: an exclusive lock file that says who holds it."""

import os
import sys
from pathlib import Path

from bot.errors import UnavailableError
from bot.files.private import FILE, keep_private
from bot.messages.operations import StoreText

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
    """Holds the lock until released or until the process ends, however it ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    @classmethod
    def acquire(cls, database: Path) -> "ProcessLock":
        """Take the lock beside the database, or say which process has it."""
        path = database.with_name(database.name + ".lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, FILE)
        except OSError as error:
            raise UnavailableError(
                StoreText.lock_not_writable(str(path), error.strerror)
            ) from error
        try:
            _try_lock(descriptor)
        except OSError as error:
            holder = _holder(descriptor)
            os.close(descriptor)
            taken = StoreText.in_use(str(database), holder, StoreText.OTHER_FOLDER)
            raise UnavailableError(taken) from error
        keep_private(path)
        _sign(descriptor)
        return cls(descriptor)

    def release(self) -> None:
        """Let go; the file stays, because removing it would let two processes lock two files."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _sign(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())


def _holder(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    text = os.read(descriptor, 32).decode(errors="replace").strip()
    return StoreText.process(text) if text.isdigit() else StoreText.ANOTHER_PROCESS
