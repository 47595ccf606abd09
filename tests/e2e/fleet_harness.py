"""A fleet for tests: gateways and workers as processes, one Postgres, one embedded Discord."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg

from bot.playground.faults import PER_TOKEN, Limits, SessionStarts
from bot.playground.model import Channel, Guild
from bot.playground.server import EmbeddedDiscord
from tests.panels.panels_data import ALONE, alone
from tests.support.many_servers import discord_of
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import soon

VOTE = "roundtable --quick --vote tabs or spaces?"


@dataclass(slots=True)
class FleetHarness:
    """What a test starts, kills and looks at."""

    home: Path
    discord: EmbeddedDiscord
    url: str
    seconds_per_answer: float = 0.0
    processes: list[Process] = field(default_factory=list)

    async def start(
        self, role: str, program: Sequence[str] = ("-m", "bot"), **settings: str
    ) -> Process:
        """Start `roundtable gateway` or `roundtable worker` on a machine of its own."""
        home = self.home / f"{role}-{len(self.processes)}"
        home.mkdir()
        with (home / "out").open("wb") as out, (home / "err").open("wb") as err:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, *program, role),
                env=os.environ | self._variables(home) | settings,
                stdout=out,
                stderr=err,
            )
        self.processes.append(process)
        return process

    async def start_all(self, *roles: str, shards: int) -> list[Process]:
        """Start the first processes; wait until its workers work and its shards are connected."""
        started = [await self.start(role) for role in roles]
        await soon(lambda: self.working() == roles.count("worker"))
        await soon(lambda: self.sessions() == list(range(shards)))
        return started

    async def printed(self) -> str:
        """What `roundtable fleet` prints."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", "fleet"),
            env=os.environ | self._variables(self.home),
            stdout=asyncio.subprocess.PIPE,
        )
        return (await asyncio.wait_for(process.communicate(), 30))[0].decode()

    async def printed_with(self, right: Callable[[list[set[str]]], bool]) -> str:
        """What `roundtable fleet` prints once each gateway has the right shards."""
        async with asyncio.timeout(60):
            while not right(shares(printed := await self.printed())):
                pass
        return printed

    async def holders(self) -> dict[int, Process]:
        """Which worker holds which server now."""
        found: dict[int, Process] = {}
        processes = {str(process.pid): process for process in self.processes}
        for line in (await self.printed()).splitlines():
            if line.startswith("worker"):
                process = processes[line.split()[2]]
                servers = line.partition("servers ")[2].split(", ")
                found |= {int(one): process for one in servers if one.isdigit()}
        return found

    async def query(self, statement: str) -> list[asyncpg.Record]:
        """What the database says."""
        connection = await asyncpg.connect(self.url)
        try:
            return list(await connection.fetch(statement))
        finally:
            await connection.close()

    def _variables(self, home: Path) -> dict[str, str]:
        panels = alone()
        panels["providers"]["rehearsal"]["secondsPerAnswer"] = self.seconds_per_answer
        (home / "panels.json").write_text(json.dumps(panels), encoding="utf-8")
        return ALONE | {
            "ROUNDTABLE_HOME": str(home),
            "ROUNDTABLE_PANELS": str(home / "panels.json"),
            "ROUNDTABLE_DATABASE_URL": self.url,
            "DISCORD_TOKEN": self.discord.token,
            "ROUNDTABLE_DISCORD_API": self.discord.api_url,
            "ROUNDTABLE_DISCORD_GATEWAY": self.discord.gateway_url,
        }

    def sessions(self) -> list[int]:
        """The shards that are connected now."""
        known = self.discord.gateway.sessions.values()
        return sorted(session.shard for session in known if session.outbox is not None)

    @property
    def guilds(self) -> list[Guild]:
        """The servers."""
        return list(self.discord.world.guilds.values())

    def general(self, guild: Guild) -> Channel:
        """The one channel of a server."""
        return self.discord.world.channels_of(guild)[0]

    async def ask(self, guild: Guild, text: str = VOTE) -> None:
        """Somebody asks in a server."""
        await self.discord.say(self.discord.person("Mara").id, self.general(guild).id, text)

    async def ask_everywhere(self) -> None:
        """Somebody asks in every server."""
        for guild in self.guilds:
            await self.ask(guild)

    async def ask_one_by_one(self) -> None:
        """Ask in every server, so that an idle worker is there for each and all get some."""
        for guild in self.guilds:
            opened = len(self.discord.threads())
            await self.ask(guild)
            await soon(lambda: len(self.discord.threads()) > opened)  # noqa: B023 (at once)

    def voices(self) -> list[str]:
        """What panelists said, in all threads."""
        threads = [self.discord.messages(thread.id) for thread in self.discord.threads()]
        return [message.text for said in threads for message in said if message.webhook_id]

    def speaking(self) -> set[int]:
        """The servers in which panelists have spoken."""
        threads = {
            thread.guild_id or 0: self.discord.messages(thread.id)
            for thread in self.discord.threads()
        }
        return {guild for guild, said in threads.items() if any(m.webhook_id for m in said)}

    def resumed(self) -> set[int]:
        """The servers in which a thread says that its roundtable continues."""
        return {
            thread.guild_id or 0
            for thread in self.discord.threads()
            if any("was restarted" in message.text for message in self.discord.messages(thread.id))
        }

    def working(self) -> int:
        """How many workers have printed that they are connected."""
        return sum("Use this link" in out.read_text() for out in self.home.glob("worker-*/out"))

    def concluded(self) -> list[int]:
        """The servers in which a roundtable has concluded."""
        return sorted(
            thread.guild_id or 0
            for thread in self.discord.threads()
            if any("META" in message.text for message in self.discord.messages(thread.id))
        )

    async def conclude_everywhere(self) -> None:
        """Wait until a roundtable has concluded in every server."""
        await soon(lambda: self.concluded() == sorted(self.discord.world.guilds))

    async def calls(self) -> list[tuple[str, str]]:
        """Every call to a model that was paid, by its roundtable and its key."""
        rows = await self.query("SELECT run_id, key FROM calls WHERE status = 'ok'")
        return [(row["run_id"], row["key"]) for row in rows]

    async def topics(self) -> set[str]:
        """The topics of all roundtables; an erased one has none."""
        return {row["topic"] for row in await self.query("SELECT topic FROM runs")}

    def doubled(self) -> list[str]:
        """What was posted twice in one thread."""
        found: list[str] = []
        for thread in self.discord.threads():
            said = [m.text for m in self.discord.messages(thread.id) if m.webhook_id]
            found += [text for text in set(said) if said.count(text) > 1]
        return found

    def logged(self) -> str:
        """What all processes wrote."""
        files = sorted(self.home.glob("*/err")) + sorted(self.home.glob("*/out"))
        return "\n".join(f"== {file}\n{file.read_text()}" for file in files)


def shares(printed: str) -> list[set[str]]:
    """The shards of each gateway, as `roundtable fleet` prints them."""
    lines = [line for line in printed.splitlines() if line.startswith("gateway")]
    return [set(line.partition("shards ")[2].split(" of")[0].split(", ")) for line in lines]


async def ended(process: Process, how: signal.Signals = signal.SIGTERM) -> int:
    """End a process; returns its exit code."""
    process.send_signal(how)
    return await asyncio.wait_for(process.wait(), 20)


@asynccontextmanager
async def fleet(
    home: Path,
    postgres_server: PostgresServer,
    starts: SessionStarts,
    servers: int = 4,
    seconds_per_answer: float = 0.0,
) -> AsyncIterator[FleetHarness]:
    """An embedded Discord and an empty database; whatever was started is ended."""
    name = await postgres_server.create()
    async with discord_of(
        servers, starts, Limits(everything=PER_TOKEN, addresses=PER_TOKEN)
    ) as discord:
        harness = FleetHarness(home, discord, postgres_server.url(name), seconds_per_answer)
        try:
            yield harness
        except BaseException:
            print(harness.logged())
            raise
        finally:
            for process in harness.processes:
                if process.returncode is None:
                    process.send_signal(signal.SIGKILL)
                    await process.wait()
    await postgres_server.drop(name)
