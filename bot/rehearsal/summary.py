"""What neutral readers write: who shares a side, the summary of a round, the digest of a search."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from bot.rehearsal.digests import LEAD, Ballot, Claim, Digest, read_ballots, read_digests, side_of
from bot.rehearsal.phrase_book import phrases
from bot.rehearsal.phrase_types import Stance
from bot.rehearsal.seat import RehearsedSeat
from bot.rehearsal.text import capital, clause, clean, cut, fold, listed, quoted

_Point = dict[str, object]
_SUMMARY_CHARS = 1800
_MAX_FACTS = 8
_FACT_CHARS = 130
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_SOURCE = re.compile(r"\[(E\d{1,2})\]")
_ADDRESS = re.compile(
    r"\bhttps?://\S+|^(?:url|link|source|title|snippet)\s*:\s*", re.IGNORECASE | re.MULTILINE
)


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


def room_of(seat: RehearsedSeat, text: str) -> Room:
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


def _side(seat: RehearsedSeat, digest: Digest, ballots: Mapping[str, Ballot]) -> str:
    ballot = ballots.get(fold(digest.role))
    if ballot is None:
        return side_of(digest, seat.ballots)
    return next((o for o in seat.ballots if fold(o) == fold(ballot.option)), ballot.option)


def thesis_of(seat: RehearsedSeat, digest: Digest) -> str:
    """A digest's thesis without the lead that tells its side."""
    _, colon, rest = digest.thesis.partition(": ")
    text, quote = quoted(rest if colon else digest.thesis, 160), seat.topic.quote
    bare = quote[1:-1].rstrip(" ?!.")
    if bare and text.endswith(bare):
        return text.removesuffix(bare) + quote
    return text.replace(quote[1:-1], quote)


def claim_of(seat: RehearsedSeat, digest: Digest, number: int = 0) -> str:
    """One of a digest's own claims as a clause, or its thesis when it has none."""
    own = [claim.text for claim in digest.own_claims]
    return quoted(clause(own[number % len(own)]), 110) if own else thesis_of(seat, digest)


def write_summary(seat: RehearsedSeat) -> str:
    """The summary of a round as one JSON object."""
    room = room_of(seat, seat.value("ROUND_ANSWERS"))
    earlier = seat.value("ROLLING_SUMMARY")
    return json.dumps(
        {
            "summary": cut(_summary(seat, room), _SUMMARY_CHARS),
            "consensus": _consensus(seat, room),
            "disagreement": _disagreement(seat, room),
            "new_points": _new_points(room, earlier),
        },
        ensure_ascii=False,
        indent=1,
    )


def _summary(seat: RehearsedSeat, room: Room) -> str:
    parts = [f"On {seat.topic.quote}, {len(room.voices)} seats were heard."]
    parts += [
        f"{capital(_lead(group.side))}: {listed(group.roles)}."
        for group in room.groups
        if group.side
    ]
    for voice in (group.members[0] for group in room.groups[:1]):
        lead = quoted(voice.thesis.partition(":")[0], 30) or "Open"
        spoken = seat.say(
            phrases().conclusion.spoken,
            role=voice.role,
            thesis=thesis_of(seat, voice),
            claim=claim_of(seat, voice),
            lead=lead[:1].lower() + lead[1:],
        )
        parts.append(spoken)
    return " ".join(parts)


def _lead(side: str) -> str:
    return LEAD[Stance(side)] if side in set(Stance) else f"For {side}"


def _consensus(seat: RehearsedSeat, room: Room) -> list[_Point]:
    groups = [g for g in room.groups if len(g.members) > 1 and g.side not in ("", Stance.NEUTRAL)]
    points = [_point(thesis_of(seat, group.members[0]), group.roles) for group in groups[:1]]
    if len(room.groups) == 1 and groups:
        points += [
            _point(claim_of(seat, member), [member.role]) for member in groups[0].members[:2]
        ]
    return points


def _disagreement(seat: RehearsedSeat, room: Room) -> list[_Point]:
    points = []
    for one, other in _opposed(room):
        number = int(seat.dice("dispute", one.role).unit() * 3)
        text = f"{claim_of(seat, one, number)}; against that, {claim_of(seat, other, number)}"
        points.append(_point(text, [one.role, other.role]))
    return points


def _opposed(room: Room) -> list[tuple[Digest, Digest]]:
    groups: list[Group] = [group for group in room.groups if group.side]
    if len(groups) < 2:
        return []
    first, *others = groups
    rivals = [member for group in others for member in group.members]
    return [(first.members[n % len(first.members)], rival) for n, rival in enumerate(rivals)][:3]


def _new_points(room: Room, earlier: str) -> list[_Point]:
    known = fold(earlier)
    points = []
    for voice in room.voices:
        fresh = [c for c in voice.claims[1:] if fold(c.text) not in known]
        points += [_point(quoted(claim.text, 140), [voice.role]) for claim in fresh[:1]]
    return points


def _point(text: str, roles: list[str]) -> _Point:
    return {"text": capital(text), "from": roles}


def write_search_digest(seat: RehearsedSeat) -> str:
    """At most 250 words: the date, then one line per result."""
    day = _DATE.search(seat.value("DATE"))
    facts = _facts(seat.value("RESULTS"))
    lines = [f"Searched on {day.group() if day else 'an unknown day'}."]
    lines += [f"- {text} [{source}]" for source, text in facts]
    return "\n".join(lines if facts else [*lines, "No relevant real-time data found."])


def _facts(results: str) -> list[tuple[str, str]]:
    pieces = _SOURCE.split(results)
    facts: dict[str, str] = {}
    for source, body in zip(pieces[1::2], pieces[2::2], strict=False):
        lines = [clause(clean(line)) for line in _ADDRESS.sub(" ", body).splitlines()]
        text = cut(": ".join(line for line in lines[:3] if line), _FACT_CHARS)
        if text:
            facts.setdefault(source, capital(text))
    return list(facts.items())[:_MAX_FACTS]
