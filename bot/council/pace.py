"""The pace of many runs: each takes its step whole before the next one takes its own.

Runs that do the work between two questions all at the same time all ask late, and stay in lockstep
from then on. One after the other, most ask at once and the work of the others falls into the
seconds in which their models think.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from bot.council.lull import Lull
from bot.garbage import Tidying

WIDTH: Final = 6
"""How many runs work at once; more than one, because a step waits for the store, too."""
GLANCE: Final = 0.001
"""Seconds between two looks whether the event loop has nothing to do, as long as runs wait."""
PUNCTUAL: Final = 0.0022
"""A look after this time at the latest finds a loop at rest; timers count in whole thousandths."""
LONGEST: Final = 0.1
"""Seconds after which the next run is let in although this one works on, or waits for Discord."""


class Pace:
    """Lets runs take their steps, those first that have all they need for their next question.

    Among these whoever was held up longest so far goes first, so that delays do not add up. When
    all who work wait for the store or for Discord, one more is let in at each look.
    """

    def __init__(
        self, width: int = WIDTH, longest: float = LONGEST, glance: float = GLANCE
    ) -> None:
        self._width = self._free = width
        self._longest = longest
        self._glance = glance
        self._look: asyncio.TimerHandle | None = None
        self._ready: dict[Steps, asyncio.Future[None]] = {}
        self._others: dict[Steps, asyncio.Future[None]] = {}
        self._patient: dict[Steps, asyncio.Future[None]] = {}
        self.lull = Lull(self.busy)
        """When work may begin that nobody waits for yet."""
        self._tidying = Tidying()

    def busy(self) -> bool:
        """Whether a run is at work, or waits for its turn."""
        return self._free < self._width or bool(self._ready or self._others)

    async def enter(self, steps: "Steps", *, ready: bool) -> None:
        """Wait until the run may work; whoever waits for the same run waits with it."""
        turn = self._ready.get(steps)
        if turn is None:
            loop = asyncio.get_running_loop()
            turn = self._others.pop(steps, None) or loop.create_future()
            (self._ready if ready else self._others)[steps] = turn
            steps.wait_from(loop.time())
        self._admit()
        # Shielded, because several answers of a run may wait for the same turn.
        await asyncio.shield(turn)

    async def wait_for_all(self, steps: "Steps") -> None:
        """Wait until nobody else works or waits to."""
        turn = self._patient[steps] = asyncio.get_running_loop().create_future()
        self._admit()
        try:
            await turn
        finally:
            self._patient.pop(steps, None)

    def leave(self, steps: "Steps") -> None:
        """Let the next run in."""
        if steps.working is not None:
            steps.working.cancel()
            steps.working = None
            self._free += 1
            self._admit()
            if not self.busy():
                self._tidying.rest()

    def _admit(self) -> None:
        while self._free > 0 and (line := self._ready or self._others):
            self._let_in_next(line)
        while self._patient and self._free == self._width:
            steps = next(iter(self._patient))
            turn = self._patient.pop(steps)
            if not turn.cancelled():
                self._let_in(steps, turn)
        self._look_soon()

    def _look_soon(self) -> None:
        if self._ready and self._look is None:
            loop = asyncio.get_running_loop()
            self._look = loop.call_later(self._glance, self._use_a_rest, loop.time())

    def _use_a_rest(self, since: float) -> None:
        """Let one more in if the look came in time, for then nobody made use of the loop."""
        self._look = None
        if self._ready and asyncio.get_running_loop().time() - since < PUNCTUAL:
            self._let_in_next(self._ready)
        self._look_soon()

    def _let_in_next(self, line: "dict[Steps, asyncio.Future[None]]") -> None:
        steps = min(line, key=lambda waiting: waiting.behind_since)
        turn = line.pop(steps)
        if line is self._ready:
            steps.waited_till(asyncio.get_running_loop().time())
        self._let_in(steps, turn)

    def _let_in(self, steps: "Steps", turn: "asyncio.Future[None]") -> None:
        self._free -= 1
        self._tidying.work()
        steps.working = asyncio.get_running_loop().call_later(self._longest, self.leave, steps)
        turn.set_result(None)


class Steps:
    """The steps of one run: it works, asks, and works again when it is answered."""

    def __init__(self, pace: Pace | None = None) -> None:
        """Without a common pace a run goes at its own."""
        self._pace = pace or Pace()
        self._unanswered = 0
        self._held_up = 0.0
        self.behind_since = 0.0
        """When the run would have begun to wait, had it waited without a break."""
        self.working: asyncio.TimerHandle | None = None
        """Ends the run's turn; None while it has none."""

    def wait_from(self, now: float) -> None:
        """Begin to wait for a turn."""
        self.behind_since = now - self._held_up

    def waited_till(self, now: float) -> None:
        """Be let in, having waited so long in all."""
        self._held_up = now - self.behind_since

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While a model thinks the run has nothing to do, once all it asks together is asked."""
        self._unanswered += 1
        asyncio.get_running_loop().call_soon(self.end)
        try:
            yield
        finally:
            self._unanswered -= 1

    async def turn(self, *, pressing: bool = True) -> None:
        """Wait for the run's turn; what nobody waits for comes after what somebody waits for."""
        if self.working is None:
            await self._pace.enter(self, ready=pressing and not self._unanswered)

    async def last_turn(self) -> None:
        """Wait until nobody else has anything to do, for what nobody waits for."""
        await self._pace.wait_for_all(self)

    def pause(self) -> None:
        """An answer is dealt with: others may work while more are to come."""
        if self._unanswered:
            self.end()

    def end(self) -> None:
        """The run has nothing to do for now."""
        self._pace.leave(self)
