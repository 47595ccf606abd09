"""Stopping a roundtable, and taking up one that was stopped or failed."""

from typing import Final

NOT_YOURS_TO_STOP: Final = "Only the person who started it or a moderator can stop this roundtable."
ALREADY_OVER: Final = "This roundtable has already ended."
STOPPED: Final = "Stopped. Everything said stays in the thread."
BY_A_PERSON: Final = "stopped by a person"
NOT_YOURS_TO_RETRY: Final = "Only the person who started it or an admin can retry it."
NOT_RETRIED: Final = "Only a failed or stopped roundtable can be retried."
STILL_RUNNING: Final = (
    "This roundtable is still running: wait until it ends, or type `roundtable stop`."
)
TOPIC_ELSEWHERE: Final = (
    "The same topic is being discussed in another thread: wait until that roundtable ends."
)
JUST_RETRIED: Final = "Somebody has just retried this roundtable: it is already running."


def stopped_by(person_id: object) -> str:
    """Posted in the thread of a stopped run."""
    return f"⏹️ Stopped by <@{person_id}>. Everything said stays here."


def goes_on_in(channel_id: int) -> str:
    """Reply to a retry."""
    return f"It continues in <#{channel_id}>."


def retries_itself(due_at: float) -> str:
    """Reply to a retry of a run that will be retried automatically."""
    return (
        f"It will be retried automatically <t:{due_at:.0f}:R>: type `roundtable stop` to end it "
        "instead."
    )
