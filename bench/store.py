"""Durable transactions of the store beside raw aiosqlite that commits each one, in the same run.

A transaction is what a meeting writes for every answer: the answer's row and its event. Fifty
tasks write at once, each its next one as soon as the last is committed. The raw side does the same
two inserts by hand on a connection with the same settings. Rounds take turns, so that a busy disk
slows both; the ratio is the median of the rounds' ratios.
"""

import argparse
import asyncio
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiosqlite
from sqlalchemy import Connection

from bot.store import EventType, Store
from bot.store.engine.sqlite import WRITER_SETTINGS
from bot.store.log import events
from bot.store.repositories.answers import AnswerRepository, StoredAnswer
from bot.store.repositories.runs import NewRun, Run, RunRepository, TopicPlace
from bot.store.vocabulary import Actor
from bot.types.mode import Mode

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

LIMIT = 0.7
WRITERS = 50
TEXT = "The answer of a seat has a few hundred characters, and some of them are not ASCII: é. " * 6
INSERT_ANSWER = "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
INSERT_EVENT = (
    "INSERT INTO events (run_id, type, key, actor, payload, created_at) VALUES (?, ?, ?, ?, ?, ?)"
)

Write = Callable[[str], Awaitable[None]]
Read = Callable[[Callable[[Connection], Run]], Awaitable[Run]]


def written(run_id: str, key: str) -> Callable[[Connection], bool]:
    """The transaction on the store's side."""
    answer = StoredAnswer(run_id, key, "analyst", 1, TEXT, 1.0, "digest", "AGREE", {"score": 7})
    payload = {"seat": "analyst", "tokens": 321}

    def work(conn: Connection) -> bool:
        AnswerRepository(conn).save(answer)
        done = EventType.CALL_DONE
        return events.append(conn, run_id, done, key, Actor.ORCHESTRATOR, payload, 1.0)

    return work


def store_side(store: Store, run_id: str) -> Write:
    """Write through the store."""

    async def write(key: str) -> None:
        await store.write(written(run_id, key))

    return write


def raw_side(raw: aiosqlite.Connection, run_id: str) -> Write:
    """Write by hand, each transaction with a commit of its own."""
    turn = asyncio.Lock()
    parsed, payload = json.dumps({"score": 7}), json.dumps({"seat": "analyst", "tokens": 321})

    async def write(key: str) -> None:
        answer = (run_id, key, "analyst", 1, TEXT, "digest", "AGREE", parsed, 0, 1.0)
        event = (run_id, "call.done", key, "orchestrator", payload, 1.0)
        async with turn:
            await raw.execute("BEGIN IMMEDIATE")
            await raw.execute(INSERT_ANSWER, answer)
            await raw.execute(INSERT_EVENT, event)
            await raw.commit()

    return write


async def per_second(write: Write, keys: "itertools.count[int]", transactions: int) -> float:
    """How many transactions fifty writers get committed in a second."""
    left = iter(range(transactions))

    async def work() -> None:
        for _ in left:
            await write(f"r1:{next(keys)}")

    began = time.perf_counter()
    await asyncio.gather(*(work() for _ in range(WRITERS)))
    return transactions / (time.perf_counter() - began)


async def alone(write: Write, keys: "itertools.count[int]", transactions: int) -> str:
    """What one writer waits for each commit."""
    waits: list[float] = []
    for _ in range(transactions):
        began = time.perf_counter()
        await write(f"r1:{next(keys)}")
        waits.append((time.perf_counter() - began) * 1000)
    cuts = statistics.quantiles(waits, n=20)
    return f"p50 {cuts[9]:.2f} ms, p95 {cuts[18]:.2f} ms"


async def per_read(read: Read, run_id: str, times: int) -> str:
    """What one small read costs."""
    began = time.process_time()
    for _ in range(times):
        await read(lambda conn: RunRepository(conn).require(run_id))
    return f"{(time.process_time() - began) / times * 1e6:.0f} µs of CPU"


async def a_run(store: Store) -> str:
    """The id of a run to write about."""
    new = NewRun(TopicPlace(1, 20, Mode.DEBATE, "tabs"), 20, 300, 4000, "Tabs?", seed=7)
    started = await store.write(
        lambda c: RunRepository(c).start(new, Actor.ORCHESTRATOR, store.now())
    )
    return started.run.id


async def measure(folder: Path, rounds: int, transactions: int) -> float:
    """Let both sides take turns on files of their own with the same tables."""
    twin = await Store.open(folder / "raw.db")
    raw_run = await a_run(twin)
    await twin.close()
    store = await Store.open(folder / "store.db")
    raw = await aiosqlite.connect(folder / "raw.db", isolation_level=None)
    try:
        for setting in WRITER_SETTINGS:
            await raw.execute(setting)
        run_id = await a_run(store)
        ours, theirs = store_side(store, run_id), raw_side(raw, raw_run)
        keys, ratios = itertools.count(), []
        for number in range(rounds + 1):
            fast = await per_second(ours, keys, transactions)
            peer = await per_second(theirs, keys, transactions)
            if number:  # the first round warms both up
                print(f"store {fast:7.0f}/s   raw aiosqlite {peer:7.0f}/s   {fast / peer:.2f}")
                ratios.append(fast / peer)
        print(f"one writer alone, store:         {await alone(ours, keys, transactions // 4)}")
        print(f"one writer alone, raw aiosqlite: {await alone(theirs, keys, transactions // 4)}")
        print(f"one small read, in place:    {await per_read(store.read, run_id, transactions)}")
        print(f"one small read, in a thread: {await per_read(store.scan, run_id, transactions)}")
    finally:
        await raw.close()
        await store.close()
    return statistics.median(ratios)


def main() -> int:
    """Print the rounds and the ratio; 1 when it is too small."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--transactions", type=int, default=2000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ratio = asyncio.run(measure(Path(folder), options.rounds, options.transactions))
    print(f"store_throughput: {ratio:.2f} (limit {LIMIT:.2f})")
    return 0 if ratio >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
