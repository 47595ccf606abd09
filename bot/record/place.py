"""Where a run is, and its short title."""

from typing import Final

from bot.messages.library import LibraryText
from bot.stage.cleaning import clean_text, one_line
from bot.stage.port import Place
from bot.store.repositories.runs import Run


def place_of(run: Run) -> Place:
    """Where a stored run lives."""
    return Place(run.guild_id, run.output_channel_id, run.thread_id, run.anchor_id)


_TITLE_LIMIT: Final = 100
"""As much as Discord shows of a suggestion; lists show less."""
_TOPIC_READ: Final = 1_000
_MARKUP: Final = str.maketrans("", "", "*_`~|")


def plain_title(topic: str) -> str:
    """The title that is stored when a roundtable is asked for, so that lists clean nothing."""
    # Without markup before and after: cleaning adds some, and must see what the rest spells.
    bare = topic[:_TOPIC_READ].translate(_MARKUP)
    return one_line(clean_text(bare).translate(_MARKUP), _TITLE_LIMIT)


def title_of(run: Run, limit: int) -> str:
    """The stored title; runs from before there were titles get theirs here."""
    return one_line(run.title or plain_title(run.topic), limit) or LibraryText.FORGOTTEN
