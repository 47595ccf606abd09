"""Finds the options of a vote in the words of its topic."""

import re

_SPLIT = re.compile(r"\s*[,;]\s*(?:or\s+)?|\s+(?:or|vs\.?|versus)\s+|\s*/\s*", re.IGNORECASE)
_JOINED = re.compile(r"\s(?:or|vs\.?|versus)\s", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?\n]+\s*")
_LEADING = frozenset(
    "a an and are be better best between can choose could decide did do does either for go good "
    "have i is it keep let's me more my need of on one our pick please prefer recommend select "
    "shall should stay switch take team than that the this to us use using want we what when "
    "where whether which who why will with would you your".split()
)
_TRAILING = re.compile(
    r"\s+(?:for|in|on|at|with|when|as|if|from|during|because|this|next|to)\s.*$",
    re.IGNORECASE | re.DOTALL,
)
_EDGES = " \t\n.,;:!?\"'`*_()[]«»“”„"
LONGEST_OPTION = 60
MOST_OPTIONS = 8
YES_OR_NO = ("Yes", "No")


def options_in(topic: str) -> tuple[str, ...]:
    """The options a topic such as "Postgres or SQLite for our queue?" names, or none."""
    sentence = next((part for part in _SENTENCE.split(topic) if _JOINED.search(f" {part} ")), "")
    _, colon, listed = sentence.rpartition(":")
    pieces = _SPLIT.split(listed if colon else sentence)
    options = [_option(piece) for piece in pieces]
    named = tuple(dict.fromkeys(option for option in options if option))
    usable = 2 <= len(named) <= MOST_OPTIONS and len(named) == len(options)
    return named if usable and all(len(name) <= LONGEST_OPTION for name in named) else ()


def vote_options(topic: str) -> tuple[str, ...]:
    """What can be voted for: the options the topic names, else yes or no."""
    return options_in(topic) or YES_OR_NO


def _option(piece: str) -> str:
    words = piece.strip(_EDGES).split()
    while len(words) > 1 and words[0].casefold() in _LEADING:
        words = words[1:]
    return _TRAILING.sub("", " ".join(words)).strip(_EDGES)
