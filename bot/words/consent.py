"""Expensive roundtables: who is asked to agree to the price, and what becomes of it."""

from typing import Final

EXPIRED: Final = "⌛ Nobody agreed to the price in time, so this roundtable was not held."
NOTHING_WAITS: Final = "Nothing waits for an answer here any more."
NOT_YOURS_TO_START: Final = "Only the person who asked for it may start it."
NOT_YOURS_TO_CANCEL: Final = "Only the person who asked for it or a moderator may cancel it."
NOT_DECIDED: Final = "nobody decided within a day"
NOT_AGREED: Final = "the price was not agreed to"
BEGINS: Final = "It begins now."
CANCELLED: Final = "It is cancelled: nothing was spent on it."
UNDO_SPENDING: Final = "press Stop on the card; what was spent until then is spent"


def starter_asked(price: str, calls: str, starter_id: int) -> str:
    """Asks the starter, on the card."""
    return f"this will cost about {price} for {calls}: <@{starter_id}>, start it or cancel it."


def approver_asked(price: str, calls: str, limit: str) -> str:
    """Tells on the card that an approver is asked."""
    return (
        f"this will cost about {price} for {calls}, above the limit of {limit}: "
        "an approver must agree."
    )


def cancelled_by(person_id: int) -> str:
    """Said in the thread when somebody found it too expensive."""
    return f"⏹️ Cancelled by <@{person_id}> because of the price."


def cannot_begin(why: str) -> str:
    """Said in the thread when the price was agreed to and something else stands in the way."""
    return f"⏹️ This roundtable cannot begin now. {why}"


def not_approved_by(person: str | None) -> str:
    """Said in the thread when an approver refused."""
    return f"⏹️ <@{person}> did not approve the price."


def may_spend(channel_id: int, limit: str) -> str:
    """What an approval of a price led to."""
    return f"<#{channel_id}> may spend up to {limit}."


def hold_for(price: str) -> str:
    """What an approver is asked for."""
    return f"hold this roundtable for about {price}"
