"""A home folder, an embedded Discord and a model server for one bot after another."""

import asyncio
import json
import os
import random
import signal
import sqlite3
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aiohttp import web

from bench.support.crash_judge import Evidence, Noted, PaidCall, call_key, phase_of
from bot.playground.faults import EventFault, Fault
from bot.playground.server import EmbeddedDiscord
from bot.settings import SHIPPED_PANELS
from tests.e2e.scripted_models import Plan
from tests.support.model_server import Call, ModelServer, Script
from tests.support.rehearsed_answers import RehearsedAnswers

# Discord is a network away: what is short there is not shorter here.
DISCORD_SECONDS = 0.04
MODEL_SECONDS = 0.1
REVIEWER = (("grok", "Reviewer", "check every claim"),)
PLANS = {
    "in sequence": Plan("sequential", stage2=REVIEWER, rounds=2),
    "in a hybrid": Plan("hybrid", stage2=REVIEWER, rounds=1),
}
HTTP_FAULTS: tuple[dict[str, Any], ...] = (
    {"kind": "status", "status": 500},
    {"kind": "status", "status": 502},
    {"kind": "status", "status": 503},
    {"kind": "reset"},
    {"kind": "delay", "seconds": 0.3},
)
EVENT_FAULTS = ("drop", "double", "delay", "reorder")
MODEL_FAULTS = (
    Script(status=500, body={"error": {"message": "Something broke."}}),
    Script(status=503, body={"error": {"message": "Overloaded."}}),
    Script(status=429, body={"error": {"message": "Slow down."}}, headers={"Retry-After": "0"}),
    Script(trouble="reset", after=-1),
    Script(trouble="reset", after=3),
    Script(trouble="cut", after=3),
    Script(trouble="error", after=2),
)


class Models(ModelServer):
    """A model server that plans workflows by the topic and sometimes breaks."""

    def __init__(self, dice: random.Random, chance: float) -> None:
        self.rehearsed = RehearsedAnswers()
        super().__init__(self._in_character)
        self._dice = dice
        self._chance = chance
        self.spoiled: set[int] = set()
        self.asked_at: dict[int, float] = {}
        """By the clock the bot's log goes by, read at once: it may be set while the bot works."""
        self._topics: defaultdict[str, list[tuple[Call, Any]]] = defaultdict(list)
        self._sorted = 0

    async def _in_character(self, body: dict[str, Any]) -> str:
        prompt = self.prompt(body)
        if prompt.template == "meta-panel":
            for words, plan in PLANS.items():
                if words in prompt.values["PROMPT"]:
                    return plan.text()
        return await self.rehearsed(body)

    def prompt(self, body: dict[str, Any]) -> Any:
        """The prompt behind a request."""
        system, user = (message["content"] for message in body["messages"])
        return self.rehearsed.prompt(system, user)

    def by_topic(self) -> Mapping[str, Sequence[tuple[Call, Any]]]:
        """Every call so far with its prompt, by the topic it is about."""
        for call in self.calls[self._sorted :]:
            prompt = self.prompt(call.body)
            self._topics[prompt.values.get("PROMPT", "")].append((call, prompt))
        self._sorted = len(self.calls)
        return self._topics

    async def _serve(self, request: web.Request, call: Call) -> web.StreamResponse:
        self.asked_at[id(call)] = time.time()
        spoiled = self._dice.random() < self._chance
        trouble = (self._dice.choice(MODEL_FAULTS),) if spoiled else ()
        if spoiled:
            self.spoiled.add(id(call))
        self.script(None, *trouble, Script(latency=self._dice.uniform(0.5, 1.5) * MODEL_SECONDS))
        return await super()._serve(request, call)


class Arena:
    """Where the bot lives and dies."""

    def __init__(self, home: Path, dice: random.Random, chance: float) -> None:
        self.home = home
        self.dice = dice
        self.discord = EmbeddedDiscord(seed=dice.randrange(1000))
        self.models = Models(random.Random(dice.randrange(1000)), chance)
        self.chance = chance
        self.process: asyncio.subprocess.Process | None = None

    async def open(self) -> None:
        """Start the servers and write the configuration."""
        await self.discord.start()
        await self.models.__aenter__()
        (self.home / "panels.json").write_text(json.dumps(self.panels()), encoding="utf-8")
        if self.chance:
            self.add_faults()
        self.discord.faults.add(Fault("delay", "POST", seconds=DISCORD_SECONDS, times=-1))

    def add_faults(self) -> None:
        """Every kind of fault on every kind of request and event, each now and then."""
        share = self.chance / (2 * len(HTTP_FAULTS))
        for after in (False, True):
            for kind in HTTP_FAULTS:
                self.discord.faults.add(Fault(times=-1, chance=share, after=after, **kind))
        for name in EVENT_FAULTS:
            share = self.chance / len(EVENT_FAULTS)
            fault = EventFault(name, "*", seconds=0.2, times=-1, chance=share)  # type: ignore[arg-type]
            self.discord.faults.add(fault)

    def panels(self) -> dict[str, object]:
        """The shipped panels with every model on the local server."""
        panels: dict[str, Any] = json.loads(SHIPPED_PANELS.read_text(encoding="utf-8"))
        panels["providers"] = {
            "local": {"kind": "openai", "baseUrl": self.models.url, "apiKey": "none"}
        }
        for key, model in panels["models"].items():
            model["routes"] = [{"provider": "local", "model": key}]
        panels["search"] = {"provider": "off"}
        panels["trigger"] |= {"cooldownSeconds": 0, "maxConcurrent": 50}
        # One person asks for more in minutes than anybody may spend in a day.
        panels["budgets"] |= {"perPersonPerDayUsd": 1000.0, "perServerPerDayUsd": 1000.0}
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
        self.sessions = set(self.discord.gateway.sessions)
        quiet = asyncio.subprocess.DEVNULL
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "run"),
            env=os.environ | variables,
            stdout=quiet,
            stderr=quiet,
        )

    @property
    def connected(self) -> bool:
        """Whether this life of the bot has reached Discord."""
        return not set(self.discord.gateway.sessions) <= self.sessions

    @property
    def alive(self) -> bool:
        """Whether the bot runs."""
        return self.process is not None and self.process.returncode is None

    async def kill(self) -> None:
        """End the bot without any warning."""
        if self.process is not None and self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
            await self.process.wait()

    async def close(self) -> None:
        """End everything."""
        await self.kill()
        await self.models.__aexit__(None, None, None)
        await self.discord.close()

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Read the database, whether the bot lives or not."""
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

    def phase(self, topic: str) -> str:
        """Where the roundtable on a topic stands; "asking" while there is none."""
        found = self.rows("SELECT id FROM runs WHERE topic = ?", topic)
        if not found:
            return "asking"
        run_id = found[0][0]
        said = "SELECT type, key, payload FROM events WHERE run_id = ? ORDER BY id"
        second = self.rows("SELECT count(*) FROM seats WHERE run_id = ? AND stage = 2", run_id)
        out = "SELECT 1 FROM posts WHERE run_id = ? AND state = 'sending'"
        events = [
            (kind, key, json.loads(payload)) for kind, key, payload in self.rows(said, run_id)
        ]
        return phase_of(events, second[0][0] if second else 0, bool(self.rows(out, run_id)))

    def newest(self, topic: str) -> int:
        """The number of the latest event about a topic; 0 while there is none."""
        newest = "SELECT max(events.id) FROM events JOIN runs ON runs.id = run_id WHERE topic = ?"
        found = self.rows(newest, topic)
        return found[0][0] or 0 if found else 0

    def evidence(self, topic: str) -> Evidence:
        """What there is to judge about the roundtable on a topic."""
        found = self.rows("SELECT id, phase, thread_id FROM runs WHERE topic = ?", topic)
        if not found:
            return Evidence(topic, "", 0, {}, (), (), (), False)
        run_id, phase, thread_id = found[0]
        done = "SELECT key, created_at, payload FROM events WHERE run_id = ? AND type = 'call.done'"
        parts = (
            "SELECT key, message_id, state FROM posts WHERE run_id = ? AND target_id = ?"
            " AND kind != 'edit' ORDER BY position, part"
        )
        stem = self.rows("SELECT stem FROM files WHERE run_id = ?", run_id)
        folder = self.home / "memory" / "roundtables"
        return Evidence(
            topic=topic,
            phase=phase,
            runs=len(found),
            recorded={
                key: Noted(at, json.loads(payload)["status"] == "ok")
                for key, at, payload in self.rows(done, run_id)
            },
            calls=tuple(self._calls(topic, run_id)),
            posts=self.rows(parts, run_id, thread_id),
            shown=[message.id for message in self.discord.messages(thread_id)],
            files=bool(stem) and (folder / f"{stem[0][0]}.json").exists(),
        )

    def _calls(self, topic: str, run_id: str) -> Iterable[PaidCall]:
        roles = dict(self.rows("SELECT role, seat FROM seats WHERE run_id = ?", run_id))
        for call, prompt in self.models.by_topic().get(topic, ()):
            whole = call.finished.is_set() and id(call) not in self.models.spoiled
            key = call_key(prompt.template, prompt.values, roles)
            yield PaidCall(key, self.models.asked_at[id(call)], whole)
