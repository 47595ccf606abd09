"""The roundtables that were held: lists, statuses, files, and what cannot be found."""

from collections.abc import Sequence
from typing import Final

EMPTY_LIST: Final = (
    "There are no roundtables you can read yet: type `roundtable` and a question to start one."
)
EMPTY_IN_PUBLIC: Final = (
    "There are no roundtables in this channel: use `/roundtable list` to see those in other "
    "channels."
)
NOT_FOUND: Final = "Roundtable not found: use `/roundtable list` to see those you can read."
NOT_FOUND_IN_PUBLIC: Final = (
    "Roundtable not found, or not readable by everyone here: use `/roundtable list` to see those "
    "you can read."
)
NONE_HERE: Final = "There is no roundtable here: add its id (use `/roundtable list` to find it)."
DISCUSSION_OVER: Final = "The discussion has ended. Everything said stays in the thread."
NO_DISCUSSION: Final = "This is not an agent discussion: use `roundtable stop` to end it."
NOT_YOURS_TO_END: Final = (
    "Only its coordinator or a moderator can end this discussion: ask one of them."
)
OVER_ALREADY: Final = (
    "This discussion has already ended: use `roundtable show` to see its conclusion."
)
ENDED_BY_MODERATOR: Final = "ended by a moderator"
LIST: Final = "**Roundtables**, newest first"
FORGOTTEN: Final = "(topic removed)"
AWAITING_APPROVAL: Final = "waiting for approval"
FAILED_FOR_GOOD: Final = "failed permanently"
NOT_CONCLUDED: Final = "did not conclude"
CONCLUDED: Final = "concluded"
RUNNING: Final = "running"
BEING_CHOSEN: Final = "The panel is being chosen."


def minutes_of(topic: str, status: str) -> str:
    """Shown with the attached minutes."""
    return f"📝 The minutes of **{topic}** ({status}):"


def files_of(topic: str, status: str) -> str:
    """Shown with the attached files."""
    return f"📦 The files of **{topic}** ({status}):"


def files_not_written(why: str) -> str:
    """The files could not be written."""
    return (
        f"The files of this roundtable could not be written ({why}): free some space or fix the "
        "folder's permissions, then run `roundtable export`."
    )


def unreadable(run_id: str, why: str) -> str:
    """Shown instead of a roundtable with a damaged record."""
    return (
        f"The record of `{run_id}` is damaged and cannot be read ({why}): it is left out until the "
        "bot's operator restores it from a backup."
    )


def missing_field(name: str) -> str:
    """What is wrong with a damaged record."""
    return f"its field `{name[:40]}` is missing"


def discussion_shown(topic: str, conclusion: str) -> str:
    """The conclusion of a discussion of agents."""
    return f"## 🎯 {topic}\n{conclusion}"


def choice_tail(status: str, run_id: str) -> str:
    """What follows the topic where an id is completed."""
    return f" · {status} · {run_id}"


def list_line(mark: str, topic: str, mode: str, channel_id: int, began: float, run_id: str) -> str:
    """One line of a list: status, topic, place and start."""
    return f"{mark} **{topic}** · {mode} · <#{channel_id}> · <t:{began:.0f}:R> · `{run_id}`"


def status_line(mark: str, topic: str, mode: str, status: str) -> str:
    """The first line of a status."""
    return f"{mark} **{topic}** · {mode} · {status}"


def started(began: float, starter_id: int, run_id: str) -> str:
    """When and by whom it was started."""
    return f"Started <t:{began:.0f}:R> by <@{starter_id}> · `{run_id}`"


def retries_itself(due_at: float) -> str:
    """A failed run that waits for its next attempt."""
    return f"It failed and will be retried automatically <t:{due_at:.0f}:R>."


def can_be_retried(reason: str) -> str:
    """A run that did not conclude, and what to do."""
    return f"{reason} · type `roundtable retry` to continue."


def progress(number: int, planned: int, answers: int, roles: Sequence[str]) -> str:
    """How far a meeting is."""
    seats = ", ".join(roles)
    return f"Round {number} of {planned} · {answers} of {len(roles)} answers · {seats}"


def discussion_line(mark: str, topic: str, status: str) -> str:
    """The first line about a discussion of agents."""
    return f"{mark} **{topic}** · agent discussion · {status}"


def discussion_progress(
    number: int, planned: int, waiting_for: Sequence[str], score: float | None
) -> str:
    """How far a discussion of agents is."""
    waiting = f" · waiting for {', '.join(waiting_for)}" if waiting_for else ""
    convergence = "" if score is None else f" · convergence {score}"
    return f"Round {number} of {planned}{waiting}{convergence}"


def discussion_held_by(roles: Sequence[str], coordinator: str, run_id: str) -> str:
    """The participants of an agent discussion."""
    return f"{', '.join(roles)} · coordinated by {coordinator} · `{run_id}`"
