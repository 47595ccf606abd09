"""What seats write once the rounds are over: validation, dissent, follow-ups, and a build."""

import re

from bot.rehearsal.digests import Claim, Digest, read_own
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import Patterns
from bot.rehearsal.round1 import opening_digest, own_digest
from bot.rehearsal.seat import RehearsedSeat
from bot.rehearsal.text import clean, cut, fold, quoted

_ACCURATE, _PARTIAL, _WRONG = "ACCURATE", "PARTIALLY ACCURATE", "INACCURATE"
_NO_REPLY = "NO_REPLY"
_SILENCE = 0.45
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
    reason = seat.pick("why", _reasons(verdict), role=seat.role, cid=claim.cid)
    lines = [f"**REPRESENTATION:** {verdict}", f"**REASONING:** {reason}"]
    if verdict != _ACCURATE:
        lines.append(f"**CORRECTION:** Add my {claim.cid}: {quoted(claim.text)}.")
    return "\n".join(lines)


def _missing(own: Digest, draft: str) -> list[Claim]:
    said = fold(draft)
    return [claim for claim in own.claims if _opening(claim) not in said]


def _opening(claim: Claim) -> str:
    return fold(cut(claim.text, 60).rstrip("…"))


def _verdict(seat: RehearsedSeat, own: Digest, missing: list[Claim]) -> str:
    dice = seat.dice("verdict")
    named = fold(seat.role) in fold(seat.value("SYNTHESIS_DRAFT"))
    if not missing or (named and dice.chance(0.6)):
        return _ACCURATE
    return _PARTIAL if named or len(missing) < len(own.claims) else _WRONG


def _reasons(verdict: str) -> Patterns:
    said = phrases().manners.validation
    return {_ACCURATE: said.accurate, _PARTIAL: said.partial, _WRONG: said.inaccurate}[verdict]


def write_dissent(seat: RehearsedSeat) -> str:
    """At most 80 words in the first person."""
    claim, manners = _own_claim(seat), phrases().manners
    first = seat.pick("dissent", manners.dissent, own=quoted(claim.text), cid=claim.cid)
    return f"{first} {seat.pick('change', manners.change, check=seat.hand()[0].check)}"


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
    manners, claim, check = phrases().manners, _own_claim(seat), dice.pick(seat.hand()).check
    asker = cut(clean(seat.value("ASKED_BY")), 32) or "friend"
    question = quoted(seat.value("QUESTION")) or "that"
    reply = seat.pick("reply", manners.replies, question=question, check=check)
    if _CHANGE.search(question):
        reply = seat.pick("change", manners.change, check=check)
    return " ".join(
        [
            seat.pick("opening", manners.opening, asker=asker),
            reply,
            seat.pick("defend", manners.defend, cid=claim.cid, own=quoted(claim.text)),
        ]
    )


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
