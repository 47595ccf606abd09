"""One turn of a panelist outside the rounds: what it reacts to, and its outcome."""

from dataclasses import dataclass
from typing import Protocol

from bot.floor import Closed, Dropped, TranscriptLine


def split_key(session_key: str) -> tuple[str, str]:
    """The run and the seat a session belongs to."""
    run_id, _, seat = session_key.partition(":")
    return run_id, seat


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat has the turn: the exchange so far, newest line last, and whether it may pass."""

    thread_id: int
    seat: str
    lines: tuple[TranscriptLine, ...]
    open_floor: bool

    @property
    def source(self) -> int:
        """The message the seat reacts to."""
        return self.lines[-1].source

    @property
    def key(self) -> str:
        """The key of the turn's call and post: what it answers, and who speaks."""
        return turn_key(self.source, self.seat)


def turn_key(source: int, session_key: str) -> str:
    """The key of a seat's turn about a message."""
    return f"talk:{source}:{split_key(session_key)[1]}"


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """What the seat wants to say, which may be NO_REPLY, and which model wrote it.

    `memory` is whatever the panelist port needs again when the answer is posted.
    """

    text: str
    model: str = ""
    memory: object = None


class TurnFailedError(Exception):
    """A seat cannot answer; the text names the seat and says why in words for people."""


class PanelistPort(Protocol):
    """Who thinks and speaks for the seats of every thread, and reports how exchanges end."""

    async def think(self, turn: Turn) -> SpokenTurn:
        """Ask the seat's model; raises TurnFailedError."""
        ...

    async def show(self, turn: Turn, said: SpokenTurn) -> tuple[int, ...]:
        """Post what the seat said and return the ids of its messages."""
        ...

    async def after(self, turn: Turn, said: SpokenTurn) -> None:
        """Do what can wait until the answer is out."""
        ...

    async def close(self, thread_id: int, closed: Closed, failures: tuple[str, ...]) -> None:
        """Note that an exchange is over; tell people if they got no answer."""
        ...

    async def abandon(self, thread_id: int, dropped: Dropped) -> None:
        """Note that waiting questions will not be answered."""
        ...
