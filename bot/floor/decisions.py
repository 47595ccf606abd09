"""What the floor decides: one reply to each event, then what follows from it."""

from dataclasses import dataclass
from typing import Final

from bot.floor.reasons import CancelReason, CloseReason, DenyReason, IgnoreReason
from bot.floor.transcript import TranscriptLine, render

UNARBITRATED: Final = 0
"""The epoch of a wake without an exchange: the arbiter is off, or failed."""


@dataclass(frozen=True, slots=True)
class Granted:
    """The seat has the turn: everything its prompt needs."""

    agent: str
    claim: int
    epoch: int
    source: int | None
    transcript: tuple[TranscriptLine, ...]
    eligible: tuple[str, ...]
    rule: str
    open_floor: bool

    @property
    def context(self) -> str:
        """The transcript, the eligible seats and the rule as one text, within the limit."""
        return render(self.transcript, self.eligible, self.rule)


@dataclass(frozen=True, slots=True)
class Denied:
    """The seat may not take the turn, or may not start a further model call."""

    agent: str
    reason: DenyReason


@dataclass(frozen=True, slots=True)
class Allow:
    """Post it; `fault` names the error when it is posted although the arbiter failed."""

    agent: str
    claim: int
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Cancel:
    """Do not post it."""

    agent: str
    reason: CancelReason


@dataclass(frozen=True, slots=True)
class Declined:
    """The seat passes: stop its typing, post nothing."""

    agent: str
    source: int | None


@dataclass(frozen=True, slots=True)
class Opened:
    """A person's message or a round opened an exchange."""

    epoch: int
    root: int | None


@dataclass(frozen=True, slots=True)
class Queued:
    """A person's message waits for its turn; `ahead` questions come first."""

    message_id: int
    ahead: int


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing is to be done."""

    reason: IgnoreReason


@dataclass(frozen=True, slots=True)
class Faulted:
    """The arbiter itself failed on this event and restarted: log it."""

    error: str


@dataclass(frozen=True, slots=True)
class Wake:
    """This seat should claim the turn now."""

    agent: str
    epoch: int
    source: int | None


@dataclass(frozen=True, slots=True)
class Closed:
    """An exchange ended; `asked` are the people's messages it was about."""

    epoch: int
    reason: CloseReason
    asked: tuple[int, ...] = ()
    answered: bool = False
    requeued: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """Waiting questions that will not be answered."""

    message_ids: tuple[int, ...]
    reason: CloseReason


Reply = Granted | Denied | Allow | Cancel | Declined | Opened | Queued | Nothing | Faulted
Consequence = Wake | Closed | Dropped
Decision = Reply | Consequence
Decisions = tuple[Decision, ...]
