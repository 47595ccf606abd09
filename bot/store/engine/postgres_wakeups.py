"""LISTEN: another process says that there is something to do."""

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from bot.store.engine.postgres import connect

if TYPE_CHECKING:
    import asyncpg

_log = logging.getLogger(__name__)

_POLL_SECONDS: Final = 1.0
"""Whoever waits looks at least this often: a notice may be lost with its connection."""
_SILENCE_SECONDS: Final = 5.0
_GOODBYE: Final = 1.0


class Wakeups:
    """Waits for notices on a channel of a Postgres database."""

    def __init__(self, url: str, channel: str) -> None:
        self._url = url
        self._channel = channel
        self._connection: asyncpg.Connection[Any] | None = None
        self._woken = asyncio.Event()
        self._notices: set[str] = set()
        self._heard_at = 0.0

    async def wait(self) -> set[str]:
        """Wait for notices, or for a moment; returns the words that they consist of."""
        await self._listen()
        await self._require_answer()
        with suppress(TimeoutError):
            async with asyncio.timeout(_POLL_SECONDS):
                await self._woken.wait()
        self._woken.clear()
        heard, self._notices = self._notices, set()
        return heard

    async def _require_answer(self) -> None:
        """Listen anew where a broken line would only stay silent."""
        now = asyncio.get_running_loop().time()
        if self._connection is None or now - self._heard_at < _SILENCE_SECONDS:
            return
        self._heard_at = now
        try:
            async with asyncio.timeout(_POLL_SECONDS):
                await self._connection.execute("SELECT 1")
        except Exception:
            self._connection.terminate()
            await self._listen()

    def _hear(self, *notice: object) -> None:
        self._notices.update(str(notice[-1]).split(","))
        self._heard_at = asyncio.get_running_loop().time()
        self._woken.set()

    async def close(self) -> None:
        """Stop listening."""
        if self._connection is not None:
            with suppress(Exception):
                await self._connection.close(timeout=_GOODBYE)

    async def _listen(self) -> None:
        if self._connection is not None and not self._connection.is_closed():
            return
        try:
            connection = await connect(self._url)
            await connection.add_listener(self._channel, self._hear)
        except Exception as error:
            _log.debug("notices cannot be heard, so they are asked for: %s", type(error).__name__)
        else:
            self._connection = connection
