"""The store: one database, one process, one writer, several readers."""

import asyncio
import time
from collections.abc import Callable
from typing import Final, NoReturn, TypeVar

from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.messages.operations import StoreText
from bot.store.engine.backend import Backend, Where, backend_for
from bot.store.engine.locks import Holding, KeyedLocks
from bot.store.engine.migrations import migrate
from bot.store.engine.writer import Writer

_T = TypeVar("_T")
_Clock = Callable[[], float]

_PATIENCE: Final = 10.0
DATABASE: Final = "roundtable.db"


class Store:
    """Hands out transactions; every repository function runs inside one of its closures."""

    def __init__(self, where: Where, clock: _Clock, backend: Backend) -> None:
        self.where = where
        self.working_on = KeyedLocks()
        self._clock = clock
        self._backend = backend
        self._writer = Writer(backend)
        self._reads: set[asyncio.Task[object]] = set()
        self._closed: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, where: Where, *, clock: _Clock = time.time) -> "Store":
        """Open or create the database at a path or URL and bring it to the newest version."""
        backend = backend_for(where)

        def prepare(conn: Connection) -> None:
            migrate(conn, clock())
            backend.begin_term(conn)

        try:
            await backend.open(prepare)
        except Exception as error:
            _raise_explained(backend, error)
        return cls(where, clock, backend)

    @property
    def holding(self) -> Holding:
        """Whether this process still holds the database; who lost it must wait."""
        return self._backend.holding

    def now(self) -> float:
        """The time in epoch seconds, from the clock the store was opened with."""
        return self._clock()

    async def write(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work` in a transaction and return its result once it is committed.

        `work` may be run again after a lost transaction, so it must touch nothing but its
        connection. Cancelling the caller never tears it apart.
        """
        return await self._writer.run(work)

    def _require_open(self) -> None:
        if self._closed is not None:
            raise UnavailableError(StoreText.CLOSED)

    async def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work` on one read-only snapshot and return its result."""
        self._require_open()
        task = asyncio.create_task(self._read(work))
        self._reads.add(task)
        task.add_done_callback(self._reads.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Commit what was handed in, close every connection and let go of the database."""
        if self._closed is None:
            self._closed = asyncio.create_task(self._close())
        await asyncio.shield(self._closed)

    async def _read(self, work: Callable[[Connection], _T]) -> _T:
        try:
            return await self._backend.read(work)
        except Exception as error:
            _raise_explained(self._backend, error)

    async def _close(self) -> None:
        try:
            await self._writer.close(_PATIENCE)
            if self._reads:
                await asyncio.wait(self._reads, timeout=_PATIENCE)
        finally:
            await self._backend.close()


def _raise_explained(backend: Backend, error: Exception) -> NoReturn:
    explained = backend.explain(error)
    if explained is error:
        raise error
    raise explained from error
