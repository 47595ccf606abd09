"""What the floor decides: one reply to each event, then what follows from it."""

from dataclasses import dataclass
from typing import Final

from bot.floor.events import Event
from bot.floor.reasons import CancelReason, CloseReason, DenyReason, IgnoreReason
from bot.floor.transcript import TranscriptLine, render
from bot.messages.talk import FloorText

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
    """The seat may not take the turn."""

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


def sentence(event: Event, decision: Decision) -> str:
    """A decision and the event it answers, for people; what they wrote is never part of it."""
    return f"{type(event).__name__}: {_said(decision)}"


def _said(decision: Decision) -> str:
    match decision:
        case Granted() | Denied() | Declined():
            return _turn(decision)
        case Allow() | Cancel():
            return _send(decision)
        case Opened(epoch=epoch, root=root):
            return FloorText.opened(epoch, root)
        case Queued(message_id=message_id, ahead=ahead):
            return FloorText.waits(message_id, ahead)
        case Nothing(reason=reason):
            return FloorText.nothing_to_do(reason)
        case Faulted(error=error):
            return FloorText.starts_afresh(error)
        case _:
            return _consequence(decision)


def _turn(decision: Granted | Denied | Declined) -> str:
    match decision:
        case Granted(agent=agent, claim=claim, source=source):
            return FloorText.has_the_turn(agent, claim, source)
        case Denied(agent=agent, reason=reason):
            return FloorText.may_not_speak(agent, reason)
        case Declined(agent=agent, source=source):
            return FloorText.passes(agent, source)


def _send(decision: Allow | Cancel) -> str:
    match decision:
        case Allow(agent=agent, claim=claim, fault=""):
            return FloorText.may_post(agent, claim)
        case Allow(agent=agent, fault=fault):
            return FloorText.posts_anyway(agent, fault)
        case Cancel(agent=agent, reason=reason):
            return FloorText.must_not_post(agent, reason)


def _consequence(decision: Wake | Closed | Dropped) -> str:
    match decision:
        case Wake(agent=agent, source=source):
            return FloorText.is_next(agent, source)
        case Closed(epoch=epoch, reason=reason, requeued=requeued):
            return FloorText.is_over(epoch, reason, taken_up_again=requeued)
        case Dropped(message_ids=ids, reason=reason):
            return FloorText.given_up(len(ids), reason)
