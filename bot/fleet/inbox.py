"""The way of an event from a gateway to the worker: a buffer, a table, and a wake-up."""

import asyncio
import json
import logging
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection

from bot.errors import UnavailableError
from bot.store import Store
from bot.store.engine.postgres_wakeups import Wakeups
from bot.store.repositories.fleet import (
    WAKE,
    Heard,
    InboxRepository,
    ServerStates,
    Shards,
    Taken,
)

_log = logging.getLogger(__name__)

_BATCH: Final = 200
_MOST_BUFFERED: Final = 50_000
"""What a gateway keeps while Postgres is away; the oldest go first, and are read afterwards."""
_PAUSE: Final = 0.3
_INTERACTION: Final = "INTERACTION_CREATE"
_STALE_SECONDS: Final = 2.8
"""Discord takes the answer to an interaction for three seconds."""
_MOST_REMEMBERED: Final = 1000


class EventRelay:
    """A gateway's side: stores events in the order in which they were heard."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._buffer: deque[Heard] = deque(maxlen=_MOST_BUFFERED)
        self._news = asyncio.Event()

    def put(
        self,
        event: str,
        data: Any,
        *,
        key: str | None = None,
        author_id: int = 0,
        guild_id: int | None = None,
        mark: tuple[int, str, int] | None = None,
    ) -> None:
        """Store an event soon."""
        self._buffer.append(Heard(event, json.dumps(data), key, author_id, guild_id, mark))
        self._news.set()

    async def withdraw(self, key: str) -> bool:
        """Take an event back; False when the worker has it."""
        waiting = next((each for each in self._buffer if each.key == key), None)
        if waiting is not None:
            self._buffer.remove(waiting)
            return True
        try:
            return await self._store.write(lambda conn: InboxRepository(conn).withdraw(key))
        except UnavailableError:
            return False

    async def run(self) -> None:
        """Store events for as long as the gateway runs."""
        while True:
            await self._news.wait()
            await self.flush()

    async def flush(self) -> None:
        """Store what was heard; while Postgres is away this waits and keeps everything."""
        self._news.clear()
        while self._buffer:
            batch = [self._buffer.popleft() for _ in range(min(_BATCH, len(self._buffer)))]
            try:
                await self._store.write(partial(_add, batch))
            except UnavailableError as error:
                _log.warning("%d events wait: %s", len(batch) + len(self._buffer), error)
                self._buffer.extendleft(reversed(batch))
                await asyncio.sleep(_PAUSE)


def _add(batch: Sequence[Heard], conn: Connection) -> None:
    InboxRepository(conn).add(batch)


class InboxFeed:
    """The worker's side: what servers look like, and then every event once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._wakeups = Wakeups(str(store.where), WAKE)
        self._answered: deque[int] = deque(maxlen=_MOST_REMEMBERED)

    async def servers(self) -> list[Taken]:
        """What every server looks like, once every shard has described its servers."""
        told = False
        while True:
            shards, found = await self._store.read(
                lambda conn: (Shards(conn).all(), ServerStates(conn).all())
            )
            if shards and all(shard.known for shard in shards):
                return found
            if not told:
                told = True
                _log.info("waiting for `roundtable gateway` to connect every shard")
            await self._wakeups.wait()

    async def next(self) -> list[Taken]:
        """The next events, as soon as there are any."""
        while True:
            try:
                taken = await self._store.write(lambda conn: InboxRepository(conn).take(_BATCH))
            except UnavailableError as error:
                _log.debug("no events can be taken: %s", error)
                await asyncio.sleep(_PAUSE)
                continue
            if taken:
                return [each for each in taken if self._is_news(each)]
            await self._wakeups.wait()

    async def close(self) -> None:
        """Stop listening."""
        await self._wakeups.close()

    def _is_news(self, taken: Taken) -> bool:
        """Two gateways may hear the same interaction, and nobody can answer an old one."""
        if taken.event != _INTERACTION:
            return True
        number = int(taken.payload["id"])
        fresh = number not in self._answered and taken.age < _STALE_SECONDS
        self._answered.append(number)
        return fresh
