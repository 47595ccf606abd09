"""The journal: paid or visible work is done once and its result recorded under a key."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection

from bot.store.engine.store import Store
from bot.store.log import events
from bot.store.log.events import Draft, Event, EventType
from bot.store.vocabulary import Actor

_T = TypeVar("_T")
_Record = Callable[[Connection, _T], "Mapping[str, Any] | Noted"]


class Noted(NamedTuple):
    """The payload to record, and events to write in the same transaction."""

    payload: Mapping[str, Any]
    beside: tuple[Draft, ...] = ()


class _AlreadyRecordedError(Exception):
    """Another caller recorded the key first; this transaction is rolled back."""


class Journal:
    """Looks up the log first, so that running a run again does nothing twice."""

    def __init__(self, store: Store, run_id: str, actor: Actor) -> None:
        self.run_id = run_id
        self._store = store
        self._actor = actor

    async def recorded(self, type_: EventType, key: str) -> dict[str, Any] | None:
        """The payload recorded under the key, or None."""
        return await self._store.read(lambda conn: events.find(conn, self.run_id, type_, key))

    async def history(self, type_: EventType) -> tuple[Event, ...]:
        """The run's events of a type, in the order they were written."""
        return await self._store.read(lambda conn: events.history(conn, self.run_id, type_))

    async def once(
        self, type_: EventType, key: str, work: Callable[[], Awaitable[_T]], record: _Record[_T]
    ) -> dict[str, Any]:
        """The recorded payload, or the payload that `record` makes of the work's result.

        `record` writes its rows in the transaction of the event. Work that raises records
        nothing. Callers with the same key wait for each other. A caller cancelled during the
        work cancels it; a caller cancelled after the work waits until the result is stored.
        """
        async with self._store.working_on.holding((self.run_id, type_, key)):
            known = await self.recorded(type_, key)
            if known is not None:
                return known
            result = await work()
            return await self._store_result(type_, key, result, record)

    async def _store_result(
        self, type_: EventType, key: str, result: _T, record: _Record[_T]
    ) -> dict[str, Any]:
        def write(conn: Connection) -> dict[str, Any]:
            noted = record(conn, result)
            noted = noted if isinstance(noted, Noted) else Noted(noted)
            drafts = (*noted.beside, Draft(type_, key, self._actor, noted.payload))
            if not events.append_all(conn, self.run_id, drafts, self._store.now()):
                raise _AlreadyRecordedError
            return dict(json.loads(json.dumps(noted.payload)))  # as a later reader finds it

        try:
            # What was paid for is kept until it can be stored.
            return await self._store.outlast(lambda: _even_if_cancelled(self._store.write(write)))
        except _AlreadyRecordedError:
            known = await self.recorded(type_, key)
            if known is None:
                raise
            return known


async def _even_if_cancelled(writing: Coroutine[Any, Any, _T]) -> _T:
    """Wait for a write to finish; a caller cancelled meanwhile is cancelled after it.

    Otherwise the next caller would not find the key yet and would do the work again.
    """
    task = asyncio.create_task(writing)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    task.exception()  # keeps asyncio from logging that the exception was never retrieved
    raise cancelled
