"""Finding the answer to somebody's claim: the other side of the same card, if it is one of ours."""

from collections.abc import Iterator
from itertools import permutations

from bot.rehearsal.cards import Card
from bot.rehearsal.phrases.table import uncoloured
from bot.rehearsal.seat import Seat
from bot.rehearsal.text import clause, fold
from bot.rehearsal.topic import MAX_OPTIONS

CONTRADICTION = {True: 0.6, False: 0.1}
"""How often a claim is met by its opposite; only between options are the two worded differently."""


def rebuttal(seat: Seat, claim: str, number: int) -> str:
    """A reason to doubt the claim."""
    other_side = _other_side(seat, fold(uncoloured(clause(claim))))
    if other_side and seat.dice("rebuttal", number).chance(CONTRADICTION[seat.is_choice]):
        return other_side
    return doubt(seat, number)


def doubt(seat: Seat, number: int) -> str:
    """A reason to doubt a claim without contradicting it."""
    reasons = seat.dice("reasons").order(seat.manners.reasons)
    return seat.say_clause(reasons[number % len(reasons)])


def _other_side(seat: Seat, said: str) -> str:
    for card in filled_cards(seat):
        if said.endswith(fold(card.pro)):
            return card.con
        if said.endswith(fold(card.con)):
            return card.pro
    return ""


def filled_cards(seat: Seat) -> Iterator[Card]:
    """Every card of the deck, in a choice once for every pair of options."""
    if not seat.is_choice:
        yield from seat.deck()
        return
    shown = [seat.shown(option) for option in range(min(len(seat.topic.options), MAX_OPTIONS))]
    for x, y in permutations(shown, 2):
        yield from (card.between(x, y) for card in seat.deck())
