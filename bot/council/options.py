"""Finds the options of a vote in the words of its topic."""

import re

from bot.words.ballots import YES_OR_NO

# They read text with single blanks only: patterns with runs of blanks are slow on long runs.
_SPLIT = re.compile(r" ?[,;] ?(?:or )?| (?:or|vs\.?|versus) | ?/ ?", re.IGNORECASE)
_JOINED = re.compile(r" (?:or|vs\.?|versus) ", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?\n]+\s*")
_OPENERS = frozenset(
    "are can could decide did do does is let's may might must shall should what when where whether "
    "which who why will would".split()
)
_FILLERS = frozenset(
    "a an and be better best between choose either for good have i it keep me more my need of one "
    "our pick please prefer recommend select stay switch take team than that the this to us use "
    "using want we with you your".split()
)
_LINKS = frozenset("a an at by for from in into of on the to with".split())
_TRAILING = re.compile(
    r" (?:for|in|on|at|with|when|as|if|from|during|because|this|next|to) .*", re.IGNORECASE
)
_EDGES = " \t\n.,;:!?\"'`*_()[]«»“”„"
LONGEST_OPTION = 60
MOST_OPTIONS = 8


def options_in(topic: str) -> tuple[str, ...]:
    """The options a topic such as "Postgres or SQLite for our queue?" names, or none."""
    sentences = (" ".join(part.split()) for part in _SENTENCE.split(topic))
    sentence = next((part for part in sentences if _JOINED.search(f" {part} ")), "")
    _, colon, listed = sentence.rpartition(":")
    first, *others = _SPLIT.split(listed if colon else sentence)
    options = [_option(piece) for piece in others]
    if len(others) < 2 or not _only_asks(first):
        options.insert(0, _first_option(first, others[0] if others else ""))
    named = tuple(dict.fromkeys(option for option in options if option))
    usable = 2 <= len(named) <= MOST_OPTIONS and len(named) == len(options)
    return named if usable and all(len(name) <= LONGEST_OPTION for name in named) else ()


def vote_options(topic: str) -> tuple[str, ...]:
    """What can be voted for: the options the topic names, else yes or no."""
    return options_in(topic) or YES_OR_NO


def _only_asks(piece: str) -> bool:
    """Whether a piece such as "Which is better" names nothing itself."""
    return all(word.casefold() in _OPENERS | _FILLERS for word in piece.strip(_EDGES).split())


def _first_option(piece: str, second: str) -> str:
    """The first option follows the words of the question: "should we meet on Tuesdays"."""
    words = piece.strip(_EDGES).split()
    link, *_ = second.split() or [""]
    if link.casefold() in _LINKS and link in words:
        words = words[len(words) - words[::-1].index(link) :]
    asked = bool(words) and words[0].casefold() in _OPENERS
    while len(words) > 1 and words[0].casefold() in _OPENERS | _FILLERS:
        words = words[1:]
    if asked:
        words = words[-max(1, len(_option(second).split())) :]
    return _TRAILING.sub("", " ".join(words)).strip(_EDGES)


def _option(piece: str) -> str:
    words = piece.strip(_EDGES).split()
    while len(words) > 1 and words[0].casefold() in _LINKS:
        words = words[1:]
    return _TRAILING.sub("", " ".join(words)).strip(_EDGES)
