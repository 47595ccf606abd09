"""Reads a validator's verdict on whether the draft represents its seat."""

import enum
import re
from dataclasses import dataclass
from typing import Final

from bot.prompting.sections import Headings, last_body, split_sections
from bot.prompting.text import cut_words, one_line, tidy

_REASONING_WORDS: Final = 80
_CORRECTION_WORDS: Final = 50
_HEADINGS: Final = Headings(
    {
        "representation": ("REPRESENTATION", "VERDICT"),
        "reasoning": ("REASONING", "REASON"),
        "correction": ("CORRECTION", "CORRECTIONS"),
    }
)
# The longer words come first: two of the three verdicts contain the third.
_VERDICT: Final = re.compile(
    r"(?P<partial>(?:not\s(?:fully|entirely|completely)|partially|partly|mostly|largely)"
    r"[\s_-]{1,3}(?:in)?accurate)|(?P<wrong>inaccurate|not[\s_-]{1,3}accurate)|(?P<right>accurate)",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(r"[\W_]{0,20}")
_OR: Final = re.compile(
    r"[\s*_`]{0,8}(?:[/|,]|or\b)[\s*_`]{0,8}(?:or\s)?[\s*_`]{0,8}", re.IGNORECASE
)


class Verdict(enum.StrEnum):
    """What a validator found; UNKNOWN means that it gave no readable verdict."""

    ACCURATE = "ACCURATE"
    PARTIALLY_ACCURATE = "PARTIALLY ACCURATE"
    INACCURATE = "INACCURATE"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Validation:
    """A verdict with its reason and, unless it is ACCURATE, the correction asked for."""

    verdict: Verdict
    reasoning: str = ""
    correction: str = ""


def parse_validation(answer: str) -> Validation:
    """Read a verdict; without the heading only a first line that is a verdict counts."""
    text = tidy(answer)
    sections = split_sections(text, _HEADINGS.find)
    body = last_body(sections, "representation") or text.split("\n")[0]
    verdict = _first_verdict(body)
    reasoning = cut_words(one_line(last_body(sections, "reasoning")), _REASONING_WORDS)
    correction = cut_words(one_line(last_body(sections, "correction")), _CORRECTION_WORDS)
    wanted = verdict in (Verdict.PARTIALLY_ACCURATE, Verdict.INACCURATE)
    return Validation(verdict, reasoning, correction if wanted else "")


def _first_verdict(body: str) -> Verdict:
    """The verdict of the first line that begins with one and is not the list of choices."""
    for line in body.split("\n"):
        head = line[:200]
        lead = _LEAD.match(head)
        match = _VERDICT.match(head, lead.end() if lead else 0)
        if match and not _is_choice(head[match.end() :]):
            return _named(match)
    return Verdict.UNKNOWN


def _is_choice(rest: str) -> bool:
    """Whether another verdict is offered right behind the first."""
    separator = _OR.match(rest)
    return separator is not None and _VERDICT.match(rest, separator.end()) is not None


def _named(match: re.Match[str]) -> Verdict:
    if match["partial"]:
        return Verdict.PARTIALLY_ACCURATE
    return Verdict.INACCURATE if match["wrong"] else Verdict.ACCURATE
