"""A line in which calls wait for one of a few places, told at every step how far they are."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from bot.models.port import Queued


@dataclass(eq=False, slots=True)
class Ticket:
    """One call in line; `moved` is set whenever somebody before it left."""

    moved: asyncio.Event = field(default_factory=asyncio.Event)


class Line:
    """First come, first served, with a fixed number of places at the head."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._tickets: list[Ticket] = []

    def enter(self) -> Ticket:
        """Stand at the end of the line; whoever enters must leave."""
        ticket = Ticket()
        self._tickets.append(ticket)
        return ticket

    async def turn(self, ticket: Ticket) -> AsyncGenerator[Queued, None]:
        """Tell how many still go first, until it is this one's turn, which is told as 0."""
        told = -1
        while ahead := self.ahead(ticket):
            if ahead != told:
                told = ahead
                yield Queued(ahead)
            ticket.moved.clear()
            if self.ahead(ticket) == ahead:
                await ticket.moved.wait()
        yield Queued(0)

    def ahead(self, ticket: Ticket) -> int:
        """How many must leave before this one has a place."""
        return max(0, self._tickets.index(ticket) - self._places + 1)

    def leave(self, ticket: Ticket) -> None:
        """Make room for the next."""
        self._tickets.remove(ticket)
        for other in self._tickets:
            other.moved.set()
