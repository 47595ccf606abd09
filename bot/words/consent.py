"""Expensive roundtables: who has to approve the price, and the outcome."""

from typing import Final

EXPIRED: Final = "⌛ Nobody approved the price in time, so this roundtable did not start."
NOTHING_WAITS: Final = "This request has already been answered."
NOT_YOURS_TO_START: Final = "Only the person who asked for it can start it."
NOT_YOURS_TO_CANCEL: Final = "Only the person who asked for it or a moderator can cancel it."
NOT_DECIDED: Final = "nobody decided within a day"
NOT_AGREED: Final = "the price was not approved"
BEGINS: Final = "Starting now."
CANCELLED: Final = "Cancelled: nothing was spent."
UNDO_SPENDING: Final = "press Stop on the card; what was already spent is not refunded"


def starter_asked(price: str, calls: str, starter_id: int) -> str:
    """Asks the starter, on the card."""
    return f"this will cost about {price} for {calls}: <@{starter_id}>, press Start or Cancel."


def approver_asked(price: str, calls: str, limit: str) -> str:
    """Tells on the card that an approver is asked."""
    return (
        f"this will cost about {price} for {calls}, above the limit of {limit}: an approver must "
        "approve it."
    )


def cancelled_by(person_id: int) -> str:
    """Posted in the thread when the run was cancelled because of its price."""
    return f"⏹️ Cancelled by <@{person_id}> because of the price."


def cannot_begin(why: str) -> str:
    """Posted in the thread when the price was approved but the run cannot start."""
    return f"⏹️ This roundtable cannot start now. {why}"


def not_approved_by(person: str | None) -> str:
    """Posted in the thread when an approver rejected the price."""
    return f"⏹️ <@{person}> did not approve the price."


def may_spend(channel_id: int, limit: str) -> str:
    """What an approval of a price led to."""
    return f"<#{channel_id}> may spend up to {limit}."


def hold_for(price: str) -> str:
    """What an approver is asked for."""
    return f"run this roundtable for about {price}"
