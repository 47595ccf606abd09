"""Round 1: a thesis, three claims, and the digest that the others will read."""

import re

from bot.models.rehearsal.cards import Card
from bot.models.rehearsal.digests import write_digest
from bot.models.rehearsal.positions import Stance
from bot.models.rehearsal.seat import Position, Seat
from bot.models.rehearsal.writers.common import last_line, lead_of, quoted

_SOURCE = re.compile(r"\[E\d{1,2}\]")


def write_round1(seat: Seat) -> str:
    """The whole answer to the round 1 prompt."""
    position, hand = seat.opening_position(), seat.hand()
    points = [position.point(card, number) for number, card in enumerate(hand[:3])]
    evidence = seat.say(
        seat.dice("evidence").pick(seat.voice.evidence), **_slots(position, hand[0])
    )
    claims = "\n".join(
        f"{number}. {text}" for number, text in enumerate(_claims(seat, position), 1)
    )
    return "\n".join(
        [
            f"**THESIS:** {_thesis(seat, position)}",
            f"**KEY CLAIMS:**\n{claims}",
            f"**EVIDENCE / REASONING:** {evidence}{_citation(seat)}",
            f"**RISKS / WEAKNESSES:** {_risks(seat, position, hand[3])}",
            f"**RECOMMENDATION:** {_advice(seat, position, hand)}",
            "---",
            "**SELF-DIGEST:**",
            *opening_digest(seat, position),
            last_line(seat, position, points[0], turn=1),
        ]
    )


def opening_digest(seat: Seat, position: Position) -> list[str]:
    """The digest of a seat that has heard nobody yet."""
    hand = seat.hand()
    points = [position.point(card, number) for number, card in enumerate(hand[:3])]
    filled = [card.between(position.x, position.y) for card in hand]
    return write_digest(
        seat.stand(position),
        [seat.as_own(point) for point in points],
        seat.as_own(f"still to be gathered; {filled[0].check}"),
        seat.as_own(filled[3].risk),
        lead_of(seat, position),
    )


def _slots(position: Position, card: Card) -> dict[str, str]:
    filled = card.between(position.x, position.y)
    return {
        "name": filled.name,
        "check": filled.check,
        "mend": filled.mend,
        "risk": filled.risk,
        "point": position.point(card),
        "counter": position.counter(card),
    }


def _thesis(seat: Seat, position: Position) -> str:
    patterns = {
        Stance.AGREE: seat.voice.thesis_for,
        Stance.DISAGREE: seat.voice.thesis_against,
        Stance.NEUTRAL: seat.voice.thesis_open,
    }[position.stance]
    return seat.say(seat.dice("thesis").pick(patterns), stand=seat.stand(position))


def _claims(seat: Seat, position: Position) -> list[str]:
    usual = seat.dice("claims").order(seat.voice.claims)
    turned = seat.dice("turned").order(seat.voice.turned) or usual
    claims = []
    for number, card in enumerate(seat.hand()[:3]):
        slots = _slots(position, card) | {"point": position.point(card, number)}
        natural = position.favours(number) == (seat.voice.lean > 0)
        claims.append(seat.say((usual if natural else turned)[number], **slots))
    return claims


def _citation(seat: Seat) -> str:
    sources = sorted(set(_SOURCE.findall(seat.value("CURRENT_CONTEXT"))))
    if not sources:
        return ""
    dice = seat.dice("cite")
    return " " + seat.say(dice.pick(seat.manners.cite), source=dice.pick(sources))


def _risks(seat: Seat, position: Position, card: Card) -> str:
    return seat.say(seat.dice("risks").pick(seat.voice.risks), **_slots(position, card))


def _advice(seat: Seat, position: Position, hand: list[Card]) -> str:
    dice = seat.dice("advice")
    slots = _slots(position, hand[1]) | {"mend": _slots(position, hand[2])["mend"]}
    parts = [seat.say(dice.pick(seat.voice.advice), **slots)]
    task = quoted(seat.value("TASK"), 70)
    if task:
        parts.append(seat.say(dice.pick(seat.manners.task), task=task))
    elif seat.has_word and dice.chance(seat.temper.talkative):
        parts.append(seat.say(dice.pick(seat.manners.aside)))
    return " ".join(parts)
