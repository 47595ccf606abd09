"""Wall time of a full run over the critical path of its calls: alone, and a hundred at once.

Every model answers after a known time from a server in a process of its own: the times of real
models, 8 to 32 s for a seat, divided by two. The critical path is the slowest call of each step
that asks in parallel, summed over the steps. Runs, store, prompts and the adapter are the real
ones; nothing is posted, so that no time of Discord's counts. A run lasts from the request until its
card is closed, the last thing people wait for; its files are written after that, and how much later
the last one was is printed beside it. Of a hundred runs the slowest counts. Both are measured
several times and the best batch counts, because other work on the machine can only add to it.
"""

import asyncio
import resource
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support.model_process import model_process
from support.run_service import (
    ANALYSTS,
    COORDINATOR,
    WRITER,
    Hall,
    a_design,
    a_panel,
    a_request,
    open_hall,
)

from bot import front
from bot.store.repositories.calls import Call

FACTOR = 2
"""How much shorter than in reality every answer is."""
SEATS = {"seat-8": 8.0, "seat-16": 16.0, "seat-24": 24.0, "seat-32": 32.0}
REAL_SECONDS = {**SEATS, **dict.fromkeys(ANALYSTS, 20.0), COORDINATOR: 8.0, WRITER: 40.0}
LATENCIES = {model: seconds / FACTOR for model, seconds in REAL_SECONDS.items()}
ROUNDS = 2
MANY = 100
TIMES = 1
TIMES_MANY = 2
LIMIT_ONE = 1.03
LIMIT_HUNDRED = 1.10


@dataclass(frozen=True)
class Measured:
    """Some runs that began in the same instant."""

    worst: float
    mean: float
    path_seconds: float
    files_seconds: float
    cpu_seconds: float
    peak_mb: float


def critical_path(calls: Sequence[Call]) -> float:
    """The seconds that no scheduling could save: the slowest call of every step."""
    slowest: defaultdict[str, float] = defaultdict(float)
    for call in calls:
        step = call.key.partition(":")[0]
        slowest[step] = max(slowest[step], LATENCIES[call.model])
    slowest.pop("summary")  # each is written beside a slower step
    return sum(slowest.values())


def peak_mb() -> float:
    """The most memory this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def measure(holder: Hall, first: int, count: int) -> Measured:
    """Start so many runs at once and wait until the last one is over."""
    cpu, began = time.process_time(), time.monotonic()
    numbers = range(first, first + count)
    run_ids = await asyncio.gather(*(holder.start_run(n, a_request()) for n in numbers))
    await holder.run_service.idle()
    over = time.monotonic()
    cpu = time.process_time() - cpu
    paths = [critical_path(await holder.calls(run_id)) for run_id in run_ids]
    assert all(holder.stage.succeeded[run_id] for run_id in run_ids)
    walls = [holder.stage.ended_at[run_id] - began for run_id in run_ids]
    ratios = [wall / path for wall, path in zip(walls, paths, strict=True)]
    files = over - began - max(walls)
    return Measured(max(ratios), sum(ratios) / count, max(paths), files, cpu / count, peak_mb())


async def measure_all(home: Path, url: str) -> tuple[Measured, Measured]:
    """Single runs, the first of which pays for imports, and then hundreds."""
    print(f"answers           {FACTOR} times faster than in reality")
    print(f"event loop        {type(asyncio.get_running_loop()).__module__.partition('.')[0]}")
    async with open_hall(home, a_panel(tuple(SEATS), url)) as holder:
        alone = [await shown("one run", holder, number, 1) for number in range(1, TIMES + 1)]
        firsts = range(TIMES + 1, TIMES + 1 + TIMES_MANY * MANY, MANY)
        many = [await shown(f"{MANY} runs at once", holder, first, MANY) for first in firsts]
    return _best(alone), _best(many)


def _best(batches: Sequence[Measured]) -> Measured:
    return min(batches, key=lambda found: found.worst)


async def shown(name: str, holder: Hall, first: int, count: int) -> Measured:
    """Measure one batch and print what was measured."""
    found = await measure(holder, first, count)
    print(
        f"{name:17} ratio {found.worst:.3f}   mean {found.mean:.3f}   critical path "
        f"{found.path_seconds:5.2f} s   files {found.files_seconds:.2f} s later   "
        f"CPU per run {found.cpu_seconds * 1000:4.0f} ms   peak {found.peak_mb:4.0f} MB",
        flush=True,
    )
    return found


def main() -> int:
    """Measure and print both ratios."""
    front.collect_less_often()
    texts = dict.fromkeys(ANALYSTS, a_design(tuple(SEATS), ROUNDS))
    with tempfile.TemporaryDirectory() as home, model_process(LATENCIES, texts) as url:
        one, hundred = front.run(measure_all(Path(home), url))
    print(f"memory per run    {(hundred.peak_mb - one.peak_mb) * 1024 / MANY:.0f} kB at its peak")
    print(f"critical_path_one: {one.worst:.3f} (limit {LIMIT_ONE:.2f})")
    print(f"critical_path_hundred: {hundred.worst:.3f} (limit {LIMIT_HUNDRED:.2f})")
    return 0 if one.worst <= LIMIT_ONE and hundred.worst <= LIMIT_HUNDRED else 1


if __name__ == "__main__":
    sys.exit(main())
