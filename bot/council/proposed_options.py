"""The ballot's options when the topic names none: what the panel itself proposed."""

import re
from collections.abc import Mapping, Sequence

from bot.messages.votes import BallotText
from bot.prompting.cleaning import plain_words
from bot.prompting.lists import strip_mark
from bot.request.choices import LONGEST_OPTION

MOST_PROPOSED = 6
LEAST_PROPOSED = 2
_JOINTS = re.compile(r"[\s_‐-–-]+")
_EDGES = " \t.,;:!?\"'`*_~«»“”„‘’"


def merge_options(proposals: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The proposed options, the most named first; yes or no when there is no real choice."""
    spelled: dict[str, str] = {}
    seats: dict[str, set[str]] = {}
    for role, options in proposals.items():
        for option in map(_tidied, options):
            if key := _key(option):
                spelled.setdefault(key, option)
                seats.setdefault(key, set()).add(role)
    # Sorting is stable, so options named equally often stay in the order of their first mention.
    ranked = sorted(spelled, key=lambda key: -len(seats[key]))
    merged = tuple(spelled[key] for key in ranked[:MOST_PROPOSED])
    return merged if len(merged) >= LEAST_PROPOSED else BallotText.YES_OR_NO


def _tidied(option: str) -> str:
    """One plain line without its bullet; `|` would end the option inside a ballot."""
    text = strip_mark(plain_words(option.replace("|", "/"))).strip(_EDGES)
    return text if len(text) <= LONGEST_OPTION else ""


def _key(option: str) -> str:
    """Case, joints and outer punctuation make no difference; `C`, `C++` and `C#` stay apart."""
    key = _JOINTS.sub(" ", option.casefold()).strip(f"{_EDGES}()")
    return key if any(character.isalnum() for character in key) else ""
