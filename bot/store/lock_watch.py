"""Watches the lock on a server: notices its loss without a write, and takes it again."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from bot.errors import UnavailableError
from bot.store.holding import Holding

CHECK_SECONDS: Final = 5.0
LEASE_SECONDS: Final = 15.0
"""A server that gave no sign for so long may have given the lock to another; ours notices a
vanished client after 35 s at the earliest."""
_PAUSE: Final = 0.1

Sleep = Callable[[float], Awaitable[None]]
Now = Callable[[], float]


class LockWatch:
    """Proves every few seconds that the lock is held, at once when its connection has ended."""

    def __init__(
        self,
        holding: Holding,
        prove: Callable[[], Awaitable[None]],
        sleep: Sleep = asyncio.sleep,
        now: Now | None = None,
    ) -> None:
        self._holding = holding
        self._prove = prove
        self._sleep = sleep
        self._now = now or asyncio.get_running_loop().time
        self._proved = self._now()
        self._ended = asyncio.Event()
        self._task = asyncio.create_task(self._run(), name="lock watch")

    def connection_ended(self) -> None:
        """The connection that held the lock is gone, and the lock with it."""
        self._holding.lose()
        self._ended.set()

    async def close(self) -> None:
        """Watch no longer."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await self._pause()
            self._ended.clear()
            try:
                async with asyncio.timeout(CHECK_SECONDS):
                    await self._prove()
            except UnavailableError as error:
                self._holding.give_up(error)
                return
            except Exception:
                # Busy, restarting or unreachable: each may last, so the lock is doubted in time.
                if self._now() - self._proved > LEASE_SECONDS:
                    self._holding.lose()
            else:
                self._proved = self._now()
                self._holding.regain()

    async def _pause(self) -> None:
        sleeping = asyncio.ensure_future(
            self._sleep(CHECK_SECONDS if self._holding.held else _PAUSE)
        )
        waking = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait({sleeping, waking}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sleeping, waking):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
