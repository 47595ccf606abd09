"""Holds garbage collection back until there is time for it."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

YOUNG: Final = 20_000
"""So many new things are looked at when there is time."""
MANY: Final = 400_000
"""So many are looked at whether there is time or not."""
REST: Final = 0.3
"""Seconds without work that show that there is time."""
LOTS: Final = 10
"""After so many looks at new things those that were kept are looked at, too."""


@contextmanager
def collection_held_back() -> Iterator[None]:
    """Collect nothing inside; afterwards what was built is never looked at again.

    From then on the young are looked at in large lots: a meeting makes many small things that
    live as long as it, and every look at them is in vain.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(MANY, LOTS, LOTS)
        gc.enable()


class Tidying:
    """Collects garbage once nobody has worked for a while."""

    def __init__(self) -> None:
        self._soon: asyncio.TimerHandle | None = None

    def rest(self) -> None:
        """Nobody works any more: collect if that stays so and is worth it."""
        if self._soon is None and gc.isenabled() and gc.get_count()[0] >= YOUNG:
            self._soon = asyncio.get_running_loop().call_later(REST, self._collect)

    def work(self) -> None:
        """Somebody works, who must not be held up."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None

    def _collect(self) -> None:
        self._soon = None
        gc.collect(1 if gc.get_count()[1] >= LOTS else 0)
