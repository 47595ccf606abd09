"""How calls wait: in a queue with progress reports, or for a provider's slots."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from bot.types.model_port import ModelEvent, Queued

_GOOD_CALLS_PER_STEP: Final = 4


@dataclass(eq=False, slots=True)
class _Ticket:
    """One queued call; `moved` is set whenever a call before it left."""

    moved: asyncio.Event = field(default_factory=asyncio.Event)


class CallQueue:
    """A FIFO queue with a fixed number of running calls."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._tickets: list[_Ticket] = []

    async def served(
        self, answer: AsyncGenerator[ModelEvent, None]
    ) -> AsyncGenerator[ModelEvent, None]:
        """Wait in the queue, then stream the answer."""
        ticket = _Ticket()
        self._tickets.append(ticket)
        try:
            for part in (self._turn(ticket), answer):
                async with aclosing(part) as events:
                    async for event in events:
                        yield event
        finally:
            self._leave(ticket)

    async def _turn(self, ticket: _Ticket) -> AsyncGenerator[ModelEvent, None]:
        """Report how many calls are ahead, until it is this one's turn, which is reported as 0."""
        told = -1
        while ahead := self._ahead(ticket):
            if ahead != told:
                told = ahead
                yield Queued(ahead)
            ticket.moved.clear()
            if self._ahead(ticket) == ahead:
                await ticket.moved.wait()
        yield Queued(0)

    def _ahead(self, ticket: _Ticket) -> int:
        """How many calls must finish before this one can begin."""
        return max(0, self._tickets.index(ticket) - self._places + 1)

    def _leave(self, ticket: _Ticket) -> None:
        """Leave the queue and wake the others."""
        self._tickets.remove(ticket)
        for other in self._tickets:
            other.moved.set()


class Slots:
    """Slots for concurrent calls, halved when the provider reports rate limits.

    Calls that began before a cut do not cut again, so one burst of refusals halves the slots once.
    After every few successful calls one slot is added again.
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
        """How many calls may run at once now."""
        return self._allowed

    @property
    def free(self) -> bool:
        """Whether a call can begin without waiting."""
        return not self._free.locked()

    async def enter(self) -> int:
        """Wait for a slot; returns how many cuts there were before the call."""
        await self._free.acquire()
        return self._cuts

    def leave(self) -> None:
        """Release a slot, or drop it to complete a cut."""
        if self._owed:
            self._owed -= 1
        else:
            self._free.release()

    def refused(self, seen: int) -> None:
        """The provider rate-limited a call that began after so many cuts."""
        if seen < self._cuts:
            return
        self._cuts += 1
        self._good = 0
        kept = max(1, self._allowed // 2)
        self._owed += self._allowed - kept
        self._allowed = kept

    def served(self) -> None:
        """A call succeeded."""
        self._good += 1
        if self._allowed == self._most or self._good < _GOOD_CALLS_PER_STEP:
            return
        self._good = 0
        self._allowed += 1
        self.leave()
