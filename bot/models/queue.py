"""How calls wait: in a queue they are told about, or for one of a provider's places."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final

from bot.types.model_port import ModelEvent, Queued

_GOOD_CALLS_PER_STEP: Final = 4


@dataclass(eq=False, slots=True)
class _Ticket:
    """One call in line; `moved` is set whenever somebody before it left."""

    moved: asyncio.Event = field(default_factory=asyncio.Event)


class CallQueue:
    """First come, first served, with a fixed number of places at the head."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._tickets: list[_Ticket] = []

    async def served(
        self, answer: AsyncGenerator[ModelEvent, None]
    ) -> AsyncGenerator[ModelEvent, None]:
        """Stand in line, then hand on the answer, which does not begin before its turn."""
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
        """Tell how many still go first, until it is this one's turn, which is told as 0."""
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
        """How many must leave before this one has a place."""
        return max(0, self._tickets.index(ticket) - self._places + 1)

    def _leave(self, ticket: _Ticket) -> None:
        """Make room for the next."""
        self._tickets.remove(ticket)
        for other in self._tickets:
            other.moved.set()


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
        if self._allowed == self._most or self._good < _GOOD_CALLS_PER_STEP:
            return
        self._good = 0
        self._allowed += 1
        self.leave()
