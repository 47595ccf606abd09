"""A dissent: what the conclusion leaves out, and what would change the dissenter's mind."""

from bot.rehearsal.digests import Claim, read_own
from bot.rehearsal.seat import Seat
from bot.rehearsal.writers.common import CONCEDED, plain
from bot.rehearsal.writers.round1 import opening_digest


def write_dissent(seat: Seat) -> str:
    """At most 80 words in the first person."""
    dice, claim = seat.dice("dissent"), own_claim(seat)
    position = seat.position_of(read_own(seat.value("SELF_DIGEST") or seat.value("OWN_TURNS")))
    card = dice.pick(seat.hand()).between(position.x, position.y)
    first = seat.say(dice.pick(seat.manners.dissent), own=plain(claim.text), cid=claim.cid)
    return f"{first} {seat.say(dice.pick(seat.manners.change), check=card.check)}"


def own_claim(seat: Seat) -> Claim:
    """The claim a seat is known for, from its digest, its own turns or its cards."""
    for source in ("SELF_DIGEST", "OWN_TURNS"):
        found = read_own(seat.value(source))
        own = [claim for claim in found.claims if not CONCEDED.search(claim.text)]
        if own:
            return seat.dice("own", source).pick(own)
    return read_own("\n".join(opening_digest(seat, seat.opening_position()))).claims[0]
