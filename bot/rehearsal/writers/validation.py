"""Validation: whether the draft conclusion carries what this seat said."""

from bot.rehearsal.digests import Claim, Digest, read_own
from bot.rehearsal.phrases.table import uncoloured
from bot.rehearsal.seat import Seat
from bot.rehearsal.text import cut, fold
from bot.rehearsal.writers.common import plain
from bot.rehearsal.writers.round1 import opening_digest

ACCURATE, PARTIAL, WRONG = "ACCURATE", "PARTIALLY ACCURATE", "INACCURATE"
REASONS = {
    ACCURATE: (
        "As {role} I find my view in the draft, shortened but not bent.",
        "The draft says of the {role} what I said myself.",
        "I compared the draft with what I said as {role} and would sign it.",
    ),
    PARTIAL: (
        "What I said as {role} is there in part, but the draft is silent about {cid}.",
        "The {role} appears, though {cid} was lost on the way.",
        "Half of what the {role} said is there; {cid} is not.",
    ),
    WRONG: (
        "Neither {cid} nor the reason behind it reached the draft, so the {role} is missing.",
        "A reader of this draft would not know what the {role} stood for; {cid} is absent.",
    ),
}


def write_validation(seat: Seat) -> str:
    """The verdict on the draft, with a correction when something is missing."""
    own = _own(seat)
    missing = _missing(own, seat.value("SYNTHESIS_DRAFT"))
    verdict = _verdict(seat, own, missing)
    claim = missing[0] if missing else own.claims[0]
    reason = seat.say(seat.dice("why").pick(REASONS[verdict]), cid=claim.cid)
    lines = [f"**REPRESENTATION:** {verdict}", f"**REASONING:** {reason}"]
    if verdict != ACCURATE:
        lines.append(f"**CORRECTION:** Add my {claim.cid}: {plain(claim.text)}.")
    return "\n".join(lines)


def _own(seat: Seat) -> Digest:
    own = read_own(seat.value("SELF_DIGEST"))
    if own.claims:
        return own
    return read_own("\n".join(opening_digest(seat, seat.opening_position())))


def _missing(own: Digest, draft: str) -> list[Claim]:
    said = fold(draft)
    return [claim for claim in own.claims if _opening(claim) not in said]


def _opening(claim: Claim) -> str:
    return fold(cut(uncoloured(claim.text), 60).rstrip("…"))


def _verdict(seat: Seat, own: Digest, missing: list[Claim]) -> str:
    dice = seat.dice("verdict")
    named = fold(seat.role) in fold(seat.value("SYNTHESIS_DRAFT"))
    if not missing or (named and dice.chance(0.6)):
        return ACCURATE
    return PARTIAL if named or len(missing) < len(own.claims) else WRONG
