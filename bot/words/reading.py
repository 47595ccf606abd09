"""Slash commands about existing roundtables, and replies when there is none."""

from typing import Final

LIST: Final = "List the newest roundtables you can read."
STATUS: Final = "Show where a roundtable stands."
SHOW: Final = "Show what a roundtable concluded."
READ: Final = "Get the minutes with everything that was said."
EXPORT: Final = "Get the roundtable's files: minutes and JSON."
END: Final = "End a discussion of agents."
STOP: Final = "Stop a roundtable and keep what was said."
COSTS: Final = "Show what you spent, what is left today, and what a roundtable costs now."
RETRY: Final = "Try a failed roundtable again; what was answered is kept."
POST: Final = "Post a conclusion in another channel, once somebody approved it."
QUIET: Final = "Silence the panel of this thread until somebody writes."
HELP: Final = "Show what Roundtable can do."
FORGET: Final = "Remove everything you wrote from the bot's store, files and later prompts."

WHICH: Final = "The roundtable's id; left out, the one in this thread"
WHICH_DISCUSSION: Final = "The discussion's id; left out, the one in this thread"
WHERE_TO_POST: Final = "Where the conclusion is to be posted"

NONE_TO_RETRY: Final = "There is no roundtable here: retry it in its own thread."
NONE_TO_POST: Final = "There is no roundtable here: write its id before the channel."


def not_yet(command: str) -> str:
    """A command that this version does not have."""
    return (
        f"`roundtable {command}` is not available in this version: see `roundtable help` for "
        "available commands."
    )
