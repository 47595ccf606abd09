"""Why a roundtable is not started, or not where and how it was asked for."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import any_role

SWITCHED_OFF: Final = (
    "Roundtable is not accepting new topics here right now (trigger.enabled in panels.json): ask "
    "an admin to enable it."
)
RESTARTING: Final = "The bot is restarting: try again in a minute."
NO_SUCH_RUN: Final = "No roundtable with this id exists here: check the id."
NOT_STORED: Final = "That roundtable is no longer stored: start it again with its topic."
DUPLICATE: Final = "♻️ Duplicate topic detected — reusing existing thread."
NOTHING_TO_CHALLENGE: Final = (
    "The earlier conclusion was not found, so this roundtable starts without it: use `/roundtable "
    "list` to see what you can build on."
)


def paused(since: float) -> str:
    """An admin paused the bot in this server."""
    return f"An admin paused Roundtable here <t:{since:.0f}:R>: try again after it is resumed."


def only_for(role_ids: Sequence[int]) -> str:
    """The person has no role that can start roundtables."""
    return f"Only {any_role(role_ids)} can start a roundtable here: ask one of them."


def too_many(running: int, over_by: float | None) -> str:
    """The limit of running roundtables is reached; `over_by` is when the oldest should end."""
    soon = "" if over_by is None else f" The oldest should finish <t:{over_by:.0f}:R>."
    return (
        f"{running} roundtables are already running in this server, which is the limit: try again "
        f"when one has finished.{soon}"
    )


def next_start(moment: int) -> str:
    """The person's cooldown has not passed yet."""
    return f"You can start your next roundtable <t:{moment}:R>."


def no_context(slug: str) -> str:
    """The conclusion to build on does not exist or is not readable for this person."""
    return (
        f"`--context-from {slug}` was not found, so this roundtable starts without it: use "
        "`/roundtable list` to see what you can build on."
    )


def incomplete(missing: Sequence[str]) -> str:
    """The request lacks required parts."""
    return f"The request has no {', '.join(missing)}: try again with a topic."
