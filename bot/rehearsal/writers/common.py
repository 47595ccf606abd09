"""What the writers of both rounds share: the last line and the lead of a digest."""

import re

from bot.rehearsal.digests import LEAD
from bot.rehearsal.phrases import table
from bot.rehearsal.seat import Position, Seat
from bot.rehearsal.text import clause, clean, cut

LOWEST, HIGHEST = 35, 96
CONCEDED = re.compile(r"\bC\d\b")


def last_line(seat: Seat, position: Position, reason: str, turn: int) -> str:
    """The stance marker, or the ballot in vote mode."""
    if not seat.votes:
        return f"[STANCE: {position.stance}]"
    confidence = round(seat.dice("confidence").between(52, 82)) + seat.temper.confidence
    confidence = max(LOWEST, min(HIGHEST, confidence + 4 * (turn - 1)))
    return f"[BALLOT: {position.ballot} | {confidence} | {cut(clause(clean(reason)), 110)}]"


def lead_of(seat: Seat, position: Position) -> str:
    """The word or two that open a digest's thesis and tell its side."""
    if seat.votes:
        return f"For {clean(position.ballot) or position.ballot}"
    return LEAD[position.stance]


def quoted(text: str, limit: int = 80) -> str:
    """A piece of somebody's text, short and harmless, to stand between quotation marks."""
    return cut(table.uncoloured(clean(text).rstrip(" .;:,")), limit)


def plain(text: str, limit: int = 90) -> str:
    """A piece of somebody's text as a clause inside a new sentence; names keep their capital."""
    short = quoted(text, limit)
    opener = short.split(" ", 1)[0].lower()
    return short[:1].lower() + short[1:] if opener in table.OPENERS else short
