"""Many random sequences on the floor: `python -m tests.floor.campaign --sequences 10000`.

Seeded, so that every run sees the same sequences. A violation is shortened to the fewest steps
that still show it, printed, and ends the campaign with 1.
"""

import argparse
import random
import sys
import time
from collections import Counter

from bot.floor import Closed
from tests.floor.invariants import BrokenInvariantError
from tests.floor.simulation import ACTIONS, Step, World, run_sequence

SHORTEST, LONGEST = 30, 60


def sequence(seed: int) -> list[Step]:
    """The steps that belong to a seed."""
    chance = random.Random(seed)
    length = chance.randint(SHORTEST, LONGEST)
    return [(chance.randrange(len(ACTIONS)), chance.randrange(10_000)) for _ in range(length)]


def violation(seed: int, steps: list[Step]) -> BrokenInvariantError | None:
    """The promise a sequence breaks, if it breaks one."""
    try:
        run_sequence(seed, steps)
    except BrokenInvariantError as broken:
        return broken
    return None


def shortened(seed: int, steps: list[Step]) -> list[Step]:
    """The sequence without every step that is not needed to break the promise."""
    place = 0
    while place < len(steps):
        without = steps[:place] + steps[place + 1 :]
        if violation(seed, without):
            steps = without
        else:
            place += 1
    return steps


def reasons_of(world: World) -> Counter[str]:
    """How the exchanges of a world ended."""
    return Counter(
        str(decision.reason) for decision in world.decisions if isinstance(decision, Closed)
    )


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sequences", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began, steps, ends = time.monotonic(), 0, Counter[str]()
    for seed in range(options.seed, options.seed + options.sequences):
        try:
            world = run_sequence(seed, sequence(seed))
        except BrokenInvariantError:
            short = shortened(seed, sequence(seed))
            print(f"seed {seed} breaks a promise in {len(short)} steps:\n{violation(seed, short)}")
            return 1
        steps += len(world.said)
        ends.update(reasons_of(world))
    print(f"{options.sequences} sequences, {steps} events, {time.monotonic() - began:.1f} s")
    print("ended: " + ", ".join(f"{reason} {count}" for reason, count in ends.most_common()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
