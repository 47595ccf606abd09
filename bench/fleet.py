"""Gateways, workers and Postgres as real processes: what faults, a rolling restart and scale do.

The embedded Discord, the people and the models are in this process; everything else is as people
run it. Part `faults`: two gateways and three workers hold roundtables in several servers while one
fault after the other strikes, each in the phase that was hit least so far; what ends is started
again as systemd does it. Then every thread is compared with the journal and with what was paid.
Part `rolling`: every process is replaced one after the other while people press buttons all the
time. Part `cost`: CPU seconds for each roundtable with one, two and four workers, and of one
process on SQLite beside it.
"""

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support.fleet_arena import Role, fleet_arena
from bench.support.fleet_cost import Cost, measure
from bench.support.fleet_faults import DEATHS, FaultCampaign
from bench.support.fleet_judge import judge_fleet, percentile, recoveries, told
from bench.support.fleet_people import People
from bench.support.fleet_rolling import RollingRestart
from bench.support.fleet_watch import PHASES, FleetWatch
from tests.support.postgres_server import PostgresServer, running_server

PARTS = ("faults", "rolling", "cost")
MODEL_SECONDS = 1.0
MOST_FROM_ONE_TO_FOUR = 1.15
MOST_OF_ONE_PROCESS = 2.5
LONGEST_RECOVERY = 10.0
LONGEST_PRESS = 3.0
ROLLING_MODEL_SECONDS = 6.0
COST_MODEL_SECONDS = 0.3

FLEET: tuple[Role, ...] = ("worker", "worker", "worker", "gateway", "gateway")

Figure = tuple[str, float, float]
"""Its name, its value and the most it may be."""


async def faults(
    server: PostgresServer, home: Path, dice: random.Random, options: argparse.Namespace
) -> list[Figure]:
    """Let faults strike, and judge what is left."""
    async with fleet_arena(home, server, dice, MODEL_SECONDS) as arena:
        for role in FLEET:
            await arena.start(role)
        await arena.ready()
        watch = FleetWatch(arena)
        campaign = FaultCampaign(People(watch, dice, options.runs), dice)
        await campaign.run(options.faults)
        toll = await judge_fleet(watch)
        found = recoveries(watch, campaign.deaths)
        limits, starts = arena.discord.limits.violations, arena.starts.refused
        if options.keep:
            keep_logs(watch, options.keep / "faults", campaign.timeline)
    print_faults(campaign, found)
    for finding in toll.findings:
        print(f"  {finding}")
    questions = campaign.people.questions
    print(f"{toll.started} roundtables, {questions} questions to panelists")
    print(f"answers that had ended but were not recorded {toll.unrecorded} (cannot be helped)")
    died = [seconds for kind in DEATHS for seconds in found.get(kind, ())]
    return [
        ("recorded calls paid again", toll.paid_again, 0),
        ("lost", toll.lost, 0),
        ("doubled posts", toll.doubled, 0),
        ("out of order", toll.out_of_order, 0),
        ("roundtables that did not end", toll.started - toll.finished, 0),
        (
            "seconds until a dead worker's run goes on (p95)",
            percentile(died, 0.95),
            LONGEST_RECOVERY,
        ),
        ("requests above Discord's 50 a second", limits, 0),
        ("identifies too soon", starts, 0),
    ]


async def rolling(
    server: PostgresServer, home: Path, dice: random.Random, options: argparse.Namespace
) -> list[Figure]:
    """Replace every process while meetings run and people press."""
    async with fleet_arena(home, server, dice, ROLLING_MODEL_SECONDS, direct=True) as arena:
        for role in FLEET:
            await arena.start(role)
        await arena.ready()
        restart = RollingRestart(arena, dice, options.meetings)
        await restart.run()
        toll = await judge_fleet(restart.watch)
        limits = arena.discord.limits.violations
        if options.keep:
            keep_logs(restart.watch, options.keep / "rolling", restart.presses.when)
    presses = restart.presses
    print(f"meetings under way at each replacement: {restart.under_way}")
    print(f"{len(presses.waited)} presses, median {percentile(presses.waited, 0.5):.3f} s")
    for line in [*presses.when, *toll.findings]:
        print(f"  {line}")
    return [
        ("errors that people saw", presses.errors.total(), 0),
        (
            "seconds until a press is answered (p99)",
            percentile(presses.waited, 0.99),
            LONGEST_PRESS,
        ),
        ("rolling: lost, doubled, out of order, paid again", toll.wrong, 0),
        ("rolling: requests above Discord's 50 a second", limits, 0),
    ]


async def cost(
    server: PostgresServer, home: Path, dice: random.Random, options: argparse.Namespace
) -> list[Figure]:
    """CPU seconds of a meeting, by the number of workers and in one process."""
    found: dict[str, Cost] = {}
    violations = 0
    setups: dict[str, tuple[Role, ...]] = {"one process on SQLite": ("run",)}
    for number in (1, 2, 4):
        name = f"{number} worker{'s' if number > 1 else ''}"
        setups[name] = (*("worker",) * number, "gateway", "gateway")
    for name, roles in setups.items():
        place = home / name.replace(" ", "-")
        place.mkdir()
        async with fleet_arena(place, server, dice, COST_MODEL_SECONDS, direct=True) as arena:
            found[name] = await measure(arena, name, roles, options.cost_meetings)
            violations += arena.discord.limits.violations
        print(found[name].line(), flush=True)
    single, one, *_, four = (each.each for each in found.values())
    return [
        ("CPU of a meeting, 4 workers to 1", four / one, MOST_FROM_ONE_TO_FOUR),
        ("CPU of a meeting, 4 workers to one process", four / single, MOST_OF_ONE_PROCESS),
        ("cost: requests above Discord's 50 a second", violations, 0),
    ]


def print_faults(campaign: FaultCampaign, found: dict[str, list[float]]) -> None:
    """A line for each kind of fault: how often in each phase, and how fast runs went on."""
    print(f"{'fault':41}" + "".join(f"{phase:>10}" for phase in PHASES) + "   went on (p95, of)")
    for kind in sorted({kind for kind, _ in campaign.hits}):
        counts = "".join(f"{campaign.hits[kind, phase]:>10}" for phase in PHASES)
        went = found.get(kind, [])
        told = f"{percentile(went, 0.95):8.1f} s, {len(went)}" if went else ""
        print(f"{kind:41}{counts}   {told}")


def keep_logs(watch: FleetWatch, place: Path, timeline: list[str]) -> None:
    """Copy what the processes wrote, what struck them, and what became of every roundtable."""
    place.mkdir(parents=True, exist_ok=True)
    for log in watch.arena.home.glob("*/log"):
        (place / f"{log.parent.name}.log").write_bytes(log.read_bytes())
    (place / "timeline").write_text("\n".join(timeline), encoding="utf-8")
    for run in watch.runs.values():
        number = run.topic.split()[1].rstrip(":")
        lines = [run.run_id, *told(watch.arena, run)]
        (place / f"topic-{number}").write_text("\n".join(lines), encoding="utf-8")


async def run(server: PostgresServer, options: argparse.Namespace) -> int:
    """Run the parts that were asked for and print every figure."""
    # The judge goes by the database's clock, which then tells when each entry was committed.
    await server.execute("ALTER SYSTEM SET track_commit_timestamp = on")
    await asyncio.to_thread(server.stop)
    server.start()
    await server.ready()
    figures: list[Figure] = []
    for part in options.only or PARTS:
        print(f"-- {part}", flush=True)
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as home:
            measure = {"faults": faults, "rolling": rolling, "cost": cost}[part]
            figures += await measure(server, Path(home), random.Random(options.seed), options)
        print(f"-- {part} took {time.monotonic() - began:.0f} s", flush=True)
    for name, value, limit in figures:
        print(f"{name}: {value:.6g} (limit {limit:g})")
    return int(any(value > limit for _, value, limit in figures))


def main() -> int:
    """Read the arguments, start Postgres and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=60)
    parser.add_argument("--runs", type=int, default=40, help="roundtables during the faults")
    parser.add_argument("--meetings", type=int, default=20, help="during the rolling restart")
    parser.add_argument("--cost-meetings", type=int, default=20, help="for each number of workers")
    parser.add_argument("--only", choices=PARTS, action="append", help="a part; may be repeated")
    parser.add_argument("--keep", type=Path, help="a folder that gets the logs of all processes")
    options = parser.parse_args()
    # The servers would report every connection that a kill tears.
    logging.disable(logging.CRITICAL)
    with running_server() as server:
        return asyncio.run(run(server, options))


if __name__ == "__main__":
    sys.exit(main())
