"""Who said a message."""

from typing import Final

NOT_OURS: Final = (
    "This message does not belong to a roundtable: choose one from a panelist or the bot."
)
COORDINATOR: Final = "The coordinator"
ROUNDTABLE_ITSELF: Final = "Roundtable itself"
SOME_PANELIST: Final = "A panelist"
NO_MODEL: Final = "no model"
AFTER_THE_MEETING: Final = "in reply to a question after the meeting"
AT_THE_END: Final = "at the end"


def about(topic: str, run_id: str) -> str:
    """Which roundtable it was."""
    return f"**{topic}** · `{run_id}`"


def by_agent(name: str, held_by: str, about_run: str) -> str:
    """A message of a discussion of agents."""
    return f"{name} said this in an agent discussion coordinated by {held_by}: {about_run}"


def by_panelist(who: str, occasion: str, about_run: str) -> str:
    """A message of a panelist."""
    return f"{who} said this {occasion} of {about_run}"


def conclusion_by(writer: str, about_run: str) -> str:
    """A conclusion."""
    return f"Roundtable posted this conclusion, written by {writer}, about {about_run}"


def by_the_bot(about_run: str) -> str:
    """Everything else."""
    return f"Roundtable posted this itself, no model wrote it: {about_run}"


def masked(name: str) -> str:
    """A panelist whose mask is on."""
    return f"**{name}** (masked until the end)"


def stand_in(role: str, model: str) -> str:
    """A panelist of a rehearsal."""
    return f"**{role}**, a stand-in for {model}"


def panelist(role: str, model: str, answered_by: str) -> str:
    """A panelist with its model, and the one that answered for it if that was another."""
    swapped = f", answered by {answered_by}" if answered_by else ""
    return f"**{role}** ({model}{swapped})"


def in_round(number: str) -> str:
    """When it was said."""
    return f"in round {number}"


def in_stage(number: str) -> str:
    """When it was said, in a later stage."""
    return f"in stage {number}"
