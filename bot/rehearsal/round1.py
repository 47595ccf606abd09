"""Round 1: a thesis, three claims, and the digest that the others will read."""

import re

from bot.rehearsal.digests import LEAD, Digest, read_own, write_digest
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.seat import Position, RehearsedSeat
from bot.rehearsal.text import capital, clause, clean, cut, listed, quoted

_LOWEST, _HIGHEST = 35, 96
_SOURCE = re.compile(r"\[E\d{1,2}\]")


def write_round1(seat: RehearsedSeat) -> str:
    """The whole answer to the round 1 prompt."""
    position, manners, hand = seat.opening_position(), phrases().manners, seat.hand()
    claims = _claims(seat, position)
    thesis = seat.pick(
        "thesis", manners.thesis, role=seat.role, stand=seat.stand(position), eye=seat.voice.eye
    )
    evidence = seat.pick("evidence", manners.evidence, noun=seat.noun(3), check=hand[3].check)
    return "\n".join(
        [
            f"**THESIS:** {thesis.strip()}",
            "**KEY CLAIMS:**",
            *(f"{number}. {capital(claim)}." for number, claim in enumerate(claims, 1)),
            f"**EVIDENCE / REASONING:** {evidence}{_citation(seat)}",
            f"**RISKS / WEAKNESSES:** {_risk(seat)}",
            f"**RECOMMENDATION:** {_advice(seat)}",
            "---",
            "**SELF-DIGEST:**",
            *opening_digest(seat, position),
            last_line(seat, position, claims[0], turn=1),
        ]
    )


def _claims(seat: RehearsedSeat, position: Position) -> list[str]:
    return [seat.claim(position, card, n) for n, card in enumerate(seat.hand()[:3])]


def opening_digest(seat: RehearsedSeat, position: Position) -> list[str]:
    """The digest of a seat that has heard nobody yet."""
    evidence = f"none; to be found: {seat.hand()[3].check}"
    return write_digest(
        seat.stand(position),
        _claims(seat, position),
        evidence,
        _risk(seat),
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


def _risk(seat: RehearsedSeat) -> str:
    return seat.pick("risks", phrases().manners.risks, nouns=listed(seat.topic.nouns))


def _citation(seat: RehearsedSeat) -> str:
    sources = sorted(set(_SOURCE.findall(seat.value("CURRENT_CONTEXT"))))
    if not sources:
        return ""
    source = seat.dice("source").pick(sources)
    return " " + seat.pick("cite", phrases().manners.cite, source=source)


def _advice(seat: RehearsedSeat) -> str:
    manners = phrases().manners
    advice = seat.pick("advice", manners.advice, check=seat.hand()[1].check)
    if task := quoted(seat.value("TASK"), 70):
        return f"{advice} {seat.pick('task', manners.task, task=task)}"
    said = quoted(seat.value("PERSPECTIVE"))
    if said and phrases().voice_for(seat.role) is None:
        return f"{advice} {seat.pick('perspective', manners.perspective, said=said)}"
    return advice
