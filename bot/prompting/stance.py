"""Reads the stance a seat declares in its closing line."""

import enum
import re
from typing import Final

from bot.prompting.markers import strip_markers

__all__ = ["Stance", "parse_stance", "strip_markers"]

_STANCE: Final = re.compile(r"\[STANCE:\s*(?:(AGREE)|(DISAGREE)|(NEUTRAL))\]", re.IGNORECASE)


class Stance(enum.StrEnum):
    """Where a seat stands toward the proposition; UNKNOWN is stored as it is (A17)."""

    AGREE = "AGREE"
    DISAGREE = "DISAGREE"
    NEUTRAL = "NEUTRAL"
    UNKNOWN = "UNKNOWN"


_IN_ORDER: Final = (Stance.AGREE, Stance.DISAGREE, Stance.NEUTRAL)


def parse_stance(text: str) -> Stance:
    """The last well-formed stance marker of a text, UNKNOWN when there is none."""
    stance = Stance.UNKNOWN
    for match in _STANCE.finditer(text):
        stance = _IN_ORDER[(match.lastindex or 1) - 1]
    return stance
