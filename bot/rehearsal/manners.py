"""How a seat behaves after its first answer: criticising, defending, giving in, being asked."""

from dataclasses import dataclass, fields

from bot.rehearsal.dice import Dice
from bot.rehearsal.voices import Patterns


@dataclass(frozen=True, slots=True)
class Manners:
    """The later phrases of one place at the table; `keep` is what stays after changing sides.

    Criticism follows "Role C1: " and contains "because"; `yield_open` and `yield_over` follow
    "Because of Role C1: ".
    """

    against_foe: Patterns
    against_ally: Patterns
    reasons: Patterns
    defend: Patterns
    keep: Patterns
    floor: Patterns
    yield_open: Patterns
    yield_over: Patterns
    close_score: Patterns
    middle_score: Patterns
    far_score: Patterns
    aside: Patterns
    dissent: Patterns
    change: Patterns
    opening: Patterns
    replies: Patterns
    closing: Patterns
    cite: Patterns
    task: Patterns
    concede: Patterns


def share_out(pool: Manners, number: int, of: int, dice: Dice) -> Manners:
    """The share of one of several guests; no phrase is in two shares while there are enough."""
    shares: dict[str, Patterns] = {}
    for field in fields(pool):
        phrases: list[str] = dice.order(getattr(pool, field.name))
        start = number % min(of, len(phrases))
        shares[field.name] = tuple(phrases[start :: min(of, len(phrases))])
    return Manners(**shares)
