"""Reads a dissent: the dissenter's own words, kept short."""

from typing import Final

from bot.prompting.cleaning import tidy
from bot.prompting.followup import is_no_reply
from bot.prompting.markers import strip_markers
from bot.prompting.words import cut_words

DISSENT_WORDS: Final = 80


def parse_dissent(answer: str) -> str:
    """The dissent to print, "" when the seat wrote none."""
    text = strip_markers(tidy(answer))
    return "" if is_no_reply(text) else cut_words(text, DISSENT_WORDS)
