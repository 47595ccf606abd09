"""How much of a second round's gain the gate of `"secondRound": "thrifty"` keeps, for how many.

Simulated debates: seats answer right or wrong with errors that go together as those of real models
do, half of the debates are votes, and some panels are of one family or have no shared evidence. A
second round gains as a public test found (docs/how-sure.md): only for models of several families
with shared evidence, and only among the 40 % most divided of their questions, there the more the
more pairs of seats disagree. The decision measured is the one the bot makes after a round.
"""

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from bot.measures.convergence import FirstRound
from bot.measures.tally import Tally
from bot.meeting.round_decision import AfterRound, after_round
from bot.panels import SecondRound
from bot.prompting.closing_lines import Ballot, Stance

RULES: tuple[SecondRound, ...] = ("always", "auto", "thrifty")
DEBATES = 20_000
SEEDS = (1, 2, 3)
SEATS = (3, 4, 5, 7)
SKILLS = (0.6, 0.85)
CORRELATION = 0.55
OPTIONS = (2, 3, 4)
FAVOURITE = 0.6
"""How often a wrong seat takes the wrong option that tempts most."""
NEUTRAL = 0.08
ONE_FAMILY = 0.2
OWN_EVIDENCE = 0.15
GAINING = 0.4
LEAST_GAIN = 0.90
MOST_RUNS = 0.45


@dataclass(frozen=True)
class Debate:
    """The state after round 1, what a second round gains, and how divided the seats are."""

    state: AfterRound
    division: float
    gain: float = 0.0

    @property
    def can_gain(self) -> bool:
        """Whether families differ and evidence is shared."""
        return self.state.first.families > 1 and self.state.first.same_evidence


def simulate(chance: random.Random) -> Debate:
    """One debate or vote after its first round."""
    seats, skill = chance.choice(SEATS), chance.uniform(*SKILLS)
    spread = (1 - CORRELATION) / CORRELATION
    easy = chance.betavariate(skill * spread, (1 - skill) * spread)
    votes = chance.random() < 0.5
    options = chance.choice(OPTIONS) if votes else 2
    tempting = chance.randrange(1, options)
    chosen: list[int | None] = [_answer(chance, easy, options, tempting) for _ in range(seats)]
    if not votes:
        chosen = [None if chance.random() < NEUTRAL else answer for answer in chosen]
    families = 1 if chance.random() < ONE_FAMILY else 2
    shared = chance.random() >= OWN_EVIDENCE
    pairs = list(combinations(chosen, 2))
    apart = sum(a != b and a is not None and b is not None for a, b in pairs)
    sides = tuple((str(answer), 1.0) for answer in chosen if answer is not None)
    first = FirstRound(sides, families, shared)
    return Debate(_state(chosen, first, votes=votes), apart / len(pairs))


def _answer(chance: random.Random, easy: float, options: int, tempting: int) -> int:
    if chance.random() < easy:
        return 0
    return tempting if chance.random() < FAVOURITE else chance.randrange(1, options)


def _state(chosen: Sequence[int | None], first: FirstRound, *, votes: bool) -> AfterRound:
    """What the bot knows; the stances of a vote follow from its ballots."""
    sides = {0: Stance.AGREE, None: Stance.NEUTRAL}
    stances = [sides.get(answer, Stance.DISAGREE) for answer in chosen]
    if votes:
        ballots = {str(seat): Ballot(str(answer)) for seat, answer in enumerate(chosen)}
        stances = list(Tally.of(1, sorted({str(a) for a in chosen}), ballots).stances().values())
    return AfterRound(
        round=1,
        planned=2,
        stances=stances,
        early_exit=not votes,
        convergence=(),
        seated=len(chosen),
        speaking=len(chosen),
        seconds_left=600,
        round_seconds=60,
        votes=votes,
        first=first,
    )


def with_gains(debates: Sequence[Debate]) -> list[Debate]:
    """Let the most divided of the debates that can gain do so; ties in any order."""
    able = sorted((d for d in debates if d.can_gain), key=lambda d: -d.division)
    gaining = round(GAINING * len(able))
    rest = [d for d in debates if not d.can_gain]
    return [*(replace(d, gain=d.division) for d in able[:gaining]), *able[gaining:], *rest]


def measure(debates: Sequence[Debate], rule: SecondRound) -> tuple[float, int]:
    """The share of the gain that a rule keeps, and how many second rounds it holds."""
    held = [d for d in debates if after_round(replace(d.state, second_round=rule)).go_on]
    return sum(d.gain for d in held) / sum(d.gain for d in debates), len(held)


def report(name: str, debates: Sequence[Debate]) -> tuple[float, float]:
    """Print what each rule keeps and holds, beside `always`; returns the figures of thrift."""
    gain, held, usual = 1.0, 0.0, measure(debates, "always")[1]
    for rule in RULES:
        gain, rounds = measure(debates, rule)
        held = rounds / usual
        print(
            f"{name}, {rule}: {gain:.1%} of the gain, {held:.1%} of the second rounds "
            f"({rounds / len(debates):.1%} of the debates)"
        )
    return gain, held


def main() -> int:
    """Measure and print."""
    found = []
    for seed in SEEDS:
        chance = random.Random(seed)
        debates = with_gains([simulate(chance) for _ in range(DEBATES)])
        found.append(report(f"seed {seed}, all panels", debates))
        report(f"seed {seed}, panels that can gain", [d for d in debates if d.can_gain])
    kept, held = min(gain for gain, _ in found), max(runs for _, runs in found)
    print(f"second_round_gain_kept: {kept:.3f} (limit {LEAST_GAIN:.3f})")
    print(f"second_round_runs_held: {held:.3f} (limit {MOST_RUNS:.3f})")
    return 0 if kept >= LEAST_GAIN and held <= MOST_RUNS else 1


if __name__ == "__main__":
    sys.exit(main())
