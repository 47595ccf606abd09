"""Reads the briefing made from search results and puts the date of the search on it."""

import re
from dataclasses import dataclass
from typing import Final

from bot.messages.search import BriefingText
from bot.prompting.cleaning import tidy
from bot.prompting.markers import strip_markers
from bot.prompting.words import cut_words

SEARCH_WORDS: Final = 250
_DATE_LINE: Final = re.compile(r"[\s*_#>]{0,12}searched on\b[^\n]{0,80}(?:\n|\Z)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SearchDigest:
    """The context block for prompts; `useful` is False when the search found nothing relevant."""

    text: str
    useful: bool


def parse_search_digest(answer: str, date: str) -> SearchDigest:
    """Read a briefing; the first line is always ours, whatever date the model wrote."""
    text = strip_markers(tidy(answer))
    stated = _DATE_LINE.match(text)
    facts = text[stated.end() :].strip() if stated else text
    if not facts or facts.strip(' *_."').casefold() == BriefingText.NOTHING_FOUND.casefold():
        return SearchDigest(BriefingText.NOTHING_FOUND, useful=False)
    return SearchDigest(
        f"{BriefingText.searched_on(date)}\n{cut_words(facts, SEARCH_WORDS)}", useful=True
    )
