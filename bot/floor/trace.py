"""Every decision as one sentence a person can read; what people wrote is never part of it."""

from bot.floor.decisions import (
    Allow,
    Cancel,
    Closed,
    Decision,
    Declined,
    Denied,
    Dropped,
    Faulted,
    Granted,
    Nothing,
    Opened,
    Queued,
    Wake,
)
from bot.floor.events import Event
from bot.messages.talk import FloorText


def sentence(event: Event, decision: Decision) -> str:
    """The decision, and the event it answers."""
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
