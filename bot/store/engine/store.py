"""The store: one database, one process, one writer that groups commits, several readers."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from bot.errors import AwayError, UnavailableError
from bot.messages.store import StoreText
from bot.store.engine.backend import Backend, SharedFateError, Where
from bot.store.engine.locks import Holding, KeyedLocks
from bot.store.engine.migrations import migrate, require_current

_log = logging.getLogger(__name__)

_T = TypeVar("_T")

_BATCH_LIMIT: Final = 256
_Clock = Callable[[], float]
_PATIENCE: Final = 10.0
_OUTAGE_PAUSE: Final = 0.5
_SAME_CLOCK: Final = 2.0
"""Clocks that differ by no more count as the same: a busy server answers late."""
_SHARED_NOW: Final = "SELECT extract(epoch FROM clock_timestamp())::float8"
DATABASE: Final = "roundtable.db"


class _Job(NamedTuple):
    work: Callable[[Connection], Any]
    done: "asyncio.Future[Any]"

    def succeed(self, value: Any) -> None:
        if not self.done.done():
            self.done.set_result(value)

    def fail(self, error: BaseException) -> None:
        if not self.done.done():
            self.done.set_exception(error)
            # A cancelled caller receives nothing, so its error needs no report.
            self.done.exception()


class _Outcome(NamedTuple):
    value: Any = None
    error: Exception | None = None


class _Writer:
    """Runs write closures one after the other on one connection, each atomically.

    A closure may be run a second time when the transaction it shared was lost or another closure in
    it failed, so it must have no effect but on its connection.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._queue: asyncio.Queue[_Job | None] = asyncio.Queue()
        self._closing = False
        self._ended = False
        self._task = asyncio.create_task(self._live(), name="store writer")

    async def run(self, work: Callable[[Connection], _T]) -> _T:
        """Run the closure and return its result once it is committed.

        A cancelled caller returns at once; its closure still runs to the end.
        """
        if self._closing:
            raise UnavailableError(StoreText.CLOSED)
        done: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Job(work, done))
        return await done

    async def close(self, patience: float) -> None:
        """Finish the queued closures within the given seconds, and stop."""
        if not self._closing:
            self._closing = True
            self._queue.put_nowait(None)
        await asyncio.wait([self._task], timeout=patience)
        if not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=patience)

    async def _live(self) -> None:
        batch: list[_Job] = []
        try:
            while not self._ended:
                batch = await self._next_batch()
                await self._serve(batch)
        finally:
            self._abandon(batch)

    def _abandon(self, batch: Sequence[_Job]) -> None:
        """Fail every waiting caller, whatever ended the writer."""
        self._closing = True
        waiting = [*batch]
        while not self._queue.empty():
            job = self._queue.get_nowait()
            waiting += [job] if job else []
        for job in waiting:
            job.fail(UnavailableError(StoreText.CLOSED))

    async def _next_batch(self) -> list[_Job]:
        job = await self._queue.get()
        batch: list[_Job] = []
        while job is not None:
            batch.append(job)
            if len(batch) == _BATCH_LIMIT or self._queue.empty():
                return batch
            job = self._queue.get_nowait()
        self._ended = True
        return batch

    async def _serve(self, batch: Sequence[_Job]) -> None:
        if not batch:
            return
        try:
            outcomes = await self._commit(batch)
        except SharedFateError as fate:
            outcomes = [_Outcome(error=fate.cause) for _ in batch]
        except Exception as error:
            await self._serve_singly(batch, error)
            return
        for job, outcome in zip(batch, outcomes, strict=True):
            if outcome.error is None:
                job.succeed(outcome.value)
            else:
                job.fail(self._backend.explain(outcome.error))

    async def _serve_singly(self, batch: Sequence[_Job], error: Exception) -> None:
        """Run each closure in a transaction of its own, after the shared one was lost."""
        if len(batch) == 1:
            batch[0].fail(self._backend.explain(error))
            return
        for job in batch:
            await self._serve([job])

    async def _commit(self, batch: Sequence[_Job]) -> list[_Outcome]:
        """Run the batch without savepoints, which cost more than most closures."""
        try:
            return await self._backend.transact(lambda conn: [_trust(conn, job) for job in batch])
        except _ClosureError as failure:
            if len(batch) == 1:
                return [_Outcome(error=failure.error)]
        return await self._backend.transact(lambda conn: [_attempt(conn, job) for job in batch])


class _ClosureError(Exception):
    """A closure failed, so the transaction it shared with others was rolled back."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _trust(conn: Connection, job: _Job) -> _Outcome:
    try:
        return _Outcome(job.work(conn))
    except Exception as error:
        if conn.invalidated:
            # The connection is gone, so the writes of all closures in the transaction are lost.
            raise
        raise _ClosureError(error) from error


def _attempt(conn: Connection, job: _Job) -> _Outcome:
    savepoint = conn.begin_nested()
    try:
        value = job.work(conn)
    except Exception as error:
        if conn.invalidated:
            # The connection is gone, so the writes of all closures in the transaction are lost.
            raise
        try:
            savepoint.rollback()
        except DBAPIError:
            # The database rolled back the whole transaction (a full disk does that).
            raise error from None
        return _Outcome(error=error)
    savepoint.commit()
    return _Outcome(value)


class Store:
    """Runs closures in transactions; repositories are made with the connection of one."""

    def __init__(self, where: Where, clock: _Clock, backend: Backend) -> None:
        self.where = where
        self.working_on = KeyedLocks()
        self._clock = clock
        self._backend = backend
        self._writer = _Writer(backend)
        self._reads: set[asyncio.Task[object]] = set()
        self._closed: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls,
        where: Where,
        *,
        clock: _Clock = time.time,
        guest: bool = False,
        shared: bool = False,
    ) -> "Store":
        """Open or create the database at a path or URL and migrate it.

        On Postgres workers of a fleet may share it, and a guest works beside whoever holds it and
        does not migrate.
        """
        backend = backend_for(where, guest=guest, shared=shared)
        clocks = [clock]

        def prepare(conn: Connection) -> None:
            if clock is time.time:
                clocks.append(_shared_clock(conn))
            if guest:
                require_current(conn)
            else:
                migrate(conn, clocks[-1]())
            backend.begin_term(conn)

        try:
            await backend.open(prepare)
        except Exception as error:
            _raise_explained(backend, error)
        return cls(where, clocks[-1], backend)

    @property
    def holding(self) -> Holding:
        """The state of this process's lock on the database."""
        return self._backend.holding

    @property
    def member(self) -> int | None:
        """The number of this process among the workers of a fleet; None outside of one."""
        return self._backend.member

    def now(self) -> float:
        """The time in epoch seconds, from the clock the store was opened with."""
        return self._clock()

    async def write(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work` in a transaction and return its result once it is committed.

        `work` may be run again after a lost transaction, so it must touch nothing but its
        connection. Cancelling the caller never interrupts it halfway.
        """
        return await self._writer.run(work)

    def _require_open(self) -> None:
        if self._closed is not None:
            raise UnavailableError(StoreText.CLOSED)

    async def read(self, work: Callable[[Connection], _T]) -> _T:
        """Run `work`, which reads little, on one read-only snapshot and return its result."""
        self._require_open()
        try:
            result = self._backend.read_at_once(work)
        except Exception as error:
            _raise_explained(self._backend, error)
        return await self.scan(work) if result is None else result.value

    async def scan(self, work: Callable[[Connection], _T]) -> _T:
        """Do the same for `work` that reads much, and let others work meanwhile."""
        self._require_open()
        task = asyncio.create_task(self._read(work))
        self._reads.add(task)
        task.add_done_callback(self._read_ended)
        return await asyncio.shield(task)

    def _read_ended(self, task: "asyncio.Task[object]") -> None:
        self._reads.discard(task)
        if not task.cancelled():
            # A cancelled caller receives nothing, so its error needs no report.
            task.exception()

    async def outlast(self, work: Callable[[], Awaitable[_T]]) -> _T:
        """Do something that may be done again; an outage meanwhile is waited out.

        Never returns once another process has the database.
        """
        while True:
            try:
                return await work()
            except AwayError:
                await asyncio.sleep(_OUTAGE_PAUSE)
                await self.holding.wait()

    async def close(self) -> None:
        """Commit the queued writes, close every connection and release the lock."""
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


def _shared_clock(conn: Connection) -> _Clock:
    """This machine's clock, or the server's where they differ: several machines share times."""
    if conn.dialect.name != "postgresql":
        return time.time
    shared: float = conn.exec_driver_sql(_SHARED_NOW).scalar_one()
    if abs(shared - time.time()) < _SAME_CLOCK:
        return time.time
    _log.warning(
        "this machine's clock is off by %.0f s: the database's is used", time.time() - shared
    )
    began = time.monotonic()
    # Not by the difference: somebody may set the clock right while this runs.
    return lambda: shared + time.monotonic() - began


def _raise_explained(backend: Backend, error: Exception) -> NoReturn:
    explained = backend.explain(error)
    if explained is error:
        raise error
    raise explained from error


def backend_for(where: Where, *, guest: bool = False, shared: bool = False) -> Backend:
    """The backend for a path or URL; its module is imported when it is used."""
    if isinstance(where, str):
        from bot.store.engine.postgres import PostgresBackend  # noqa: PLC0415 (slow, for Postgres alone)

        return PostgresBackend(where, guest=guest, shared=shared)
    if guest or shared:
        raise UnavailableError(StoreText.NEEDS_POSTGRES)
    from bot.store.engine.sqlite import SqliteBackend  # noqa: PLC0415 (not needed on Postgres)

    return SqliteBackend(where)
