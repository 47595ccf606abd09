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
            return f"exchange {epoch} is open{_about(root)}."
        case Queued(message_id=message_id, ahead=ahead):
            return f"message {message_id} waits; {ahead} come first."
        case Nothing(reason=reason):
            return f"nothing to do: {reason}."
        case Faulted(error=error):
            return f"the arbiter failed and starts afresh: {error}."
        case _:
            return _consequence(decision)


def _turn(decision: Granted | Denied | Declined) -> str:
    match decision:
        case Granted(agent=agent, claim=claim, source=source):
            return f"{agent} has the turn as claim {claim}{_about(source)}."
        case Denied(agent=agent, reason=reason):
            return f"{agent} may not speak: {reason}."
        case Declined(agent=agent, source=source):
            return f"{agent} passes{_about(source)}."


def _send(decision: Allow | Cancel) -> str:
    match decision:
        case Allow(agent=agent, claim=claim, fault=""):
            return f"{agent} may post under claim {claim}."
        case Allow(agent=agent, fault=fault):
            return f"{agent} posts although the arbiter failed: {fault}."
        case Cancel(agent=agent, reason=reason):
            return f"{agent} must not post: {reason}."


def _consequence(decision: Wake | Closed | Dropped) -> str:
    match decision:
        case Wake(agent=agent, source=source):
            return f"{agent} is next{_about(source)}."
        case Closed(epoch=epoch, reason=reason, requeued=requeued):
            later = "; its question is taken up again later" if requeued else ""
            return f"exchange {epoch} is over: {reason}{later}."
        case Dropped(message_ids=ids, reason=reason):
            return f"{len(ids)} waiting messages are given up: {reason}."


def _about(message_id: int | None) -> str:
    return "" if message_id is None else f", about message {message_id}"
