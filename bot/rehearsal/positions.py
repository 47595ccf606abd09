"""Who stands where, who gives in to whom, and how close two seats feel: pure and seeded."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bot.rehearsal.dice import Dice
from bot.rehearsal.phrase_types import Stance


@dataclass(frozen=True, slots=True)
class Climate:
    """The mood a topic creates: which way the room leans and how readily people give in.

    `pull` is how strongly a vote is drawn to the option that the room favours.
    """

    name: str
    lean: float
    warmth: float
    weight: float
    pull: float = 0.0


_CLIMATES = (
    Climate("accord", 2.4, 0.4, 0.14, 1.6),
    Climate("leaning in favour", 0.55, 0.55, 0.24, 0.15),
    Climate("divided", 0.0, 0.4, 0.28),
    Climate("leaning against", -0.6, 0.5, 0.16, 0.15),
    Climate("deadlock", 0.0, -1.0, 0.18),
)
_NOISE = 0.55
_LEAN_IN_VOTES = 0.55
_UNDECIDED = 0.24


@dataclass(frozen=True, slots=True)
class Tie:
    """What one seat knows of a peer: its place in the list and where it stands."""

    index: int
    side: str


def climate_of(seed: int, topic: str, mode: str) -> Climate:
    """The climate of a topic, the same for every seat of a run."""
    left = Dice(seed, "climate", topic, mode).unit() * sum(c.weight for c in _CLIMATES)
    for climate in _CLIMATES:
        left -= climate.weight
        if left < 0:
            return climate
    return _CLIMATES[-1]


def first_stance(seed: int, topic: str, mode: str, role: str, lean: float) -> Stance:
    """Where a role stands before it has heard anybody."""
    climate = climate_of(seed, topic, mode)
    noise = Dice(seed, "stance", topic, mode, role).between(-_NOISE, _NOISE)
    value = climate.lean + lean * 0.9 + noise
    if abs(value) < _UNDECIDED:
        return Stance.NEUTRAL
    return Stance.AGREE if value > 0 else Stance.DISAGREE


def first_option(
    seed: int,
    topic: str,
    role: str,
    lean: float,
    options: Sequence[str],
    favourite: int | None,
) -> int:
    """Which option a role votes for first; `favourite` is the one its role was named for.

    The room has a favourite, too, which roles that lean towards things follow more readily.
    """
    climate = climate_of(seed, topic, "vote")
    room = Dice(seed, "favour", topic)
    own = Dice(seed, "ballot", topic, role)
    pull = climate.pull + _LEAN_IN_VOTES * lean
    best = int(room.unit() * len(options))
    worth = [own.unit() + (pull if index == best else 0.0) for index in range(len(options))]
    if favourite is not None and favourite < len(options):
        worth[favourite] += 0.8
    return worth.index(max(worth))


def swayed_by(
    own: str, peers: Sequence[Tie], climate: Climate, openness: float, turn: int, dice: Dice
) -> Tie | None:
    """The peer who moves a seat off its side this round, or nobody.

    A seat moves only towards a side that more of its peers hold than its own.
    """
    readiness = climate.warmth + openness + 0.12 * (turn - 2)
    sides = Counter(peer.side for peer in peers if peer.side not in ("", Stance.NEUTRAL))
    rivals = [(count, side) for side, count in sides.items() if side != own]
    moved = dice.chance(readiness)
    if not rivals or not moved:
        return None
    count, side = max(rivals)
    if count < sides.get(own, 0) or (count == sides.get(own, 0) and own != Stance.NEUTRAL):
        return None
    return dice.pick([peer for peer in peers if peer.side == side])


def stance_after(own: Stance, other: Stance, dice: Dice) -> Stance:
    """Where a seat lands once moved: over to the other side, or first into the middle."""
    if own is Stance.NEUTRAL or dice.chance(0.4):
        return other
    return Stance.NEUTRAL


def score_for(own: str, peer: str, dice: Dice) -> int:
    """How much of a peer's position a seat shares, 1 to 5."""
    if own == peer and own:
        return 3 if own == Stance.NEUTRAL else dice.pick((4, 4, 5))
    if Stance.NEUTRAL in (own, peer) or not own or not peer:
        return dice.pick((3, 3, 4, 2))
    return dice.pick((1, 2, 2))
