"""Stopping a roundtable, and taking up one that was stopped or failed."""

from typing import Final

NOT_YOURS_TO_STOP: Final = "Only the person who started it or a moderator may stop this roundtable."
ALREADY_OVER: Final = "This roundtable is already over."
STOPPED: Final = "Stopped. What was said stays in the thread."
BY_A_PERSON: Final = "stopped by a person"
NOT_YOURS_TO_RETRY: Final = "Only the person who started it or an admin may retry it."
NOT_RETRIED: Final = "Only a roundtable that failed or was stopped can be retried."
STILL_RUNNING: Final = (
    "This roundtable is still running: wait for its end, or type `roundtable stop`."
)
TOPIC_ELSEWHERE: Final = (
    "The same topic is on the table in another thread: wait until that one has ended."
)
JUST_RETRIED: Final = "Somebody has just retried this roundtable: it is going on."


def stopped_by(person_id: object) -> str:
    """Said in the thread of a run that somebody stopped."""
    return f"⏹️ Stopped by <@{person_id}>. What was said stays here."


def goes_on_in(channel_id: int) -> str:
    """Said to whoever retried a run."""
    return f"It goes on in <#{channel_id}>."


def retries_itself(due_at: float) -> str:
    """Said to whoever retries a run that waits for its next attempt anyway."""
    return f"It is tried again by itself <t:{due_at:.0f}:R>: `roundtable stop` ends it instead."
