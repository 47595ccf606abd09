"""Validation: whether the draft conclusion carries what this seat said."""

from bot.models.rehearsal.digests import Claim, Digest, read_own
from bot.models.rehearsal.seat import Seat
from bot.models.rehearsal.text import cut, fold
from bot.models.rehearsal.writers.common import plain
from bot.models.rehearsal.writers.round1 import opening_digest

ACCURATE, PARTIAL, WRONG = "ACCURATE", "PARTIALLY ACCURATE", "INACCURATE"
REASONS = {
    ACCURATE: (
        "As {role} I find my view in the draft, shortened but not bent.",
        "The draft says of the {role} seat what it said of itself.",
        "I compared the draft with my digest as {role} and would sign it.",
    ),
    PARTIAL: (
        "My side is reported, but the draft is silent about {cid} of the {role} seat.",
        "The {role} appears, though {cid} was lost on the way.",
        "Half of the {role} view is there; {cid} is not.",
    ),
    WRONG: (
        "Neither {cid} nor the reason behind it reached the draft, so the {role} view is missing.",
        "A reader of this draft would not know what the {role} seat stood for; {cid} is absent.",
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
        lines.append(f"**CORRECTION:** Add the {seat.role}'s {claim.cid}: {plain(claim.text)}.")
    return "\n".join(lines)


def _own(seat: Seat) -> Digest:
    own = read_own(seat.value("SELF_DIGEST"))
    if own.claims:
        return own
    return read_own("\n".join(opening_digest(seat, seat.opening_position())))


def _missing(own: Digest, draft: str) -> list[Claim]:
    said = fold(draft)
    return [claim for claim in own.claims if fold(cut(claim.text, 60).rstrip("…")) not in said]


def _verdict(seat: Seat, own: Digest, missing: list[Claim]) -> str:
    dice = seat.dice("verdict")
    named = fold(seat.role) in fold(seat.value("SYNTHESIS_DRAFT"))
    if not missing or (named and dice.chance(0.6)):
        return ACCURATE
    return PARTIAL if named or len(missing) < len(own.claims) else WRONG
