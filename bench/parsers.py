"""Every parser on hostile texts of 100 kB and 200 kB: how much longer the longer ones take.

Each piece that could trap a careless pattern is repeated to fill the text. A parser that reads in
linear time takes twice as long for twice the text; one that looks back takes four times as long.
"""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIZE = 100_000
RUNS = 3
LIMIT = 2.6
# Below this, what is measured is the call and not the text.
LEAST_SECONDS = 0.002


def seconds(parse: Callable[[str], object], texts: Sequence[str]) -> list[float]:
    """CPU time for each text: the smallest of several runs, in turns so that load hits all."""
    runs = [[_once(parse, text) for text in texts] for _ in range(RUNS)]
    return [min(times) for times in zip(*runs, strict=True)]


def _once(parse: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    parse(text)
    return time.process_time() - start


def main() -> int:
    """Measure every parser and print the worst ratio."""
    sys.path.insert(0, str(ROOT))
    from tests.prompting.hostile_texts import PARSERS, PIECES, repeated

    pieces = (*PIECES, "".join(PIECES))
    worst = 0.0
    print(f"{len(pieces)} texts each       100 kB     200 kB   ratio")
    for name, parse in sorted(PARSERS.items()):
        times = [seconds(parse, [repeated(p, SIZE), repeated(p, 2 * SIZE)]) for p in pieces]
        once, twice = (sum(column) for column in zip(*times, strict=True))
        ratio = twice / max(once, LEAST_SECONDS)
        worst = max(worst, ratio)
        print(f"{name:15} {once * 1000:8.1f} ms {twice * 1000:7.1f} ms   {ratio:5.2f}")
    print(f"parsers: {worst:.2f} (limit {LIMIT:g})")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
