"""Work that nobody waits for yet begins in a lull, when the event loop has time to spare."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

GLANCE: Final = 0.02
"""Seconds between two looks at the event loop."""
CALM: Final = 0.003
"""How late the loop may be, its next round of work included, and still have time to spare."""

Turn = asyncio.Future[None]


class Lull:
    """Hands out turns, one at each look that finds nobody at work and the loop punctual."""

    def __init__(self, busy: Callable[[], bool] = lambda: False) -> None:
        self._busy = busy
        self._waiting: deque[Turn] = deque()
        self._due = 0.0

    def turn(self) -> Turn:
        """A turn to await; it comes in a lull, or when somebody hurries it."""
        loop = asyncio.get_running_loop()
        turn: Turn = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            self._look_again(loop)
        return turn

    def _look_again(self, loop: asyncio.AbstractEventLoop) -> None:
        self._due = loop.time() + GLANCE
        # A timer may be punctual by chance; the round of work after it tells how busy the loop is.
        loop.call_at(self._due, loop.call_soon, self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        calm = loop.time() - self._due < CALM and not self._busy()
        if self._waiting and calm:
            self._waiting.popleft().set_result(None)
        if self._waiting:
            self._look_again(loop)


def hurry(turn: Turn) -> None:
    """Somebody waits by now for what was to be done in a lull."""
    if not turn.done():
        turn.set_result(None)
