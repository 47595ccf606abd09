"""The arbiter's log messages: who may speak and why, for debugging turns."""

from typing import Final

NOT_AT_THIS_TABLE: Final = "it is not on this panel"
ALLOWANCE_TAKEN: Final = "another seat is already speaking unasked"
EXCHANGE_OVER: Final = "the exchange is over"
NOT_ADDRESSED: Final = "it was not addressed"
OWN_MESSAGE: Final = "the latest message is its own"
HAD_ITS_TURN: Final = "it already had its turn"
ANOTHER_COMES_FIRST: Final = "another seat comes first in this round"
ALREADY_DECLINED: Final = "it already declined this message"
ALREADY_VISIBLE: Final = "its answer to this message may already be visible"
ALL_DECLINED: Final = "every seat declined this message"
TURN_IS_HELD: Final = "another seat holds the turn"
BEING_POSTED: Final = "its own answer is being posted"
TRANSCRIPT_TOO_LONG: Final = "the transcript is too long for a prompt"
CALLS_USED_UP: Final = "the exchange used all its model calls"
ENOUGH_REACTIONS: Final = (
    "panelists reached the limit of reactions to each other until a person speaks"
)
QUIET: Final = "the panel was asked to be quiet until a person speaks"
STOPPED: Final = "the panel was stopped"
ARCHIVED: Final = "the thread is archived"

NO_REPLY_HIDDEN: Final = "NO_REPLY is never shown"
NOTHING_TO_POST: Final = "there is nothing to post"
NOBODY_HAS_THE_TURN: Final = "nobody has the turn"
SEAT_NOT_ADDRESSED: Final = "the seat was not addressed"
NOT_THE_HOLDER: Final = "another seat holds the turn, or the lease expired"
SUPERSEDED: Final = "a newer exchange replaced its own"
OTHER_MODEL_CALL: Final = "it comes from another model call than the current one"
NOT_WHAT_WAS_WRITTEN: Final = "it is not what the model wrote"
ALREADY_POSTED: Final = "the answer was already posted"
ARBITER_FAILED: Final = "the arbiter failed and failOpen is false"

NOTED: Final = "it was noted"
KNOWN_ALREADY: Final = "it is already known"
ADDRESSES_NOBODY: Final = "it addresses nobody"
ADDRESSEE_NOT_HERE: Final = "nobody it addresses is on this panel"
ROUND_UNDER_WAY: Final = "a round is running; the next one includes it"
TOO_MANY_WAIT: Final = "too many open questions"
CAME_TOO_LATE: Final = "it arrived too late"
LATE_OPENS_NOTHING: Final = "late messages from panelists start no exchange"
NOT_A_PANELISTS: Final = "it is not from a panelist"
MODEL_WROTE_NOTHING: Final = "the model wrote nothing"
NO_ROUND: Final = "no round is running"
NOT_ARBITRATED: Final = "turns are not arbitrated here"


def opened(exchange: int, about: int | None) -> str:
    """A question or a round opened an exchange."""
    return f"exchange {exchange} is open{_about(about)}."


def waits(message_id: int, ahead: int) -> str:
    """A question waits for others."""
    return f"message {message_id} is queued behind {ahead} others."


def nothing_to_do(reason: str) -> str:
    """An event changed nothing."""
    return f"nothing to do: {reason}."


def starts_afresh(error: str) -> str:
    """The arbiter itself failed."""
    return f"the arbiter failed and restarts: {error}."


def has_the_turn(seat: str, claim: int, about: int | None) -> str:
    """A seat may think."""
    return f"{seat} has the turn as claim {claim}{_about(about)}."


def may_not_speak(seat: str, reason: str) -> str:
    """A seat was refused the turn."""
    return f"{seat} may not speak: {reason}."


def passes(seat: str, about: int | None) -> str:
    """A seat has nothing to add."""
    return f"{seat} passes{_about(about)}."


def may_post(seat: str, claim: int) -> str:
    """A seat's answer goes out."""
    return f"{seat} may post under claim {claim}."


def posts_anyway(seat: str, fault: str) -> str:
    """An answer goes out without the arbiter's leave."""
    return f"{seat} posts even though the arbiter failed: {fault}."


def must_not_post(seat: str, reason: str) -> str:
    """A seat's answer is held back."""
    return f"{seat} must not post: {reason}."


def is_next(seat: str, about: int | None) -> str:
    """A seat is woken."""
    return f"{seat} is next{_about(about)}."


def is_over(exchange: int, reason: str, *, taken_up_again: bool) -> str:
    """An exchange ended."""
    later = "; its question is retried later" if taken_up_again else ""
    return f"exchange {exchange} is over: {reason}{later}."


def given_up(number: int, reason: str) -> str:
    """Questions that waited will not be answered."""
    return f"{number} queued messages are dropped: {reason}."


def _about(message_id: int | None) -> str:
    return "" if message_id is None else f", about message {message_id}"
