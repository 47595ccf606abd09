"""An event loop that has no time to spare."""

import asyncio
import time

from bot.council.lull import CALM


class Business:
    """Keeps the event loop busy, a stretch of work after the other, until it is ended."""

    def __init__(self) -> None:
        self._on = True
        self._work()

    def _work(self) -> None:
        if self._on:
            time.sleep(2 * CALM)  # the loop's thread works and can do nothing else
            asyncio.get_running_loop().call_soon(self._work)

    def end(self) -> None:
        """Let the loop rest from now on."""
        self._on = False
