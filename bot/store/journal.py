"""The journal: paid or visible work is done once and its result recorded under a key."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import Connection

from bot.store import events
from bot.store.actors import Actor
from bot.store.engine import Store
from bot.store.events import Draft, Event, EventType
from bot.store.types import read_back

T = TypeVar("T")
Record = Callable[[Connection, T], "Mapping[str, Any] | Noted"]


class Noted(NamedTuple):
    """What is recorded, and events that are written with it and never without it."""

    payload: Mapping[str, Any]
    beside: tuple[Draft, ...] = ()


class _AlreadyRecordedError(Exception):
    """Another process recorded the key first; what this one wrote is rolled back."""


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """What is recorded under a key, and what the work gave if it was done just now."""

    payload: dict[str, Any]
    result: T | None = None


class Journal:
    """Asks the log first, so that running a run again does nothing twice."""

    def __init__(self, store: Store, run_id: str, actor: Actor, *, whole: bool = True) -> None:
        """With `whole` the run's log is read once and kept, which pays while a run is held."""
        self.run_id = run_id
        self._whole = whole
        self._store = store
        self._actor = actor
        self._log = store.log_of(run_id)

    async def recorded(self, type_: EventType, key: str) -> dict[str, Any] | None:
        """The payload recorded under the key, or None."""
        known = self._log.get(type_, key)
        if known is None:
            known = await self._store.glance(
                lambda conn: events.find(conn, self.run_id, type_, key)
            )
        return known

    async def history(self, type_: EventType) -> list[Event]:
        """The events of a type as the store has them now; the rest of the log is learned, too."""
        return [event for event in await self._log.learn(self._store) if event.type is type_]

    async def once(
        self, type_: EventType, key: str, work: Callable[[], Awaitable[T]], record: Record[T]
    ) -> dict[str, Any]:
        """The recorded payload, or the payload that `record` makes of the work's result.

        `record` writes its rows in the transaction of the event. Work that raises records
        nothing. Callers with the same key wait for each other. A caller cancelled during the
        work cancels it; a caller cancelled after the work waits until the result is stored.
        """
        return (await self.do_once(type_, key, work, record)).payload

    async def do_once(
        self, type_: EventType, key: str, work: Callable[[], Awaitable[T]], record: Record[T]
    ) -> Done[T]:
        """The same, for callers who can use the result and need not read it back."""
        async with self._store.working_on.holding((self.run_id, type_, key)):
            if self._whole:
                await self._log.fill(self._store)
                known = self._log.get(type_, key)
            else:
                known = await self.recorded(type_, key)
            if known is not None:
                return Done(known)
            result = await work()
            try:
                return await self._store_result(type_, key, result, record)
            except asyncio.CancelledError:
                self._log.doubt()
                raise

    async def _store_result(
        self, type_: EventType, key: str, result: T, record: Record[T]
    ) -> Done[T]:
        def write(conn: Connection) -> dict[str, Any]:
            noted = record(conn, result)
            noted = noted if isinstance(noted, Noted) else Noted(noted)
            payload = read_back(noted.payload)
            drafts = (*noted.beside, Draft(type_, key, self._actor, payload))
            if not events.append_all(conn, self.run_id, drafts, self._store.now()):
                raise _AlreadyRecordedError
            return payload

        try:
            done = Done(await self._store.jot_out(write), result)
        except _AlreadyRecordedError:
            known = await self.recorded(type_, key)
            if known is None:
                raise
            done = Done(known)
        self._log.add(type_, key, done.payload)
        return done
