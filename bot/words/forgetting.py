"""Forgetting what a person wrote."""

from collections.abc import Sequence
from typing import Final

from bot.words.counting import counted

NOTHING: Final = "I have nothing stored that you wrote."
_IN_DISCORD: Final = "Messages in Discord stay until you delete them there."


def will_remove(started: int, joined: int) -> str:
    """Shown before the person confirms."""
    return (
        f"This removes {_what(started, joined)} from my database, my files and future prompts. It "
        f"cannot be undone, and your running roundtables are stopped. {_IN_DISCORD}"
    )


def forgotten(started: int, joined: int, damaged: Sequence[str] = ()) -> str:
    """Shown afterwards; the files of `damaged` runs could not be rewritten."""
    text = f"Removed: {_what(started, joined)}. {_IN_DISCORD}"
    if not damaged:
        return text
    return (
        f"{text} The record of {', '.join(f'`{run_id}`' for run_id in damaged)} is damaged, so its "
        "files may still quote you: ask the bot's operator to remove them."
    )


def _what(started: int, joined: int) -> str:
    return (
        f"{counted(started, 'roundtable')} you started, with everything said there, and what you "
        f"wrote in {counted(joined, 'other')} and elsewhere"
    )
