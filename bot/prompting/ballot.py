"""Reads a ballot: `[BALLOT: option | confidence | reason]` against the known options."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.prompting.cleaning import clean, one_line
from bot.prompting.markers import find_markers
from bot.prompting.words import cut_words

REASON_WORDS: Final = 60
_BARS: Final = re.compile(r"[|｜]")
_LABEL: Final = re.compile(r"option\b[\s:.)-]{0,4}", re.IGNORECASE)
_AROUND: Final = " \t*_`\"'“”‘’«»<>()."
_CONFIDENCE: Final = re.compile(r"\D{0,20}?(-?\d{1,9}(?:[.,]\d{1,9})?)\s{0,4}(%|/\s{0,4}\d{1,9})?")


@dataclass(frozen=True, slots=True)
class Ballot:
    """A vote; no `option` means abstained or unreadable, no `confidence` means none was given."""

    option: str | None = None
    confidence: int | None = None
    reason: str = ""


def parse_ballot(text: str, options: Sequence[str]) -> Ballot:
    """The last ballot that names a known option, else an empty one."""
    ballot = Ballot()
    for marker in find_markers(clean(text)):
        if marker.kind != "BALLOT":
            continue
        fields = [field.strip() for field in _BARS.split(marker.body, maxsplit=2)]
        option = match_option(fields[0], options)
        if option is not None and not _is_the_instruction(fields):
            confidence = _confidence(fields[1]) if len(fields) > 1 else None
            reason = cut_words(one_line(fields[2]), REASON_WORDS) if len(fields) > 2 else ""
            ballot = Ballot(option, confidence, reason)
    return ballot


def match_option(written: str, options: Sequence[str]) -> str | None:
    """The one option that is meant, ignoring case and, where that decides, punctuation."""
    spelled = written.strip(_AROUND)
    candidates = [spelled]
    label = _LABEL.match(spelled)
    if label:
        candidates.append(spelled[label.end() :])
    for candidate in candidates:
        for form in (_folded, _key):
            wanted = form(candidate)
            hits = [option for option in options if wanted and form(option) == wanted]
            if len(hits) == 1:
                return hits[0]
    return None


def _folded(text: str) -> str:
    return one_line(text).strip(_AROUND).casefold()


def _key(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _is_the_instruction(fields: Sequence[str]) -> bool:
    return [field.casefold() for field in fields] == ["option", "confidence", "reason"]


def _confidence(written: str) -> int | None:
    match = _CONFIDENCE.match(written)
    if match is None:
        return None
    number = float(match[1].replace(",", "."))
    scale = (match[2] or "").replace(" ", "")
    if scale.startswith("/") and scale != "/100":
        return None
    if not scale and 0 < number < 1:
        number *= 100
    return round(min(100.0, max(0.0, number)))
