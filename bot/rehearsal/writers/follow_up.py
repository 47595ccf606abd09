"""Follow-ups: a short answer to a question from the thread, or silence when the floor is open."""

import re

from bot.rehearsal.cards import Card
from bot.rehearsal.dice import Dice
from bot.rehearsal.digests import read_own
from bot.rehearsal.grammar import STOP
from bot.rehearsal.seat import Seat
from bot.rehearsal.text import clean, cut, fold
from bot.rehearsal.writers.common import plain, quoted
from bot.rehearsal.writers.dissent import own_claim

NO_REPLY = "NO_REPLY"
SILENCE = 0.45
STEM = 5
CHANGE = re.compile(r"chang\w{0,9} your (?:mind|view)|convince|persuade", re.IGNORECASE)


def write_follow_up(seat: Seat) -> str:
    """Free text of a few sentences, or exactly NO_REPLY."""
    dice = seat.dice("follow-up", seat.value("QUESTION"), seat.value("ASKED_BY"))
    if seat.value("OPEN_FLOOR").strip().casefold() == "yes" and dice.chance(SILENCE):
        return NO_REPLY
    position = seat.position_of(read_own(seat.value("SELF_DIGEST") or seat.value("OWN_TURNS")))
    card = _card_for(seat, dice)
    filled = card.between(position.x, position.y)
    claim = own_claim(seat)
    asker = cut(clean(seat.value("ASKED_BY")), 32) or "friend"
    question = quoted(seat.value("QUESTION"), 90) or "that"
    pattern = dice.pick(seat.manners.replies)
    if CHANGE.search(question):
        pattern = dice.pick(seat.manners.change)
    parts = [
        seat.say(dice.pick(seat.manners.opening), asker=asker),
        seat.say(
            pattern,
            question=question,
            name=filled.name,
            point=position.point(card),
            check=filled.check,
            mend=filled.mend,
        ),
        seat.say(dice.pick(seat.manners.defend), cid=claim.cid, own=plain(claim.text)),
        seat.say(dice.pick(seat.manners.closing)),
    ]
    return " ".join(parts if dice.chance(seat.temper.talkative) else [*parts[:2], parts[3]])


def _card_for(seat: Seat, dice: Dice) -> Card:
    """The card that has most words in common with the question, else one of the seat's own."""
    asked = _stems(seat.value("QUESTION"))
    own = dice.order(seat.hand())
    best = max((*own, *seat.deck()), key=lambda card: len(asked & _words_of(card)))
    return best if asked & _words_of(best) else own[0]


def _words_of(card: Card) -> set[str]:
    return _stems(f"{card.name} {card.pro} {card.con}")


def _stems(text: str) -> set[str]:
    words = fold(text).split()
    return {word[:STEM] for word in words if len(word) >= STEM and word not in STOP}
