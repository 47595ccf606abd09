"""A line in which calls wait for one of a few places, told at every step how far they are."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from bot.models.port import ModelEvent, Queued


@dataclass(eq=False, slots=True)
class _Ticket:
    """One call in line; `moved` is set whenever somebody before it left."""

    moved: asyncio.Event = field(default_factory=asyncio.Event)


class Line:
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
