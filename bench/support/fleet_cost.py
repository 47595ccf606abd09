"""What a meeting costs: CPU seconds of every process that takes part, Postgres included."""

import asyncio
import os
import signal
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.support.fleet_arena import FleetArena, Role
from bench.support.fleet_people import People
from bench.support.fleet_watch import FleetWatch

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_UTIME, _CSTIME, _PARENT = 11, 14, 1
"""Places in /proc/PID/stat behind the name: own and waited-for children's times, the parent."""
IDLE_SECONDS: Final = 5.0
_AT_ONCE: Final = 8
_SETTLED: Final = 2.0
_PATIENCE: Final = 180.0


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of a number of meetings, and of the same processes while nothing happened."""

    label: str
    meetings: int
    total: float
    idle_each_second: float
    seconds: float

    @property
    def each(self) -> float:
        """CPU seconds for one meeting, without what the processes cost at rest."""
        return (self.total - self.idle_each_second * self.seconds) / self.meetings

    def line(self) -> str:
        """What was measured, in words."""
        gross = self.total / self.meetings
        return (
            f"{self.label:24} {1000 * self.each:7.0f} ms a meeting"
            f" ({1000 * gross:.0f} ms with {1000 * self.idle_each_second:.1f} ms a second at rest,"
            f" {self.meetings} meetings in {self.seconds:.0f} s)"
        )


def cpu_seconds(pid: int) -> float:
    """What a process and all below it used, ended ones included once somebody waited for them."""
    own = sum(_figures(pid)[_UTIME : _CSTIME + 1]) / _TICKS
    return own + sum(cpu_seconds(child) for child in _children(pid))


def _figures(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    words = text.rpartition(")")[2].split()
    return [int(word) if word.lstrip("-").isdigit() else 0 for word in words]


def _children(pid: int) -> Iterable[int]:
    for entry in Path("/proc").iterdir():
        figures = _figures(int(entry.name)) if entry.name.isdigit() else []
        if figures and figures[_PARENT] == pid:
            yield int(entry.name)


async def measure(arena: FleetArena, label: str, roles: Iterable[Role], meetings: int) -> Cost:
    """Hold so many meetings with these processes, after each server had one to warm up."""
    for role in roles:
        await arena.start(role)
    await _connected(arena)
    watch = FleetWatch(arena)
    people = People(watch, arena.models.dice, 0)
    channels = len(arena.channels())
    await _hold(arena, people, channels)
    await asyncio.sleep(_SETTLED)
    before = _used(arena)
    await asyncio.sleep(IDLE_SECONDS)
    idle = (_used(arena) - before) / IDLE_SECONDS
    began, before = time.monotonic(), _used(arena)
    await _hold(arena, people, meetings)
    await asyncio.sleep(_SETTLED)
    cost = Cost(label, meetings, _used(arena) - before, idle, time.monotonic() - began)
    for member in arena.members:
        await arena.end(member, signal.SIGTERM)
    return cost


async def _connected(arena: FleetArena) -> None:
    async with asyncio.timeout(_PATIENCE):
        working = [member for member in arena.members if member.role != "gateway"]
        while not all("client_id=" in member.logged() for member in working):
            await asyncio.sleep(0.1)
        if any(member.role == "worker" for member in arena.members):
            await arena.ready()
        while not arena.discord.world.commands:
            await asyncio.sleep(0.1)


async def _hold(arena: FleetArena, people: People, meetings: int) -> None:
    """Hold so many meetings, a few at a time, and wait until their files are posted."""
    wanted = len(arena.discord.threads()) + meetings
    asked = 0
    async with asyncio.timeout(_PATIENCE):
        while (over := _over(arena)) < wanted:
            if asked < meetings and wanted - meetings + asked - over < _AT_ONCE:
                asked += 1
                await people.ask()
            await asyncio.sleep(0.05)


def _over(arena: FleetArena) -> int:
    """The threads that have their minutes; people see the same on SQLite and Postgres."""
    said = (arena.discord.messages(thread.id) for thread in arena.discord.threads())
    return sum(any(m.text.startswith("📄") for m in messages[-3:]) for messages in said)


def _used(arena: FleetArena) -> float:
    pids = [member.process.pid for member in arena.members if member.alive]
    if any(member.role != "run" for member in arena.members):
        pids.append(arena.server.process.pid)
    return sum(cpu_seconds(pid) for pid in pids)
