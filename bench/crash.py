"""Kills the real bot at random moments and shows that nothing is lost and nothing happens twice.

The bot runs as a process of its own against the embedded Discord and a local model server that
counts calls. It is killed with SIGKILL, started again, and so on until every roundtable has
concluded. Then the thread is compared with the database: calls that were recorded must not have
been paid again, and every post must be there once, in order.
"""

import argparse
import asyncio
import itertools
import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bot.playground.faults import Fault
from bot.playground.model import Channel
from bot.playground.server import EmbeddedDiscord
from bot.settings import SHIPPED_PANELS
from tests.model_server import ModelServer, Script
from tests.rehearsed import RehearsedAnswers

COMMANDS = (
    "roundtable --panel opus,grok,gemini --debate topic {n}: is it so?",
    "roundtable --vote topic {n}: tea or coffee?",
    "roundtable --debate --validate topic {n}: should we?",
    "roundtable --redteam topic {n}: what breaks?",
    "roundtable --quick --build topic {n}: a small thing",
)
LONGEST_LIFE = 7.0
PATIENCE = 90.0


@dataclass
class Toll:
    """What the kills did."""

    kills: int = 0
    by_phase: Counter[str] = field(default_factory=Counter)
    finished: int = 0
    started: int = 0
    paid_again: int = 0
    unrecorded: int = 0
    lost: int = 0
    doubled: int = 0
    out_of_order: int = 0
    failures: list[str] = field(default_factory=list)

    @property
    def faults(self) -> int:
        """Everything that must not have happened."""
        wrong = self.paid_again + self.lost + self.doubled + self.out_of_order
        return wrong + self.started - self.finished


class Arena:
    """A home folder, an embedded Discord and a model server for one bot after another."""

    def __init__(self, home: Path, dice: random.Random, chance: float) -> None:
        self.home = home
        self.dice = dice
        self.discord = EmbeddedDiscord(seed=dice.randrange(1000))
        self.answers = RehearsedAnswers()
        self.models = ModelServer(self.answers)
        self.chance = chance
        self.process: asyncio.subprocess.Process | None = None

    async def open(self) -> None:
        """Start the servers and write the configuration."""
        await self.discord.start()
        await self.models.__aenter__()
        self.models.script(None, Script(latency=0.05))
        (self.home / "panels.json").write_text(json.dumps(self.panels()), encoding="utf-8")
        if self.chance:
            self.add_faults()

    def add_faults(self) -> None:
        """Every kind of fault on every kind of request, each now and then."""
        kinds = (
            {"kind": "status", "status": 502},
            {"kind": "status", "status": 503},
            {"kind": "reset"},
        )
        for after in (False, True):
            for kind in kinds:
                fault = Fault(route="*", times=-1, chance=self.chance / 6, after=after, **kind)
                self.discord.faults.add(fault)

    def panels(self) -> dict[str, object]:
        """The shipped panels with every model on the local server."""
        panels = json.loads(SHIPPED_PANELS.read_text(encoding="utf-8"))
        panels["providers"] = {
            "local": {"kind": "openai", "baseUrl": self.models.url, "apiKey": "none"}
        }
        for key, model in panels["models"].items():
            model["routes"] = [{"provider": "local", "model": key}]
        panels["search"] = {"provider": "off"}
        panels["trigger"] |= {"cooldownSeconds": 0, "maxConcurrent": 50}
        return panels

    async def launch(self) -> None:
        """Start the bot."""
        variables = {
            "ROUNDTABLE_HOME": str(self.home),
            "ROUNDTABLE_PANELS": str(self.home / "panels.json"),
            "DISCORD_TOKEN": self.discord.token,
            "ROUNDTABLE_DISCORD_API": self.discord.api_url,
            "ROUNDTABLE_DISCORD_GATEWAY": self.discord.gateway_url,
            "ROUNDTABLE_LOG": "CRITICAL",
        }
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            "run",
            env=os.environ | variables,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )

    async def ready(self) -> None:
        """Wait until the bot is connected."""
        known = set(self.discord.gateway.sessions)
        deadline = time.monotonic() + 30
        while set(self.discord.gateway.sessions) <= known and time.monotonic() < deadline:
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.3)

    async def kill(self, number: int = signal.SIGKILL) -> None:
        """End the bot."""
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(number)
            await self.process.wait()

    async def close(self) -> None:
        """End everything."""
        await self.kill()
        await self.models.__aexit__(None, None, None)
        await self.discord.close()

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Read the database between two lives of the bot."""
        path = self.home / "roundtable.db"
        if not path.exists():
            return []
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            return connection.execute(query, values).fetchall()
        except sqlite3.OperationalError:
            return []
        finally:
            connection.close()

    def concluded(self, topic: str) -> bool:
        """Whether the roundtable on a topic is over for good."""
        found = self.rows("SELECT phase FROM runs WHERE topic = ?", topic)
        return bool(found) and found[0][0] == "completed"

    def phase(self, topic: str) -> str:
        """Where a run stood when the bot was killed."""
        found = self.rows("SELECT id FROM runs WHERE topic = ?", topic)
        if not found:
            return "start-up"
        events = self.rows("SELECT type, key FROM events WHERE run_id = ? ORDER BY id", found[0][0])
        return _phase([(str(kind), str(key)) for kind, key in events])


def _phase(events: list[tuple[str, str]]) -> str:
    kinds = [kind for kind, _ in events]
    calls = [key for kind, key in events if kind == "call.done"]
    if "place.opened" not in kinds:
        return "thread creation"
    if "run.designed" not in kinds:
        return "meta-panel"
    if any(kind == "task.transitioned" and key.startswith("completed") for kind, key in events):
        return "export"
    if any(key.startswith("synthesis") for key in calls):
        return "synthesis"
    if events[-1][0] == "post.sent":
        return "posting"
    rounds = [key for key in calls if key[:1] == "r" and key[1:2].isdigit()]
    return "round 2" if any(key.startswith("r2") for key in rounds) else "round 1"


async def live_and_die(arena: Arena, topic: str, toll: Toll, kills: int) -> None:
    """Let the bot live for a random while, again and again, until the run is over."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        await arena.launch()
        spared = toll.kills >= kills
        until = time.monotonic() + (20.0 if spared else arena.dice.uniform(0.3, LONGEST_LIFE))
        while time.monotonic() < until and not arena.concluded(topic):
            await asyncio.sleep(0.05)
        over = arena.concluded(topic)
        if not over and not spared:
            toll.kills += 1
            toll.by_phase[arena.phase(topic)] += 1
        await arena.kill()
        if over:
            toll.finished += 1
            return
    toll.failures.append(topic)


def judge(arena: Arena, topic: str, thread: Channel | None, toll: Toll) -> None:
    """Compare the thread and the model server with what the database says."""
    found = arena.rows("SELECT id FROM runs WHERE topic = ?", topic)
    if not found or thread is None:
        toll.lost += 1
        return
    run_id = found[0][0]
    posts = arena.rows(
        "SELECT message_id, state FROM posts WHERE run_id = ? AND target_id = ?"
        " ORDER BY position, part",
        run_id,
        thread.id,
    )
    ids = [int(str(message_id)) for message_id, state in posts if state == "sent"]
    toll.lost += sum(state != "sent" for _, state in posts)
    shown = [m.id for m in arena.discord.messages(thread.id)]
    toll.lost += sum(message_id not in shown for message_id in ids)
    toll.doubled += sum(message_id not in ids for message_id in shown)
    answers = [message_id for message_id in ids if message_id in shown]
    toll.out_of_order += sum(a > b for a, b in itertools.pairwise(answers))
    _judge_calls(arena, topic, str(run_id), toll)


def _judge_calls(arena: Arena, topic: str, run_id: str, toll: Toll) -> None:
    """A call that arrived after its answer was in the log was paid a second time."""
    recorded = {
        str(key): float(str(written))
        for key, written in arena.rows(
            "SELECT key, created_at FROM events WHERE run_id = ? AND type = 'call.done'", run_id
        )
    }
    roles = dict(arena.rows("SELECT role, seat FROM seats WHERE run_id = ?", run_id))
    to_epoch = time.time() - time.monotonic()
    served: Counter[str] = Counter()
    for call in arena.models.calls:
        system, user = (message["content"] for message in call.body["messages"])
        prompt = arena.answers.prompt(system, user)
        if prompt.values.get("PROMPT") != topic:
            continue
        key = call_key(prompt.template, prompt.values, roles)
        if key not in recorded:
            toll.failures.append(f"{topic}: the call {key} is not in the log")
            toll.lost += 1
            continue
        served[key] += call.finished.is_set()
        toll.paid_again += call.at + to_epoch > recorded[key]
    toll.unrecorded += sum(count - 1 for count in served.values() if count > 1)


def call_key(template: str, values: Mapping[str, str], roles: Mapping[object, object]) -> str:
    """The key under which the bot records the call that sent this prompt."""
    role, number = values.get("ROLE", ""), values.get("ROUND", "1")
    if template == "meta-panel":
        return f"meta:{role.split()[1]}"
    if template == "rolling-summary":
        return f"summary:{number}"
    if template == "final-synthesis":
        return "synthesis:rewrite" if values.get("CORRECTIONS") else "synthesis"
    seat = roles.get(role, role)
    if template == "round1":
        return f"s2:{seat}" if values.get("STAGE_1_OUTPUTS") else f"r1:{seat}"
    names = {"round2-cross-critique": f"r{number}", "round3-validation": "validate"}
    return f"{names.get(template, template)}:{seat}"


async def main() -> int:
    """Kill until the wanted number of kills is reached and every roundtable has concluded."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=float, default=0.0, help="share of faulty requests")
    options = parser.parse_args()
    dice, toll = random.Random(options.seed), Toll()
    with tempfile.TemporaryDirectory() as folder:
        arena = Arena(Path(folder), dice, options.faults)
        await arena.open()
        try:
            while toll.kills < options.kills:
                await one_roundtable(arena, toll, options.kills)
        finally:
            await arena.close()
    report(toll)
    return 0 if toll.faults == 0 else 1


async def one_roundtable(arena: Arena, toll: Toll, kills: int) -> None:
    """Ask one question, kill the bot over it, and judge the result."""
    toll.started += 1
    command = COMMANDS[toll.started % len(COMMANDS)].format(n=toll.started)
    topic = command.split("topic", 1)[1].join(["topic", ""])
    person = arena.discord.person("Jonas").id
    channel = arena.discord.channel("general").id
    before = {thread.id for thread in arena.discord.threads()}
    while not arena.rows("SELECT id FROM runs WHERE topic = ?", topic):
        # A question that the bot did not live to hear is asked again by its person.
        await arena.launch()
        await arena.ready()
        await arena.discord.say(person, channel, command)
        await asyncio.sleep(arena.dice.uniform(0.0, 1.0))
        await arena.kill()
        toll.kills += 1
        toll.by_phase[arena.phase(topic)] += 1
    await live_and_die(arena, topic, toll, kills)
    threads = [t for t in arena.discord.threads() if t.id not in before]
    toll.doubled += max(0, len(threads) - 1)
    judge(arena, topic, threads[0] if threads else None, toll)


def report(toll: Toll) -> None:
    """Print the toll; the last line is the figure."""
    for name, count in toll.by_phase.most_common():
        print(f"kills during {name:16} {count}")
    print(f"roundtables started {toll.started}, finished {toll.finished}")
    print(f"recorded calls paid again {toll.paid_again}")
    print(f"answers that had ended but were not recorded {toll.unrecorded} (cannot be helped)")
    print(f"messages lost {toll.lost}, doubled {toll.doubled}, out of order {toll.out_of_order}")
    for topic in toll.failures:
        print(f"did not finish: {topic}")
    print(f"crash: {toll.faults} (limit 0)")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
