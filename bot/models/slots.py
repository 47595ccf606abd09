"""How many calls to a provider may be under way: fewer after a 429, more when all goes well."""

import asyncio
from typing import Final

GOOD_CALLS_PER_STEP: Final = 4


class Slots:
    """Places for calls; a provider that says "too many" has half of them taken away.

    Calls that began before a cut do not cut again, so one burst of refusals halves the places
    once. After every few good calls one place comes back.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = asyncio.Semaphore(most)
        self._allowed = most
        self._owed = 0
        self._cuts = 0
        self._good = 0

    @property
    def allowed(self) -> int:
        """How many calls may be under way now."""
        return self._allowed

    @property
    def free(self) -> bool:
        """Whether a call that enters now need not wait."""
        return not self._free.locked()

    async def enter(self) -> int:
        """Wait for a place; the number given back says how many cuts the call has seen."""
        await self._free.acquire()
        return self._cuts

    def leave(self) -> None:
        """Give a place back, or pay with it for a cut."""
        if self._owed:
            self._owed -= 1
        else:
            self._free.release()

    def refused(self, seen: int) -> None:
        """The provider limited a call that had seen so many cuts."""
        if seen < self._cuts:
            return
        self._cuts += 1
        self._good = 0
        kept = max(1, self._allowed // 2)
        self._owed += self._allowed - kept
        self._allowed = kept

    def served(self) -> None:
        """The provider answered a call."""
        self._good += 1
        if self._allowed == self._most or self._good < GOOD_CALLS_PER_STEP:
            return
        self._good = 0
        self._allowed += 1
        self.leave()
