"""Reads a follow-up: an answer, or the word by which a seat passes."""

import re
from dataclasses import dataclass
from typing import Final

from bot.prompting.cleaning import tidy
from bot.prompting.markers import strip_markers

NO_REPLY: Final = "NO_REPLY"
# A letter or digit before any bracket or fence: no marker and no decoration.
_SPEAKS: Final = re.compile(r"[^\[`a-zA-Z0-9]*[a-zA-Z0-9]")
_AROUND: Final = " \n\t*`\"'.“”"


@dataclass(frozen=True, slots=True)
class FollowUp:
    """What to post; `silent` means that the seat passed and nothing may be posted."""

    text: str
    silent: bool


def parse_followup(answer: str) -> FollowUp:
    """Read a follow-up answer."""
    text = strip_markers(tidy(answer))
    return FollowUp("", silent=True) if is_no_reply(text) else FollowUp(text, silent=not text)


def is_no_reply(text: str) -> bool:
    """Whether a text is NO_REPLY and nothing else."""
    return len(text) < 200 and tidy(text).strip(_AROUND).upper() == NO_REPLY


def is_empty_answer(text: str) -> bool:
    """Whether an answer of a round says nothing, which means the seat failed (2.2#50)."""
    if is_no_reply(text):
        return True
    return _SPEAKS.match(text) is None and not strip_markers(tidy(text))
