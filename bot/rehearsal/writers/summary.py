"""The rolling summary after a round: JSON with the points and who made them."""

import json

from bot.rehearsal.digests import LEAD, Digest
from bot.rehearsal.phrases import conclusions as say
from bot.rehearsal.positions import Stance
from bot.rehearsal.seat import Seat
from bot.rehearsal.text import capital, cut, fold
from bot.rehearsal.writers.common import quoted
from bot.rehearsal.writers.room import Group, Room, claim_of, listed, room_of, thesis_of

Point = dict[str, object]
SUMMARY_CHARS = 1800


def write_summary(seat: Seat) -> str:
    """The summary of a round as one JSON object."""
    room = room_of(seat, seat.value("ROUND_ANSWERS"))
    earlier = seat.value("ROLLING_SUMMARY")
    return json.dumps(
        {
            "summary": cut(_summary(seat, room), SUMMARY_CHARS),
            "consensus": _consensus(seat, room),
            "disagreement": _disagreement(seat, room),
            "new_points": _new_points(room, earlier),
        },
        ensure_ascii=False,
        indent=1,
    )


def _summary(seat: Seat, room: Room) -> str:
    dice = seat.dice("summary")
    parts = [f"On {seat.topic.quote}, {len(room.voices)} seats were heard."]
    parts += [
        f"{capital(_lead(group.side))}: {listed(group.roles)}."
        for group in room.groups
        if group.side
    ]
    for voice, pattern in zip(room.voices, _cycle(dice.order(say.SPOKEN), room), strict=False):
        slots = {
            "role": voice.role,
            "thesis": thesis_of(seat, voice),
            "claim": claim_of(seat, voice),
        }
        lead = quoted(voice.thesis.partition(":")[0], 30) or "Open"
        parts.append(seat.say(pattern, lead=lead[:1].lower() + lead[1:], **slots))
    return " ".join(parts)


def _cycle(patterns: list[str], room: Room) -> list[str]:
    return [patterns[number % len(patterns)] for number in range(len(room.voices))]


def _lead(side: str) -> str:
    return LEAD[Stance(side)] if side in set(Stance) else f"For {side}"


def _consensus(seat: Seat, room: Room) -> list[Point]:
    groups = [g for g in room.groups if len(g.members) > 1 and g.side not in ("", Stance.NEUTRAL)]
    points = [_point(thesis_of(seat, group.members[0]), group.roles) for group in groups[:1]]
    if len(room.groups) == 1 and groups:
        points += [
            _point(claim_of(seat, member), [member.role]) for member in groups[0].members[:2]
        ]
    return points


def _disagreement(seat: Seat, room: Room) -> list[Point]:
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


def _new_points(room: Room, earlier: str) -> list[Point]:
    known = fold(earlier)
    points = []
    for voice in room.voices:
        fresh = [c for c in voice.claims[1:] if fold(c.text) not in known]
        points += [_point(quoted(claim.text, 140), [voice.role]) for claim in fresh[:1]]
    return points


def _point(text: str, roles: list[str]) -> Point:
    return {"text": capital(text), "from": roles}
