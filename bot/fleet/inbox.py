"""A gateway's way to the workers: a buffer, and a table."""

import asyncio
import logging
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Final

from sqlalchemy import Connection

from bot.errors import AwayError, UnavailableError
from bot.store import Store
from bot.store.fleet.inbox import InboxRepository
from bot.types.gateway_events import GatewayEvent

_log = logging.getLogger(__name__)

_BATCH: Final = 200
_MOST_BUFFERED: Final = 50_000
"""What a gateway keeps while Postgres is away; the oldest go first, and are read afterwards."""
_PAUSE: Final = 0.3


class EventRelay:
    """A gateway's side: stores events in the order in which they were heard."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._buffer: deque[GatewayEvent] = deque(maxlen=_MOST_BUFFERED)
        self._news = asyncio.Event()

    def put(self, event: GatewayEvent) -> None:
        """Store an event soon."""
        self._buffer.append(event)
        self._news.set()

    async def withdraw(self, key: str) -> bool:
        """Take an event back; False when a worker has it."""
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
                if not isinstance(error, AwayError):  # which is told where shards are shared
                    _log.warning("%d events wait: %s", len(batch) + len(self._buffer), error)
                self._buffer.extendleft(reversed(batch))
                await asyncio.sleep(_PAUSE)


def _add(batch: Sequence[GatewayEvent], conn: Connection) -> None:
    InboxRepository(conn).add(batch)
