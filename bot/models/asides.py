"""What was told about a call beside its answer: its wait, its doings, remarks, its session."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from bot.models.port import Aside, Doing, Queued, Remark, SessionKept
from bot.words.model_errors import in_the_queue

OnNote = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Live:
    """Who hears of a call while it is under way: words so far, and a note for the card."""

    on_words: Callable[[int], None] | None = None
    on_note: OnNote | None = None


NOBODY = Live()


@dataclass(slots=True)
class Asides:
    """Collects the asides of one call; `on_note` hears what the card may show, "" for nothing."""

    on_note: OnNote | None = None
    clock: Callable[[], float] = time.monotonic
    remarks: list[str] = field(default_factory=list)
    session: str = ""
    waited: float = 0.0
    _queued_at: float | None = None
    _deadline: tuple[asyncio.Timeout, float] | None = None

    @contextmanager
    def pausing(self, deadline: asyncio.Timeout, seconds: float) -> Iterator[None]:
        """While this lasts, the deadline stands still in line and begins anew with the turn.

        Whoever leaves this hears no more notes: nobody waits for the answer any longer.
        """
        self._deadline = (deadline, seconds)
        try:
            yield
        finally:
            self._deadline = self.on_note = None

    def take(self, aside: Aside) -> None:
        """Hear one aside."""
        match aside:
            case Queued(ahead):
                self._wait(ahead)
                if self._deadline:
                    pause(*self._deadline, aside)
                self._note(in_the_queue(ahead))
            case Doing(text):
                self._note(text)
            case Remark(text):
                if text not in self.remarks:
                    self.remarks.append(text)
            case SessionKept(reference):
                self.session = reference

    def settle(self) -> float:
        """The seconds spent in line so far, also when the call ended there."""
        self._wait(0)
        return self.waited

    def _wait(self, ahead: int) -> None:
        now = self.clock()
        if self._queued_at is not None:
            self.waited += now - self._queued_at
        self._queued_at = now if ahead else None

    def _note(self, text: str) -> None:
        if self.on_note:
            self.on_note(text)


def pause(deadline: asyncio.Timeout, seconds: float, queued: Queued) -> None:
    """Stop a deadline in line, and let it begin when the turn has come."""
    now = asyncio.get_running_loop().time()
    deadline.reschedule(None if queued.ahead else now + seconds)
