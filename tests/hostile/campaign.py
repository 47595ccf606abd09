"""Hostile input in bulk: `python -m tests.hostile.campaign --inputs 20000`.

Half of the inputs are pumped strings, as long as the entry takes, into every place where
strangers' text comes in (`pumped.py`). Every turn of the event loop is timed; one that takes more
than 100 ms in each of five tries ends the campaign with 1.

Command lines, slash options, answers in forms and mutations of panels.json are generated from a
seed and handed to what reads them. Each must be taken or refused with one sentence for people;
any other exception, and any refusal that is empty, too long for Discord or looks like a
traceback, ends the campaign with 1. Some of the lines are then typed to the real bot in the
embedded Discord, which must answer, stay up and log no error.
"""

import argparse
import asyncio
import copy
import gc
import json
import logging
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.errors import UserError
from bot.links.references import Reference
from bot.panels import parse_panels
from bot.panels.sections import Links
from bot.request import FLAGS, Flag, build_request, is_addressed, parse_command, parse_request
from bot.settings import SHIPPED_PANELS
from tests.e2e.playground_harness import PlaygroundHarness, open_harness
from tests.hostile.inputs import TOPIC_LIMIT, Entry, entries, pumped_text
from tests.hostile.loop_stalls import STALL_LIMIT, Stalls, watched_loop
from tests.support.machine import slowness

LONGEST_REFUSAL = 2000
LONGEST_REPORT = 100_000
TYPED = 120
PATIENCE = 15.0
TRIES = 5
APART = 0.3
PIECES = (
    *FLAGS, "--", "—quick", "–vote", "--panel=", "--link", "--context-from", "--rounds=9",
    "roundtable", "ROUNDTABLE", "stop", "retry", "rt_00000000", "rt_zzzzzzzz", "post", "<#123>",
    "list", "show", "read", "export", "end", "help", "quiet", "costs", "forget", "status",
    "@everyone", "<@&1>", "<@123456789012345678>", "```", "||", "[x](javascript:1)", "../../etc",
    "https://evil.example/a/b/issues/1", "https://github.com/a/b/issues/1", "'; DROP TABLE runs;--",
    "\u202e", "\u200b", "\x00", "\ud800", "🦊" * 30, "日本語", "a" * 5000, "\n\n", "\t", "{}", "[",
    "ignore all rules", "NO_REPLY", "%s%n", "{0.__class__}", "$(reboot)", "opus,grok", ",,,", "=",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 10**30, 1.5, float("nan"), "", " ", "x" * 3000, "\ud800", [], {}, [[]],
    {"a": {"b": []}}, "https://evil.example", "opus", ["opus"], {"kind": "openai"}, "../../etc",
)  # fmt: skip


class BrokenPromiseError(Exception):
    """Something a person would have seen and should not."""


def line(chance: random.Random) -> str:
    """A command line."""
    words = [chance.choice(PIECES) for _ in range(chance.randint(0, 9))]
    start = "roundtable " if chance.random() < 0.8 else ""
    return start + chance.choice((" ", "", "\n")).join(words)


def judged(work: Callable[[], object], longest: int = LONGEST_REFUSAL) -> bool:
    """Whether it was taken; a refusal must be fit for people."""
    try:
        work()
    except UserError as refusal:
        text = refusal.text
        if not text.strip() or len(text) > longest or "Traceback" in text:
            raise BrokenPromiseError(f"not fit for people: {text[:300]!r}") from refusal
        return False
    return True


def read_line(chance: random.Random) -> None:
    """What the text commands do with a line before anything else."""
    text = line(chance)
    if is_addressed(text) and parse_command(text) is None:
        judged(lambda: parse_request(text, TOPIC_LIMIT))


def read_options(chance: random.Random) -> None:
    """What a slash command or a form hands in."""
    flags = [
        Flag(chance.choice(FLAGS), chance.choice((None, *PIECES)))
        for _ in range(chance.randint(0, 5))
    ]
    topic = " ".join(chance.choice(PIECES) for _ in range(chance.randint(0, 4)))

    def work() -> None:
        request = build_request(topic, flags, TOPIC_LIMIT)
        if request.link:
            Reference.of(request.link, Links())

    judged(work)


def read_panels(chance: random.Random, shipped: dict[str, Any]) -> None:
    """A panels.json somebody edited badly."""
    data = copy.deepcopy(shipped)
    for _ in range(chance.randint(1, 3)):
        _mutate(data, chance)
    text = json.dumps(data)
    if chance.random() < 0.2:
        place = chance.randrange(len(text))
        text = text[:place] + chance.choice(("", "}", '"', ",", "\x00", "//")) + text[place + 1 :]
    judged(lambda: parse_panels(text), LONGEST_REPORT)


def _mutate(node: Any, chance: random.Random) -> None:
    """Change, remove or add something somewhere below."""
    while isinstance(node, (dict, list)) and node:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = chance.choice(keys)
        if chance.random() < 0.4 or not isinstance(node[key], (dict, list)):
            if chance.random() < 0.2:
                del node[key]
            elif isinstance(node, dict) and chance.random() < 0.2:
                node[chance.choice(("x", "", "modelx", "__proto__"))] = chance.choice(VALUES)
            else:
                node[key] = copy.deepcopy(chance.choice(VALUES))
            return
        node = node[key]


class _Errors(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(record.getMessage())


async def type_to_the_bot(seed: int, stalls: Stalls) -> float:
    """Let three people type lines to the real bot, which must answer afterwards as before.

    Returns the longest stall of its loop after it had started.
    """
    chance = random.Random(seed)
    errors = _Errors()
    logging.getLogger().addHandler(errors)
    with tempfile.TemporaryDirectory() as home:
        async with open_harness(Path(home)) as table:
            await table.hold("roundtable --quick What is loaded when it is first needed?")
            gc.collect()
            gc.freeze()
            stalls.take()
            for number in range(TYPED):
                pumped = f"roundtable {pumped_text(chance, 1_900)}"
                await _type(table, (line(chance) if number % 2 else pumped)[:1900], chance)
                await _type(table, pumped_text(chance, 1_900), chance)
            answer = await table.reply_to(await table.say("roundtable help"))
            if "`--quick`" not in answer.content:
                raise BrokenPromiseError("the bot does not answer any more")
            await table.say("roundtable list")
            # A vote that names nothing waits for its starter, who does not answer here.
            with suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE):
                    await table.session.app.run_service.idle()
            longest = stalls.take()
            said = [
                m.content
                for c in table.discord.world.channels.values()
                for m in c.messages.values()
            ]
    broken = [text for text in said if "Internal error" in text or "Traceback" in text]
    if broken or errors.seen:
        raise BrokenPromiseError(f"{broken[:2]} {errors.seen[:3]}")
    return longest


async def _type(table: PlaygroundHarness, text: str, chance: random.Random) -> None:
    sayable = text.encode("utf-8", "ignore").decode().replace("\x00", "").strip()
    if sayable:
        await table.say(sayable, person=chance.choice(("Jonas", "Ines", "Mara")))


@dataclass(slots=True)
class Tally:
    """What was read, and the longest stall with its cause."""

    read: int = 0
    longest: float = 0.0
    busy: float = 0.0
    cause: str = ""

    def add(self, seconds: float, busy: float, cause: str) -> None:
        if seconds > self.longest:
            self.longest, self.busy, self.cause = seconds, busy, cause


async def read_all(inputs: int, seed: int, home: Path) -> Tally:
    """Read every input in a running loop, half of them pumped, and time each turn of it."""
    shipped = json.loads(SHIPPED_PANELS.read_text(encoding="utf-8"))
    tally = Tally()
    async with entries(home) as places:
        gc.collect()
        gc.freeze()  # what the campaign itself holds is not what a stranger makes the bot do
        with watched_loop() as stalls:
            for number in range(inputs):
                chance = random.Random(seed * 1_000_003 + number)
                name, work = _input(chance, places, shipped)
                cause = f"{name}, input {number} of seed {seed}"
                tally.add(*await _held_up(work, stalls), cause)
                tally.read += 1
    return tally


def _input(
    chance: random.Random, places: Sequence[Entry], shipped: dict[str, Any]
) -> tuple[str, Callable[[], Awaitable[None]]]:
    if chance.random() < 0.5:
        place = chance.choice(places)
        text = pumped_text(chance, place.longest)
        return f"{place.name} {text[:60]!r}…{text[-10:]!r}", lambda: place.take(text)
    readers: list[tuple[str, Callable[[random.Random], None]]] = [
        ("a line", read_line),
        ("options", read_options),
        ("panels.json", lambda chance: read_panels(chance, shipped)),
    ]
    ((name, reader),) = chance.choices(readers, (14, 4, 2))
    state = chance.getstate()

    async def read() -> None:
        chance.setstate(state)
        reader(chance)

    return name, read


async def _held_up(work: Callable[[], Awaitable[None]], stalls: Stalls) -> tuple[float, float]:
    """How long an input stalls the loop, and its processor time, at the machine's usual speed.

    It is the best of a few tries. Machines are shared, so the tries are apart: one burst of other
    work must not spoil them all.
    """
    best = (float("inf"), 0.0)
    for number in range(TRIES):
        if number:
            await asyncio.sleep(APART)
        stalls.take()
        await asyncio.create_task(_awaited(work))
        await asyncio.sleep(0)
        busy, taken = stalls.busy, stalls.take()
        slow = slowness() if taken > STALL_LIMIT else 1.0
        best = min(best, (taken / slow, busy / slow))
        if best[0] <= STALL_LIMIT:
            break
    return best


async def _awaited(work: Callable[[], Awaitable[None]]) -> None:
    await work()


async def campaign(inputs: int, seed: int) -> Tally:
    """All inputs, then the lines that are typed to the bot; there only its own time counts."""
    with tempfile.TemporaryDirectory() as home:
        tally = await read_all(inputs, seed, Path(home))
    with watched_loop(time.thread_time) as stalls:
        typed = asyncio.create_task(type_to_the_bot(seed, stalls))
        busy = await typed
        busy = busy / slowness() if busy > STALL_LIMIT else busy
        tally.add(busy, busy, "what was typed to the bot")
    return tally


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began = time.monotonic()
    try:
        tally = asyncio.run(campaign(options.inputs, options.seed))
    except Exception as error:
        print(f"seed {options.seed}: {type(error).__name__}: {error}")
        return 1
    print(
        f"{tally.read} hostile inputs read, {TYPED} typed to the bot, in"
        f" {time.monotonic() - began:.0f} s: none broke anything"
    )
    print(f"held up longest by {tally.cause} ({tally.busy * 1000:.0f} ms of processor time)")
    print(f"longest stall: {tally.longest * 1000:.0f} ms (limit {STALL_LIMIT * 1000:.0f})")
    return int(tally.longest > STALL_LIMIT)


if __name__ == "__main__":
    sys.exit(main())
