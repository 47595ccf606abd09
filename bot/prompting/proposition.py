"""Propositions: one whole sentence that a person can agree with or deny."""

import re
from typing import Final

from bot.messages.starting import PropositionText
from bot.prompting.cleaning import one_line, tidy
from bot.prompting.markers import strip_markers
from bot.prompting.words import count_words
from bot.request import Mode, Request
from bot.request.choices import choice_in
from bot.request.topic import plain_topic

LEAST_WORDS, MOST_WORDS = 3, 60
_LABEL: Final = re.compile(r"[\s*_#>]{0,8}proposition[\s*_]{0,4}:[\s*_]{0,4}", re.IGNORECASE)
_QUOTES: Final = "\"'“”„«»*_ "
_WHO: Final = r"(?P<who>we|i|you|they|he|she|it|this|that|there|everybody|everyone|nobody)"
_VERB: Final = r"(?P<verb>should|must|can|could|will|would|may|might|shall|is|are|was|were|am)"
_ASKED: Final = re.compile(rf"{_VERB} {_WHO} (?P<rest>[^?]+)\?", re.IGNORECASE)
_OR_NOT: Final = " or not"
_EITHER: Final = re.compile(r"\bor\b", re.IGNORECASE)
_CLAIMED: Final = re.compile(rf"{_WHO} (?:{_VERB}|need|do|have)\b[^?]+", re.IGNORECASE)


def parse_proposition(answer: str) -> str | None:
    """The sentence a coordinator wrote, or None when it is no proposition."""
    text = strip_markers(tidy(answer)).strip()
    label = _LABEL.match(text)
    first = (text[label.end() :] if label else text).strip().split("\n\n")[0]
    return as_proposition(first.strip(_QUOTES))


def as_proposition(text: str) -> str | None:
    """The text in one line, unless it is a question, a blank, cut off, too short or too long."""
    line = one_line(text)
    cut_off = line.endswith(("…", "?", "？")) or (line.startswith("<") and line.endswith(">"))
    return line if LEAST_WORDS <= count_words(line) <= MOST_WORDS and not cut_off else None


def needs_phrasing(request: Request) -> bool:
    """Whether a model must be asked, where no analyst gives the sentence."""
    return request.mode is not Mode.VOTE and not stated(request.topic)


def stated(topic: str) -> str:
    """The proposition that an English topic of a plain shape states itself, or nothing."""
    text = " ".join(plain_topic(topic).split())
    if options := choice_in(topic):
        return PropositionText.choice(options)
    if asked := _ASKED.fullmatch(text):
        rest = asked["rest"].rstrip()
        if rest.casefold().endswith(_OR_NOT):
            rest = rest[: -len(_OR_NOT)].rstrip(" ,")
        claim = f"{asked['who'].capitalize()} {asked['verb'].lower()} {rest}."
        return "" if _EITHER.search(claim) else as_proposition(claim) or ""
    if _CLAIMED.fullmatch(text):
        return as_proposition(text) or ""
    return ""
