"""Cross-critique: two weak points of peers, a defence, perhaps a change of mind, and scores."""

from dataclasses import dataclass, replace

from bot.rehearsal.digests import Claim, Digest, read_digests, side_of, write_digest
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import Patterns, Stance
from bot.rehearsal.positions import Tie, climate_of, score_for, stance_after, swayed_by
from bot.rehearsal.round1 import last_line, lead_of, own_digest
from bot.rehearsal.seat import Position, RehearsedSeat
from bot.rehearsal.text import capital, clause, fold, quoted, role_key


@dataclass(frozen=True, slots=True)
class _Peer:
    """A peer as its digest shows it."""

    digest: Digest
    side: str

    @property
    def role(self) -> str:
        """The role, as the digests were labelled."""
        return self.digest.role


@dataclass(frozen=True, slots=True)
class _Change:
    """A change of position and the peer's claim that caused it."""

    to: Position
    peer: _Peer
    claim: Claim

    @property
    def is_crossing(self) -> bool:
        """True when the seat has taken a new side, not only left its old one."""
        return self.to.stance is not Stance.NEUTRAL


def write_round2(seat: RehearsedSeat) -> str:
    """The whole answer to the cross-critique prompt."""
    own = own_digest(seat)
    before = seat.position_of(own)
    peers = _peers(seat)
    change = _change(seat, before, peers)
    after = change.to if change else before
    digest = _new_digest(seat, own, after, change)
    return "\n".join(
        [
            "**CRITIQUE:**",
            *_critique(seat, after, peers, change),
            f"**DEFEND:** {_defence(seat, own, change)}",
            f"**REVISE:** {_revision(seat, own, change)}",
            "**SELF-DIGEST:**",
            *digest,
            "**AGREEMENT SCORES**",
            "SCORES:",
            *_scores(seat, after, peers),
            last_line(seat, after, _ballot_reason(own, change), turn=_turn(seat)),
        ]
    )


def _turn(seat: RehearsedSeat) -> int:
    said = seat.value("ROUND").strip()
    return int(said) if said in {"2", "3"} else 2


def _peers(seat: RehearsedSeat) -> list[_Peer]:
    digests = read_digests(seat.value("PEER_DIGESTS"))
    others = [d for d in digests if d.role and role_key(d.role) != role_key(seat.role)]
    return [_Peer(digest, side_of(digest, seat.ballots)) for digest in others]


def _change(seat: RehearsedSeat, before: Position, peers: list[_Peer]) -> _Change | None:
    ties = [Tie(n, peer.side) for n, peer in enumerate(peers) if peer.digest.claims]
    climate = climate_of(seat.seed, seat.topic.key, seat.mode)
    dice = seat.dice("change")
    openness = seat.temper.openness - _resistance(seat, before)
    tie = swayed_by(before.side, ties, climate, openness, _turn(seat), dice)
    if tie is None:
        return None
    peer = peers[tie.index]
    return _Change(_moved(seat, before, peer.side), peer, dice.pick(peer.digest.claims))


def _resistance(seat: RehearsedSeat, before: Position) -> float:
    """How much harder it is to leave the side that the role was seated for."""
    leans = {Stance.AGREE: seat.voice.lean, Stance.DISAGREE: -seat.voice.lean}
    return 0.25 * max(0.0, leans.get(before.stance, 0.0))


def _moved(seat: RehearsedSeat, before: Position, side: str) -> Position:
    if seat.votes:
        return seat.position_for(seat.ballots.index(side))
    return seat.position_on(stance_after(before.stance, Stance(side), seat.dice("landing")))


def _critique(
    seat: RehearsedSeat, own: Position, peers: list[_Peer], change: _Change | None
) -> list[str]:
    targets = _targets(seat, own, [_without_cause(peer, change) for peer in peers])
    dice, manners = seat.dice("critique"), phrases().manners
    foe, ally = dice.order(manners.against_foe), dice.order(manners.against_ally)
    reasons = dice.order(manners.reasons)
    lines = []
    for number, (peer, claim) in enumerate(targets, 1):
        patterns = ally if peer.side == own.side else foe
        text = seat.say(
            patterns[number % len(patterns)],
            quote=quoted(claim.text),
            reason=reasons[number % len(reasons)],
        )
        lines.append(f"{number}. {peer.role} {claim.cid}: {text}")
    return lines or ["1. Nobody left a digest to criticise, so this round adds only a defence."]


def _without_cause(peer: _Peer, change: _Change | None) -> _Peer:
    """The peer without the claim that just convinced us, which we will not attack as well."""
    if change is None or peer is not change.peer:
        return peer
    claims = tuple(claim for claim in peer.digest.claims if claim is not change.claim)
    return _Peer(replace(peer.digest, claims=claims), peer.side)


def _targets(seat: RehearsedSeat, own: Position, peers: list[_Peer]) -> list[tuple[_Peer, Claim]]:
    """Two claims, those of opponents first and of two different peers if there are two."""
    dice = seat.dice("targets")
    speaking = dice.order([peer for peer in peers if peer.digest.claims])
    speaking.sort(key=lambda peer: score_for(own.side, peer.side, seat.dice("far", peer.role)))
    chosen = [(peer, dice.pick(peer.digest.claims)) for peer in speaking[:2]]
    if len(chosen) == 1 and len(speaking[0].digest.claims) > 1:
        peer, first = chosen[0]
        chosen.append((peer, next(claim for claim in peer.digest.claims if claim is not first)))
    return chosen


def _defence(seat: RehearsedSeat, own: Digest, change: _Change | None) -> str:
    dice, manners = seat.dice("defend"), phrases().manners
    if change and change.is_crossing:
        text = seat.pick("keep", manners.keep, check=seat.hand()[0].check)
    else:
        claim = dice.pick(own.claims[:2] if change else own.claims)
        text = seat.pick("defence", manners.defend, cid=claim.cid, own=quoted(claim.text))
    if said := quoted(_first_line(seat.value("FLOOR"))):
        text += " " + seat.pick("floor", manners.floor, said=said)
    return text


def _first_line(text: str) -> str:
    lines = [line.strip(" -*•>") for line in text.splitlines() if line.strip(" -*•>")]
    return lines[-1] if lines else ""


def _revision(seat: RehearsedSeat, own: Digest, change: _Change | None) -> str:
    if change is None:
        return "No change."
    manners = phrases().manners
    text = seat.pick(
        "revise",
        manners.yield_over if change.is_crossing else manners.yield_open,
        quote=quoted(change.claim.text),
        cid=own.claims[-1].cid,
    )
    return f"Because of {change.peer.role} {change.claim.cid}: {text}"


def _new_digest(
    seat: RehearsedSeat, own: Digest, after: Position, change: _Change | None
) -> list[str]:
    return write_digest(
        seat.stand(after),
        _new_claims(seat, own, change),
        "as before",
        own.risk or "nothing was looked up",
        lead_of(seat, after),
    )


def _new_claims(seat: RehearsedSeat, own: Digest, change: _Change | None) -> list[str]:
    """The old claims, with the conceded one among them; new ones when the side has changed."""
    if change is None:
        return [claim.text for claim in own.claims[:3]]
    taken = seat.pick(
        "concede",
        phrases().manners.concede,
        peer=change.peer.role,
        cid=change.claim.cid,
        said=quoted(change.claim.text, 70),
    )
    if not change.is_crossing:
        return [*(claim.text for claim in own.claims[:2]), taken]
    hand = seat.hand()
    fresh = [seat.claim(change.to, card, 2 * n) for n, card in enumerate((hand[3], hand[1]))]
    return [*fresh, taken]


def _ballot_reason(own: Digest, change: _Change | None) -> str:
    if change:
        return f"{change.peer.role} {change.claim.cid} convinced me"
    return clause(own.claims[0].text)


def _scores(seat: RehearsedSeat, own: Position, peers: list[_Peer]) -> list[str]:
    lines, used = [], dict.fromkeys(("close", "middle", "far"), 0)
    for peer in peers:
        score = score_for(own.side, peer.side, seat.dice("score", fold(peer.role)))
        band, patterns = _band(score)
        text = seat.dice(band).order(patterns)[used[band] % len(patterns)]
        used[band] += 1
        cid = (
            seat.dice("cited", peer.role).pick(peer.digest.claims).cid
            if peer.digest.claims
            else "C1"
        )
        lines.append(f"- {peer.role}: {score}/5 — {capital(seat.say(text, cid=cid))}.")
    return lines


def _band(score: int) -> tuple[str, Patterns]:
    manners = phrases().manners
    if score >= 4:
        return "close", manners.close_score
    if score == 3:
        return "middle", manners.middle_score
    return "far", manners.far_score
