"""Reading the vote as the council lists it: lines such as "Role: option — reason"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.rehearsal.text import fold

NONE = "no readable ballot"
_LINE = re.compile(
    r"^[^\w\n]*+(?P<role>[^:\n]{1,60}): (?P<option>.+?)(?: — (?P<reason>.*))?$", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Ballot:
    """One line of the vote; the option is empty when the seat's ballot could not be read."""

    role: str
    option: str
    reason: str


def read_ballots(text: str) -> Mapping[str, Ballot]:
    """The ballots by folded role, in their order."""
    lines = [_ballot(found) for found in _LINE.finditer(text)]
    return {fold(ballot.role): ballot for ballot in lines}


def _ballot(found: re.Match[str]) -> Ballot:
    option = found["option"].strip()
    reason = (found["reason"] or "").strip()
    return Ballot(found["role"].strip(), "" if fold(option) == fold(NONE) else option, reason)
