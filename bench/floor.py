"""Decisions per second of the pure floor, what sleeping threads cost, and how soon people hear.

A conversation is a person's question to all, five turns with all their events, and the end. A
thread sleeps once a question in it was answered and it still remembers that; names and ids are its
own, as they are in a bot that read them from its database. The third part is the whole bot: see
`bench/support/talking.py`.
"""

import asyncio
import gc
import sys
import time
import tracemalloc

from support.talking import added_latencies

from bot.floor import (
    Claim,
    Event,
    Floor,
    FloorConfig,
    FloorRegistry,
    FloorSeat,
    Granted,
    Human,
    Observed,
    Output,
    RunStarted,
    Sending,
    Sent,
    Tick,
    Wake,
)

LEAST_PER_SECOND = 10_000
MOST_ADDED_MS = 150
MOST_BYTES = 2000
THREADS = 10_000
CONVERSATIONS = 400
HOPS = 5
NAMES = ("Analyst", "Devil's Advocate", "Builder", "Economist", "Judge")
ANSWER = "Because the costs come first and the benefits later. " * 20
CONFIG = FloorConfig(max_bot_hops=HOPS)


class Driver:
    """Feeds one floor and counts its decisions."""

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.now = 0
        self.next_id = 1
        self.decided = 0

    def tell(self, event: Event) -> tuple[object, ...]:
        """One event."""
        decisions = self.floor.handle(event, self.now)
        self.decided += len(decisions)
        return decisions

    def fresh_id(self) -> int:
        """A message id."""
        self.next_id += 1
        return self.next_id

    def converse(self) -> None:
        """One question to all and every turn that follows from it."""
        self.ask(Human(self.fresh_id(), 1, "Ada", "What now?", for_all=True))

    def ask(self, question: Human) -> None:
        """A question, and turns until nobody is woken any more."""
        decisions = self.tell(question)
        while woken := [one.agent for one in decisions if isinstance(one, Wake)]:
            self.turn(woken[0])
            self.now += CONFIG.settle_ms
            decisions = self.tell(Tick())

    def turn(self, agent: str) -> None:
        """One whole turn, with the echo of its message."""
        grant = self.tell(Claim(agent))[0]
        assert isinstance(grant, Granted)
        self.tell(RunStarted(agent, grant.claim))
        self.tell(Output(agent, grant.claim, ANSWER))
        self.tell(Sending(agent, grant.claim, ANSWER))
        message_id = self.fresh_id()
        self.tell(Sent(agent, grant.claim, (message_id,)))
        self.tell(Observed(message_id, agent))


def seats(thread: int) -> tuple[FloorSeat, ...]:
    """Five seats whose texts are shared with no other thread."""
    return tuple(
        FloorSeat(f"seat-{number}-{thread}", f"{name} {thread}")
        for number, name in enumerate(NAMES)
    )


def decisions_per_second() -> float:
    """The best of three runs, so that a busy machine counts less."""
    best = 0.0
    for _ in range(3):
        driver = Driver(Floor(CONFIG, seats(0)))
        began = time.process_time()
        for _ in range(CONVERSATIONS):
            driver.converse()
        best = max(best, driver.decided / (time.process_time() - began))
    return best


def bytes_per_sleeping_thread() -> float:
    """What is allocated for many threads in each of which a question was answered."""
    registry = FloorRegistry(lambda *_: None)
    registry.floor(2**62, CONFIG, seats(0))
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for thread in range(THREADS):
        floor = registry.floor(2**60 + thread, CONFIG, seats(thread))
        Driver(floor).ask(Human(2**61 + thread, 1, "Ada", "Why?", (floor.seats[0].key,)))
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(registry) == THREADS + 1
    return (after - before) / THREADS


def forgotten_after_an_hour() -> int:
    """How many of the same floors are gone once they are idle."""
    registry = FloorRegistry()
    for thread in range(THREADS):
        registry.floor(thread, CONFIG, seats(thread))
    return registry.forget_idle(CONFIG.epoch_idle_ms)


def main() -> int:
    """Measure and print."""
    speed, size = decisions_per_second(), bytes_per_sleeping_thread()
    print(f"idle floors forgotten: {forgotten_after_an_hour()} of {THREADS}")
    print(f"floor_decisions_per_second: {speed:.0f} (at least {LEAST_PER_SECOND})")
    print(f"floor_bytes_per_sleeping_thread: {size:.0f} (limit {MOST_BYTES})")
    added = asyncio.run(added_latencies())
    late = quantile(added, 0.95)
    print(f"follow-ups answered: {len(added)}, half of them within {quantile(added, 0.5):.0f} ms")
    print(f"floor_added_latency_p95_ms: {late:.0f} (limit {MOST_ADDED_MS})")
    return 0 if speed >= LEAST_PER_SECOND and size <= MOST_BYTES and late <= MOST_ADDED_MS else 1


def quantile(figures: list[float], share: float) -> float:
    """The figure below which this share of all lies."""
    return sorted(figures)[min(len(figures) - 1, int(len(figures) * share))]


if __name__ == "__main__":
    sys.exit(main())
