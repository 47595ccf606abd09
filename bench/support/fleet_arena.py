"""A fleet on one machine: Postgres, an embedded Discord, models, and processes that may die."""

import asyncio
import json
import os
import random
import signal
import sys
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import asyncpg

from bench.support.fleet_models import FleetModels
from bench.support.postgres_proxy import PostgresProxy
from bot.playground.faults import PER_TOKEN, Fault, Limits, SessionStarts
from bot.playground.model import Channel
from bot.playground.server import EmbeddedDiscord
from bot.settings import SHIPPED_PANELS
from tests.support.many_servers import discord_of
from tests.support.postgres_server import PostgresServer

Role = Literal["gateway", "worker", "run"]
SHARDS: Final = 4
SERVERS: Final = 8
RESTART_SECONDS: Final = 2.0
"""As RestartSec in the units that are shipped."""
_DISCORD_SECONDS: Final = 0.04
_CLOCK_FOLDER: Final = Path(__file__).parent / "shifted_clock"
_ROOT: Final = Path(__file__).resolve().parents[2]
_PATIENCE: Final = 90.0
_NAME: Final = "BENCH_PROCESS"
"""The key that a process sends to the model server: its own name."""


@dataclass(slots=True, eq=False)
class Member:
    """One process of the fleet, on a machine of its own."""

    name: str
    role: Role
    home: Path
    process: Process
    proxy: PostgresProxy | None
    ahead: float
    died: float = 0.0
    stopped: bool = False

    @property
    def alive(self) -> bool:
        """Whether it runs; a stopped one does."""
        return self.process.returncode is None

    def send(self, number: signal.Signals) -> None:
        """Send a signal, if it still runs."""
        with suppress(ProcessLookupError):
            self.process.send_signal(number)

    def logged(self) -> str:
        """What it wrote."""
        return (self.home / "log").read_text(encoding="utf-8", errors="replace")


@dataclass(slots=True)
class FleetArena:
    """Where the fleet lives."""

    home: Path
    server: PostgresServer
    database: str
    discord: EmbeddedDiscord
    models: FleetModels
    starts: SessionStarts
    direct: bool = False
    """Whether processes reach Postgres without a proxy in between."""
    members: list[Member] = field(default_factory=list)
    numbers: int = 0
    _connection: "asyncpg.Connection[Any] | None" = None

    async def start(self, role: Role, ahead: float = 0.0) -> Member:
        """Start a process, with a clock that is so many seconds ahead."""
        self.numbers += 1
        name = f"{role}-{self.numbers}"
        home = self.home / name
        home.mkdir()
        proxy = None
        if not self.direct and role != "run":
            proxy = PostgresProxy(home / "pg", self.server.folder)
            await proxy.open()
        with (home / "log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", role),
                cwd=_ROOT,
                env=os.environ | self._variables(name, home, role, proxy, ahead),
                stdout=log,
                stderr=log,
            )
        member = Member(name, role, home, process, proxy, ahead)
        self.members.append(member)
        return member

    def _variables(
        self, name: str, home: Path, role: Role, proxy: PostgresProxy | None, ahead: float
    ) -> dict[str, str]:
        (home / "panels.json").write_text(json.dumps(self._panels()), encoding="utf-8")
        variables = {
            _NAME: name,
            "ROUNDTABLE_HOME": str(home),
            "ROUNDTABLE_PANELS": str(home / "panels.json"),
            "ROUNDTABLE_LOCAL": "off",
            "ROUNDTABLE_LOG": "INFO",
            "DISCORD_TOKEN": self.discord.token,
            "ROUNDTABLE_DISCORD_API": self.discord.api_url,
            "ROUNDTABLE_DISCORD_GATEWAY": self.discord.gateway_url,
        }
        if role != "run":
            url = proxy.url(self.database) if proxy else self.server.url(self.database)
            variables["ROUNDTABLE_DATABASE_URL"] = url
        if ahead:
            variables |= {"PYTHONPATH": str(_CLOCK_FOLDER), "BENCH_CLOCK_AHEAD": str(ahead)}
        return variables

    def _panels(self) -> dict[str, Any]:
        """The shipped panels with every model on the bench's server, which sees who asks."""
        panels: dict[str, Any] = json.loads(SHIPPED_PANELS.read_text(encoding="utf-8"))
        panels["providers"] = {
            "local": {"kind": "openai", "baseUrl": self.models.url, "apiKeyEnv": _NAME}
        }
        for key, model in panels["models"].items():
            model["routes"] = [{"provider": "local", "model": key}]
        panels["search"] = {"provider": "off"}
        panels["trigger"] |= {"cooldownSeconds": 0, "maxConcurrent": 50}
        panels["followups"] |= {"cooldownSeconds": 0}
        # One person asks for more in minutes than anybody may spend in a day.
        panels["budgets"] |= {"perPersonPerDayUsd": 1000.0, "perServerPerDayUsd": 1000.0}
        return panels

    def up(self, role: Role) -> list[Member]:
        """The processes of a role that run and are not stopped."""
        return [m for m in self.members if m.role == role and m.alive and not m.stopped]

    async def ready(self) -> None:
        """Wait until every shard is connected and a worker works."""
        async with asyncio.timeout(_PATIENCE):
            while self.sessions() != list(range(SHARDS)) or not self.at_work():
                await asyncio.sleep(0.05)

    def sessions(self) -> list[int]:
        """The shards that are connected now, each once."""
        known = self.discord.gateway.sessions.values()
        return sorted({session.shard for session in known if session.outbox is not None})

    def at_work(self) -> list[Member]:
        """The workers that have said that they hold meetings."""
        return [each for each in self.up("worker") if "client_id=" in each.logged()]

    def channels(self) -> list[Channel]:
        """The one channel of each server."""
        return [self.discord.world.channels_of(g)[0] for g in self.discord.world.guilds.values()]

    async def rows(self, query: str, *values: object) -> list[Any]:
        """Read the database beside the fleet; nothing while it is away or has no tables."""
        try:
            if self._connection is None or self._connection.is_closed():
                self._connection = await asyncpg.connect(self.server.url(self.database), timeout=5)
            found: list[Any] = await self._connection.fetch(query, *values)
        except (
            OSError,
            asyncpg.PostgresError,
            asyncpg.InterfaceError,
            asyncpg.InternalClientError,
        ):
            self._connection = None
            return []
        return found

    async def end(self, member: Member, number: signal.Signals = signal.SIGKILL) -> None:
        """End a process and wait for it."""
        member.send(signal.SIGCONT)
        member.send(number)
        await member.process.wait()
        self.bury(member)

    def bury(self, member: Member) -> None:
        """Note that a process is gone; its socket stays until all are."""
        member.died = member.died or time.time()
        if member.proxy is not None:
            member.proxy.close()

    async def close(self) -> None:
        """End everything."""
        for member in self.members:
            if member.alive:
                await self.end(member)
        if self._connection is not None:
            await self._connection.close(timeout=2)


@asynccontextmanager
async def fleet_arena(
    home: Path,
    server: PostgresServer,
    dice: random.Random,
    model_seconds: float,
    *,
    direct: bool = False,
) -> AsyncIterator[FleetArena]:
    """An empty database, servers in an embedded Discord, and no process yet."""
    name = await server.create()
    # Some kills take the server with them: what it promised must be on its disk.
    await server.execute(f"ALTER DATABASE {name} SET synchronous_commit = on")
    starts = SessionStarts(SHARDS, max_concurrency=SHARDS, seconds=5.0)
    limits = Limits(everything=PER_TOKEN)
    models = FleetModels(random.Random(dice.randrange(1000)), model_seconds)
    async with models, discord_of(SERVERS, starts, limits) as discord:
        discord.faults.add(Fault("delay", "POST", seconds=_DISCORD_SECONDS, times=-1))
        arena = FleetArena(home, server, name, discord, models, starts, direct)
        try:
            yield arena
        finally:
            await arena.close()
    with suppress(asyncpg.PostgresError, OSError):
        await server.drop(name)
