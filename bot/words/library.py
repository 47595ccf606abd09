"""The roundtables that were held: lists, statuses, files, and what cannot be found."""

from collections.abc import Sequence
from typing import Final

EMPTY_LIST: Final = (
    "There is nothing you can read yet: `roundtable` and a question start a roundtable."
)
EMPTY_ALOUD: Final = (
    "No roundtable was held in this channel: `/roundtable list` shows those elsewhere."
)
NOT_FOUND: Final = "I find no such roundtable: `/roundtable list` shows those you can read."
NOT_FOUND_ALOUD: Final = (
    "I find no such roundtable that everybody here can read: `/roundtable list` shows those that "
    "you can."
)
NONE_HERE: Final = "No roundtable was held here: name its id, which `/roundtable list` shows."
DISCUSSION_OVER: Final = "The discussion is over. What was said stays in the thread."
NO_DISCUSSION: Final = "This is no discussion of agents: `roundtable stop` ends it."
NOT_YOURS_TO_END: Final = (
    "Only its coordinator or a moderator may end this discussion: ask one of them."
)
OVER_ALREADY: Final = "This discussion is over: `roundtable show` shows how it ended."
ENDED_BY_MODERATOR: Final = "ended by a moderator"
LIST: Final = "**Roundtables**, newest first"
FORGOTTEN: Final = "(its topic was forgotten)"
AWAITING_APPROVAL: Final = "waits for an approval"
FAILED_FOR_GOOD: Final = "failed for good"
NOT_CONCLUDED: Final = "did not conclude"
CONCLUDED: Final = "concluded"
RUNNING: Final = "running"
BEING_CHOSEN: Final = "The panel is being chosen."


def minutes_of(topic: str, status: str) -> str:
    """Said with the attached minutes."""
    return f"📝 The minutes of **{topic}** ({status}):"


def files_of(topic: str, status: str) -> str:
    """Said with the attached files."""
    return f"📦 The files of **{topic}** ({status}):"


def files_not_written(why: str) -> str:
    """Said when the disk refuses."""
    return (
        f"The files of this roundtable could not be written ({why}): free some "
        "space or mend the folder's rights, then run `roundtable export`."
    )


def unreadable(run_id: str, why: str) -> str:
    """Said instead of a roundtable whose record is damaged."""
    return (
        f"The record of `{run_id}` is damaged and cannot be read ({why}): it is left out until "
        "whoever runs the bot restores it from a backup."
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
    """One line of a list: how it stands, what about, where and since when."""
    return f"{mark} **{topic}** · {mode} · <#{channel_id}> · <t:{began:.0f}:R> · `{run_id}`"


def status_line(mark: str, topic: str, mode: str, status: str) -> str:
    """The first line of a status."""
    return f"{mark} **{topic}** · {mode} · {status}"


def started(began: float, starter_id: int, run_id: str) -> str:
    """Since when, and by whom."""
    return f"Started <t:{began:.0f}:R> by <@{starter_id}> · `{run_id}`"


def retries_itself(due_at: float) -> str:
    """A failed run that waits for its next attempt."""
    return f"It failed and is tried again by itself <t:{due_at:.0f}:R>."


def can_be_retried(reason: str) -> str:
    """A run that did not conclude, and what to do."""
    return f"{reason} · `roundtable retry` goes on."


def progress(number: int, planned: int, answers: int, roles: Sequence[str]) -> str:
    """How far a meeting is."""
    seats = ", ".join(roles)
    return f"Round {number} of {planned} · {answers} of {len(roles)} answers · {seats}"


def discussion_line(mark: str, topic: str, status: str) -> str:
    """The first line about a discussion of agents."""
    return f"{mark} **{topic}** · discussion of agents · {status}"


def discussion_progress(
    number: int, planned: int, waiting_for: Sequence[str], score: float | None
) -> str:
    """How far a discussion of agents is."""
    waiting = f" · waits for {', '.join(waiting_for)}" if waiting_for else ""
    convergence = "" if score is None else f" · convergence {score}"
    return f"Round {number} of {planned}{waiting}{convergence}"


def discussion_held_by(roles: Sequence[str], coordinator: str, run_id: str) -> str:
    """Who takes part in a discussion of agents."""
    return f"{', '.join(roles)} · held by {coordinator} · `{run_id}`"
