"""The store: one database file, one process, one writer, several readers."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Final, TypeVar
from weakref import WeakValueDictionary

from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.store import sqlite
from bot.store.keyed_locks import KeyedLocks
from bot.store.line import Line
from bot.store.migrations import migrate
from bot.store.process_lock import ProcessLock
from bot.store.run_log import RunLog
from bot.store.writer import CLOSED, Writer

T = TypeVar("T")
Clock = Callable[[], float]

PATIENCE: Final = 10.0
DATABASE: Final = "roundtable.db"


class Store:
    """Hands out transactions; every repository function runs inside one of its closures."""

    def __init__(self, path: Path, clock: Clock, writer: Line, lock: ProcessLock) -> None:
        self.path = path
        self.working_on = KeyedLocks()
        self._logs: WeakValueDictionary[str, RunLog] = WeakValueDictionary()
        self._clock = clock
        self._lock = lock
        self._write_line = writer
        self._read_lines = sqlite.reader_lines(path)
        self._writer = Writer(writer, self._explain)
        self._reads: set[asyncio.Task[object]] = set()
        self._closed: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, path: Path, *, clock: Clock = time.time) -> "Store":
        """Open or create the database at `path` and bring it to the newest version."""
        sqlite.require_recent_library()
        async with AsyncExitStack() as undo:
            lock = _lock(path)
            undo.callback(lock.release)
            line = sqlite.writer_line(path)
            with sqlite.explaining(path):
                await line.open()
            undo.push_async_callback(line.close)
            await _prepare(line, path, clock())
            undo.pop_all()
            return cls(path, clock, line, lock)

    def log_of(self, run_id: str) -> RunLog:
        """The memory of a run's log, one for all who work on the run at the same time."""
        log = self._logs.get(run_id)
        if log is None:
            log = self._logs[run_id] = RunLog(run_id)
        return log

    def now(self) -> float:
        """The time in epoch seconds, from the clock the store was opened with."""
        return self._clock()

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in a transaction and return its result once it is committed.

        `work` may be run again after a lost transaction, so it must touch nothing but its
        connection. Cancelling the caller never tears it apart.
        """
        return await self._writer.run(work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on one read-only snapshot and return its result."""
        if self._closed is not None:
            raise UnavailableError(CLOSED)
        task = asyncio.create_task(self._read(work))
        self._reads.add(task)
        task.add_done_callback(self._reads.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Commit what was handed in, close every connection and release the file."""
        if self._closed is None:
            self._closed = asyncio.create_task(self._close())
        await asyncio.shield(self._closed)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        with sqlite.explaining(self.path):
            return await self._read_lines.run(work)

    async def _close(self) -> None:
        try:
            await self._writer.close(PATIENCE)
            if self._reads:
                await asyncio.wait(self._reads, timeout=PATIENCE)
            # The writer goes last: whoever closes last checkpoints, and readers must not.
            await _in_time(self._read_lines.close())
            await _in_time(self._write_line.close())
        finally:
            self._lock.release()

    def _explain(self, error: Exception) -> Exception:
        return sqlite.explain(error, self.path)


def _lock(path: Path) -> ProcessLock:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(
            f"The folder {path.parent} cannot be created ({error.strerror}): set ROUNDTABLE_HOME"
            " to a folder that Roundtable may write."
        ) from error
    return ProcessLock.acquire(path)


async def _prepare(line: Line, path: Path, now: float) -> None:
    def work(conn: Connection) -> None:
        with conn.begin():
            sqlite.require_healthy(conn, path)
            migrate(conn, now)

    with sqlite.explaining(path):
        await line.run(work)


async def _in_time(closing: Awaitable[None]) -> None:
    # A connection that does not close in time dies with its daemon thread.
    with suppress(TimeoutError):
        await asyncio.wait_for(closing, PATIENCE)
