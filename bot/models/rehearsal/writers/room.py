"""The room as a neutral reader sees it: who spoke, and which seats share a side."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.models.rehearsal.digests import Digest, read_digests, side_of
from bot.models.rehearsal.positions import Stance
from bot.models.rehearsal.seat import Seat
from bot.models.rehearsal.text import clause
from bot.models.rehearsal.writers.common import plain

_CONCEDED = re.compile(r"\bC\d\b")


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
    """The room behind labelled digests or whole answers."""
    by_side: dict[str, list[Digest]] = {}
    for digest in read_digests(text):
        if digest.role:
            by_side.setdefault(side_of(digest, seat.ballots), []).append(digest)
    groups = [Group(side, tuple(members)) for side, members in by_side.items()]
    groups.sort(key=lambda group: -len(group.members))
    return Room(tuple(groups))


def thesis_of(seat: Seat, digest: Digest) -> str:
    """A digest's thesis without the lead that tells its side."""
    _, colon, rest = digest.thesis.partition(": ")
    quote = seat.topic.quote
    return plain(rest if colon else digest.thesis, 160).replace(quote[1:-1], quote)


def claim_of(seat: Seat, digest: Digest, number: int = 0) -> str:
    """One of a digest's own claims as a clause, or its thesis when it has none."""
    own = [claim.text for claim in digest.claims if not _CONCEDED.search(claim.text)]
    return plain(clause(own[number % len(own)]), 110) if own else thesis_of(seat, digest)


def listed(roles: Sequence[str]) -> str:
    """Roles as a list in a sentence."""
    if len(roles) < 2:
        return "".join(roles)
    return f"{', '.join(roles[:-1])} and {roles[-1]}"
