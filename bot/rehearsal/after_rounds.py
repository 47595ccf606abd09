"""What seats write once the rounds are over: validation, dissent, follow-ups, and a build."""

import re

from bot.rehearsal.dice import Dice
from bot.rehearsal.digests import Claim, Digest, read_own
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import Card, Patterns
from bot.rehearsal.round1 import opening_digest, own_digest
from bot.rehearsal.seat import Position, RehearsedSeat
from bot.rehearsal.text import clean, cut, fold

_ACCURATE, _PARTIAL, _WRONG = "ACCURATE", "PARTIALLY ACCURATE", "INACCURATE"
_NO_REPLY = "NO_REPLY"
_SILENCE = 0.45
_STEM = 5
_CHANGE = re.compile(r"chang\w{0,9} your (?:mind|view)|convince|persuade", re.IGNORECASE)
_CRITERION = re.compile(r"^(\d{1,2})\. (.+)$", re.MULTILINE)
_FILE = re.compile(r"^FILE: (\S+)$", re.MULTILINE)
_README = "README.md"


def write_validation(seat: RehearsedSeat) -> str:
    """The verdict on the draft, with a correction when something is missing."""
    own = own_digest(seat)
    missing = _missing(own, seat.value("SYNTHESIS_DRAFT"))
    verdict = _verdict(seat, own, missing)
    claim = missing[0] if missing else own.claims[0]
    reason = seat.say(seat.dice("why").pick(_reasons(verdict)), cid=claim.cid)
    lines = [f"**REPRESENTATION:** {verdict}", f"**REASONING:** {reason}"]
    if verdict != _ACCURATE:
        lines.append(f"**CORRECTION:** Add my {claim.cid}: {phrases().plain(claim.text)}.")
    return "\n".join(lines)


def _missing(own: Digest, draft: str) -> list[Claim]:
    said = fold(draft)
    return [claim for claim in own.claims if _opening(claim) not in said]


def _opening(claim: Claim) -> str:
    return fold(cut(phrases().uncoloured(claim.text), 60).rstrip("…"))


def _verdict(seat: RehearsedSeat, own: Digest, missing: list[Claim]) -> str:
    dice = seat.dice("verdict")
    named = fold(seat.role) in fold(seat.value("SYNTHESIS_DRAFT"))
    if not missing or (named and dice.chance(0.6)):
        return _ACCURATE
    return _PARTIAL if named or len(missing) < len(own.claims) else _WRONG


def _reasons(verdict: str) -> Patterns:
    said = phrases().seats.validation
    return {_ACCURATE: said.accurate, _PARTIAL: said.partial, _WRONG: said.inaccurate}[verdict]


def write_dissent(seat: RehearsedSeat) -> str:
    """At most 80 words in the first person."""
    dice, claim = seat.dice("dissent"), _own_claim(seat)
    position = _last_position(seat)
    card = dice.pick(seat.hand()).between(position.x, position.y)
    first = seat.say(
        dice.pick(seat.manners.dissent), own=phrases().plain(claim.text), cid=claim.cid
    )
    return f"{first} {seat.say(dice.pick(seat.manners.change), check=card.check)}"


def _last_position(seat: RehearsedSeat) -> Position:
    return seat.position_of(read_own(seat.value("SELF_DIGEST") or seat.value("OWN_TURNS")))


def _own_claim(seat: RehearsedSeat) -> Claim:
    """The claim a seat is known for, from its digest, its own turns or its cards."""
    for source in ("SELF_DIGEST", "OWN_TURNS"):
        found = read_own(seat.value(source))
        if found.own_claims:
            return seat.dice("own", source).pick(found.own_claims)
    return read_own("\n".join(opening_digest(seat, seat.opening_position()))).claims[0]


def write_follow_up(seat: RehearsedSeat) -> str:
    """Free text of a few sentences, or exactly NO_REPLY."""
    dice = seat.dice("follow-up", seat.value("QUESTION"), seat.value("ASKED_BY"))
    if seat.value("OPEN_FLOOR").strip().casefold() == "yes" and dice.chance(_SILENCE):
        return _NO_REPLY
    position = _last_position(seat)
    card = _card_for(seat, dice)
    filled = card.between(position.x, position.y)
    claim = _own_claim(seat)
    asker = cut(clean(seat.value("ASKED_BY")), 32) or "friend"
    question = phrases().quoted(seat.value("QUESTION"), 90) or "that"
    pattern = dice.pick(seat.manners.replies)
    if _CHANGE.search(question):
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
        seat.say(dice.pick(seat.manners.defend), cid=claim.cid, own=phrases().plain(claim.text)),
        seat.say(dice.pick(seat.manners.closing)),
    ]
    return " ".join(parts if dice.chance(seat.temper.talkative) else [*parts[:2], parts[3]])


def _card_for(seat: RehearsedSeat, dice: Dice) -> Card:
    """The card that has most words in common with the question, else one of the seat's own."""
    asked = _stems(seat.value("QUESTION"))
    own = dice.order(seat.hand())
    best = max((*own, *seat.deck()), key=lambda card: len(asked & _words_of(card)))
    return best if asked & _words_of(best) else own[0]


def _words_of(card: Card) -> set[str]:
    return _stems(f"{card.name} {card.pro} {card.con}")


def _stems(text: str) -> set[str]:
    words = fold(text).split()
    return {
        word[:_STEM] for word in words if len(word) >= _STEM and word not in phrases().words.common
    }


def write_spec(seat: RehearsedSeat) -> str:
    """A spec that the rehearsal can really deliver."""
    build, findings = phrases().build, seat.value("FINDINGS")
    remark = f"\n{build.remark.format(findings=cut(findings, 120))}" if findings else ""
    return build.spec.format(thing=cut(seat.topic.quote, 80), remark=remark)


def write_spec_review(seat: RehearsedSeat) -> str:
    """A reviewer who finds the spec clear."""
    count = len(_CRITERION.findall(seat.value("SPEC")))
    return phrases().build.spec_review.format(role=seat.role, count=count)


def write_files(seat: RehearsedSeat) -> str:
    """The documents, in the format builders write."""
    build, checks = phrases().build, [card.check for card in seat.hand()[:3]]
    steps = [build.step.format(number=n, step=check) for n, check in enumerate(checks, 1)]
    return build.files.format(thing=cut(seat.topic.quote, 80), steps="\n".join(steps))


def write_spec_gate(seat: RehearsedSeat) -> str:
    """Every criterion with the file it is met in."""
    build, names = phrases().build, _FILE.findall(seat.value("FILES")) or [_README]
    lines = [
        build.criterion.format(number=n, file=next((f for f in names if f in text), names[0]))
        for n, text in _CRITERION.findall(seat.value("SPEC"))
    ]
    return "\n".join([build.spec_gate.format(role=seat.role, count=len(names)), *lines])


def write_quality_gate(seat: RehearsedSeat) -> str:
    """A mild reviewer, who names what a rehearsal lacks."""
    return phrases().build.quality_gate.format(role=seat.role)
