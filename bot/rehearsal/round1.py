"""Round 1: a thesis, three claims, and the digest that the others will read."""

import re

from bot.rehearsal.digests import LEAD, Digest, read_own, write_digest
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import Card, Stance
from bot.rehearsal.seat import Position, RehearsedSeat
from bot.rehearsal.text import clause, clean, cut

_LOWEST, _HIGHEST = 35, 96
_SOURCE = re.compile(r"\[E\d{1,2}\]")


def write_round1(seat: RehearsedSeat) -> str:
    """The whole answer to the round 1 prompt."""
    position, hand = seat.opening_position(), seat.hand()
    points = [position.point(card, number) for number, card in enumerate(hand[:3])]
    evidence = seat.say(
        seat.dice("evidence").pick(seat.voice.evidence),
        **_slots(position, hand[0]) | {"mark": seat.marks()[3]},
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


def opening_digest(seat: RehearsedSeat, position: Position) -> list[str]:
    """The digest of a seat that has heard nobody yet."""
    hand = seat.hand()
    points = [position.point(card, number) for number, card in enumerate(hand[:3])]
    filled = [card.between(position.x, position.y) for card in hand]
    return write_digest(
        seat.as_own(seat.stand(position)),
        [seat.as_own(point) for point in points],
        seat.as_own(f"still to be gathered; {filled[0].check}"),
        seat.as_own(filled[3].risk),
        lead_of(seat, position),
    )


def own_digest(seat: RehearsedSeat) -> Digest:
    """The digest a seat was handed back, else the one of its first answer."""
    own = read_own(seat.value("SELF_DIGEST"))
    if own.claims:
        return own
    return read_own("\n".join(opening_digest(seat, seat.opening_position())))


def last_line(seat: RehearsedSeat, position: Position, reason: str, turn: int) -> str:
    """The stance marker, or the ballot in vote mode."""
    if not seat.votes:
        return f"[STANCE: {position.stance}]"
    confidence = round(seat.dice("confidence").between(52, 82)) + seat.temper.confidence
    confidence = max(_LOWEST, min(_HIGHEST, confidence + 4 * (turn - 1)))
    return f"[BALLOT: {position.ballot} | {confidence} | {cut(clause(clean(reason)), 110)}]"


def lead_of(seat: RehearsedSeat, position: Position) -> str:
    """The word or two that open a digest's thesis and tell its side."""
    if seat.votes:
        return f"For {clean(position.ballot) or position.ballot}"
    return LEAD[position.stance]


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


def _thesis(seat: RehearsedSeat, position: Position) -> str:
    patterns = {
        Stance.AGREE: seat.voice.thesis_for,
        Stance.DISAGREE: seat.voice.thesis_against,
        Stance.NEUTRAL: seat.voice.thesis_open,
    }[position.stance]
    dice = seat.dice("thesis")
    eyes = seat.say_clause(dice.pick(phrases().seats.eyes))
    return seat.say(dice.pick(patterns), stand=seat.stand(position), mark=eyes)


def _claims(seat: RehearsedSeat, position: Position) -> list[str]:
    usual = seat.dice("claims").order(seat.voice.claims)
    turned = seat.dice("turned").order(seat.voice.turned) or usual
    claims = []
    for number, card in enumerate(seat.hand()[:3]):
        slots = _slots(position, card) | {
            "point": position.point(card, number),
            "mark": seat.marks()[number],
        }
        natural = position.favours(number) == (seat.voice.lean > 0)
        claims.append(seat.say((usual if natural else turned)[number], **slots))
    return claims


def _citation(seat: RehearsedSeat) -> str:
    sources = sorted(set(_SOURCE.findall(seat.value("CURRENT_CONTEXT"))))
    if not sources:
        return ""
    dice = seat.dice("cite")
    return " " + seat.say(dice.pick(seat.manners.cite), source=dice.pick(sources))


def _risks(seat: RehearsedSeat, position: Position, card: Card) -> str:
    slots = _slots(position, card) | {"mark": seat.marks()[5]}
    return seat.say(seat.dice("risks").pick(seat.voice.risks), **slots)


def _advice(seat: RehearsedSeat, position: Position, hand: list[Card]) -> str:
    dice = seat.dice("advice")
    slots = _slots(position, hand[1]) | {
        "mend": _slots(position, hand[2])["mend"],
        "mark": seat.marks()[6],
    }
    parts = [seat.say(dice.pick(seat.voice.advice), **slots)]
    task = phrases().quoted(seat.value("TASK"), 70)
    if task:
        parts.append(seat.say(dice.pick(seat.manners.task), task=task))
    elif said := _perspective(seat):
        parts.append(dice.pick(phrases().seats.perspectives).format(said=said))
    elif seat.has_word and dice.chance(seat.temper.talkative):
        parts.append(seat.say(dice.pick(seat.manners.aside)))
    return " ".join(parts)


def _perspective(seat: RehearsedSeat) -> str:
    """The perspective of a role without a voice of its own, if it says what such a person does."""
    said = phrases().quoted(seat.value("PERSPECTIVE"), 90)
    return (
        said
        if seat.is_unknown and said.split(" ", 1)[0] in phrases().seats.perspective_verbs
        else ""
    )
