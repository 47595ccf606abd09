"""Kills the real bot in every phase and shows that nothing is lost and nothing happens twice.

The bot runs as a process of its own against the embedded Discord and a local model server that
counts calls. Several roundtables of all workflows are under way at once. Each life of the bot is
ended with SIGKILL at a random moment within the phase that has been hit least so far; the kill is
counted for the phase the log shows afterwards. When there were enough kills the bot may finish.
Then every thread is compared with the database: calls that were recorded must not have been paid
again, every post must be there once and in order, and the files must be written.
"""

import argparse
import asyncio
import itertools
import logging
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.support.crash_arena import Arena
from bench.support.crash_judge import Toll, judge

COMMANDS = (
    "roundtable --debate topic {n}: is it so?",
    "roundtable --debate topic {n}: a thing made in sequence",
    "roundtable --vote topic {n}: tea or coffee?",
    "roundtable --debate topic {n}: a thing made in a hybrid",
    "roundtable --debate --validate topic {n}: should we?",
    "roundtable --redteam topic {n}: what breaks?",
    # Without --quick a build would wait for its starter.
    "roundtable --build --quick topic {n}: a rate limiter",
    "roundtable --panel opus,grok,gemini --debate topic {n}: shall it be?",
    "roundtable --quick --redteam topic {n}: a small thing",
)
PHASES = (
    "start-up",
    "thread creation",
    "meta-panel",
    "round 1",
    "posting",
    "round 2",
    "stage 2",
    "building",
    "synthesis",
    "export",
)
LEAST_PER_PHASE = 10
ENOUGH_TO_ASK_FOR_IT = 200
PROGRESS_EVERY = 20
AT_ONCE = 3
LONGEST_START = 1.5
LONGEST_WAIT = 20.0
PATIENCE = 180.0
# How long after its beginning a phase may be struck, at most.
SPREAD = {"thread creation": 0.06, "posting": 0.03, "export": 0.08}
USUAL_SPREAD = 0.2


class Campaign:
    """One kill after the other."""

    def __init__(self, arena: Arena, kills: int) -> None:
        self.arena = arena
        self.kills = kills
        self.toll = Toll()
        self.commands = itertools.cycle(COMMANDS)
        self.topics: list[str] = []
        self.open: dict[str, str] = {}
        self.before: dict[str, int] = {}
        self.asked = 0.0

    async def run(self) -> None:
        """Kill until it is enough, let the bot finish, and judge."""
        while self.toll.kills < self.kills:
            await self.one_life(self.rarest())
        await self.finish()
        for topic in self.topics:
            judge(self.arena.evidence(topic), self.toll)
        threads = {thread.id for thread in self.arena.discord.threads()}
        known = {row[0] for row in self.arena.rows("SELECT thread_id FROM runs")}
        self.toll.doubled += len(threads - known)

    def rarest(self) -> str:
        """The phase that was hit least, at random among equals."""
        counts = self.toll.by_phase
        fewest = min(counts[phase] for phase in PHASES)
        return self.arena.dice.choice([p for p in PHASES if counts[p] == fewest])

    async def one_life(self, target: str) -> None:
        """Start the bot, wait for the phase, and kill within it."""
        self.before = {topic: self.arena.newest(topic) for topic in self.open}
        await self.arena.launch()
        victim = None
        if target == "start-up":
            await asyncio.sleep(self.arena.dice.uniform(0.0, LONGEST_START))
        else:
            await self.connect()
            victim = await self.meet(target)
            spread = SPREAD.get(target, USUAL_SPREAD)
            await asyncio.sleep(self.arena.dice.uniform(0.0, spread))
        await self.arena.kill()
        victim = victim or next(filter(self.moved, self.open), None)
        struck = "start-up" if victim is None else self.arena.phase(victim)
        self.toll.kills += 1
        self.toll.by_phase[struck] += 1
        self.forget_finished()
        if self.toll.kills % PROGRESS_EVERY == 0:
            over = self.toll.started - len(self.open)
            print(f"{self.toll.kills} kills, {over} roundtables over", flush=True)

    async def connect(self) -> None:
        """Wait until the bot has reached Discord; one that ends by itself is started again."""
        deadline = time.monotonic() + LONGEST_WAIT
        while not self.arena.connected and time.monotonic() < deadline:
            if not self.arena.alive:
                await self.arena.launch()
            await asyncio.sleep(0.01)

    async def meet(self, target: str) -> str:
        """Wait until a roundtable is in the phase; ask for more of them as long as none is."""
        until = time.monotonic() + LONGEST_WAIT
        fresh = self.arena.dice.random() < 0.5 or target == "thread creation"
        while time.monotonic() < until:
            if len(self.open) < AT_ONCE or fresh:
                await self.ask()
                fresh = False
            for topic in list(self.open):
                if self.arena.phase(topic) == target and self.moved(topic):
                    return topic
            await self.ask_again()
            self.forget_finished()
            await asyncio.sleep(0.003)
        return next(iter(self.open))

    def moved(self, topic: str) -> bool:
        """Whether this life of the bot has done anything for the roundtable.

        A phase in which the last life ended is no phase this one has reached.
        """
        return self.arena.newest(topic) > self.before.get(topic, 0)

    async def ask(self) -> None:
        """A person asks for one more roundtable."""
        command = next(self.commands).format(n=len(self.topics) + 1)
        topic = command[command.index("topic ") :]
        self.topics.append(topic)
        self.toll.started += 1
        self.open[topic] = command
        await self.say(topic)

    async def say(self, topic: str) -> None:
        """Write the command into the channel."""
        self.asked = time.monotonic()
        discord = self.arena.discord
        person, channel = discord.person("Jonas").id, discord.channel("general").id
        await discord.say(person, channel, self.open[topic])

    async def ask_again(self) -> None:
        """A question that no living bot heard is asked again by its person."""
        if time.monotonic() < self.asked + 2.0:
            return
        for topic in self.open:
            if self.arena.phase(topic) == "asking":
                await self.say(topic)

    def forget_finished(self) -> None:
        """Stop watching what is over."""
        for topic in [topic for topic in self.open if self.arena.phase(topic) == "over"]:
            del self.open[topic]

    async def finish(self) -> None:
        """Let the bot live until every roundtable is over."""
        deadline = time.monotonic() + PATIENCE
        await self.arena.launch()
        await self.connect()
        while self.open and time.monotonic() < deadline:
            await self.ask_again()
            self.forget_finished()
            await asyncio.sleep(0.05)
        await self.arena.kill()


def report(toll: Toll, kills: int) -> int:
    """Print the toll; the last line is the figure."""
    for phase in sorted(toll.by_phase, key=lambda name: (name not in PHASES, name)):
        print(f"kills during {phase:16} {toll.by_phase[phase]}")
    print(f"roundtables started {toll.started}, finished {toll.finished}")
    print(f"recorded calls paid again {toll.paid_again}")
    print(f"answers that had ended but were not recorded {toll.unrecorded} (cannot be helped)")
    print(f"messages lost {toll.lost}, doubled {toll.doubled}, out of order {toll.out_of_order}")
    for finding in toll.findings:
        print(f"  {finding}")
    spared = [phase for phase in PHASES if toll.by_phase[phase] < LEAST_PER_PHASE]
    too_few = spared if kills >= ENOUGH_TO_ASK_FOR_IT else []
    for phase in too_few:
        print(f"fewer than {LEAST_PER_PHASE} kills during {phase}")
    wrong = toll.wrong + len(too_few)
    print(f"crash: {wrong} (limit 0)")
    return 1 if wrong else 0


async def main() -> int:
    """Kill until the wanted number of kills is reached and every roundtable has concluded."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=float, default=0.0, help="share of faulty requests")
    parser.add_argument("--keep", type=Path, help="an empty folder that keeps the bot's files")
    options = parser.parse_args()
    # The servers would report every connection that a kill tears.
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        arena = Arena(options.keep or Path(folder), random.Random(options.seed), options.faults)
        campaign = Campaign(arena, options.kills)
        await arena.open()
        try:
            await campaign.run()
        finally:
            await arena.close()
    return report(campaign.toll, options.kills)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
