"""The room as a neutral reader sees it: who spoke, and which seats share a side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.rehearsal.ballots import Ballot, read_ballots
from bot.rehearsal.digests import Claim, Digest, read_digests, side_of
from bot.rehearsal.positions import Stance
from bot.rehearsal.seat import Seat
from bot.rehearsal.text import clause, clean, fold
from bot.rehearsal.writers.common import CONCEDED, plain


@dataclass(frozen=True, slots=True)
class Group:
    """The seats of one side."""

    side: str
    members: tuple[Digest, ...]

    @property
    def roles(self) -> list[str]:
        """The roles of the side, in the order they spoke."""
        return [member.role for member in self.members]


@dataclass(frozen=True, slots=True)
class Room:
    """Everybody who spoke, in groups, the largest first."""

    groups: tuple[Group, ...]

    @property
    def voices(self) -> list[Digest]:
        """Everybody who spoke."""
        return [member for group in self.groups for member in group.members]

    @property
    def leading(self) -> Group | None:
        """The largest group that has taken a side, if it is larger than every other one."""
        sided = [g for g in self.groups if g.side not in ("", Stance.NEUTRAL)]
        if not sided or (len(sided) > 1 and len(sided[0].members) == len(sided[1].members)):
            return None
        return sided[0]


def room_of(seat: Seat, text: str) -> Room:
    """The room behind labelled digests or whole answers; ballots, if known, tell the sides."""
    ballots = read_ballots(seat.value("BALLOTS")) if seat.votes else {}
    by_side: dict[str, list[Digest]] = {}
    for digest in _everybody(text, ballots):
        by_side.setdefault(_side(seat, digest, ballots), []).append(digest)
    groups = [Group(side, tuple(members)) for side, members in by_side.items()]
    groups.sort(key=lambda group: (not group.side, -len(group.members)))
    return Room(tuple(groups))


def _everybody(text: str, ballots: Mapping[str, Ballot]) -> list[Digest]:
    """Everybody with a digest, and whoever has only cast a ballot."""
    heard = [digest for digest in read_digests(text) if digest.role]
    known = {fold(digest.role) for digest in heard}
    silent = [ballot for role, ballot in ballots.items() if role not in known]
    return [*heard, *(_from_ballot(ballot) for ballot in silent)]


def _from_ballot(ballot: Ballot) -> Digest:
    reason = clean(ballot.reason)
    claims = (Claim("C1", reason),) if reason else ()
    return Digest(ballot.role, f"For {ballot.option or 'no option'}: {reason}", claims)


def _side(seat: Seat, digest: Digest, ballots: Mapping[str, Ballot]) -> str:
    ballot = ballots.get(fold(digest.role))
    if ballot is None:
        return side_of(digest, seat.ballots)
    return next((o for o in seat.ballots if fold(o) == fold(ballot.option)), ballot.option)


def thesis_of(seat: Seat, digest: Digest) -> str:
    """A digest's thesis without the lead that tells its side."""
    _, colon, rest = digest.thesis.partition(": ")
    text, quote = plain(rest if colon else digest.thesis, 160), seat.topic.quote
    bare = quote[1:-1].rstrip(" ?!.")
    if bare and text.endswith(bare):
        return text.removesuffix(bare) + quote
    return text.replace(quote[1:-1], quote)


def claim_of(seat: Seat, digest: Digest, number: int = 0) -> str:
    """One of a digest's own claims as a clause, or its thesis when it has none."""
    own = [claim.text for claim in digest.claims if not CONCEDED.search(claim.text)]
    return plain(clause(own[number % len(own)]), 110) if own else thesis_of(seat, digest)


def listed(roles: Sequence[str]) -> str:
    """Roles as a list in a sentence."""
    if len(roles) < 2:
        return "".join(roles)
    return f"{', '.join(roles[:-1])} and {roles[-1]}"
