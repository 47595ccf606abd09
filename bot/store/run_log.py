"""What the log says about one run, remembered while somebody works on the run."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection

from bot.store import events
from bot.store.events import Event, EventType

T = TypeVar("T")


class _Looks(Protocol):
    def glance(self, work: Callable[[Connection], T]) -> Awaitable[T]: ...


class RunLog:
    """Payloads by type and key; events never change, so what is known stays true.

    What is not known may still have been written by others: who writes learns it from the store,
    which takes every key once.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._payloads: dict[tuple[EventType, str], dict[str, Any]] = {}
        self._filled = False

    def get(self, type_: EventType, key: str) -> dict[str, Any] | None:
        """The payload under the key, as far as it is known."""
        return self._payloads.get((type_, key))

    def add(self, type_: EventType, key: str, payload: dict[str, Any]) -> None:
        """Learn what was recorded."""
        self._payloads[type_, key] = payload

    def doubt(self) -> None:
        """Somebody wrote and does not know how it ended: the log is to be read again."""
        self._filled = False

    async def fill(self, store: _Looks) -> None:
        """Learn once what was recorded before anybody here worked on the run."""
        if not self._filled:
            await self.learn(store)

    async def learn(self, store: _Looks) -> tuple[Event, ...]:
        """Read the whole log now, also what others wrote meanwhile."""
        found = await store.glance(lambda conn: events.history(conn, self._run_id))
        for event in found:
            self.add(event.type, event.key, event.payload)
        self._filled = True
        return found
