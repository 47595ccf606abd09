"""What can happen to a fleet, and the campaign that lets it happen in every phase."""

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bench.support.fleet_arena import RESTART_SECONDS, FleetArena, Member, Role
from bench.support.fleet_judge import Death, worked_on
from bench.support.fleet_people import People
from bench.support.fleet_watch import IDLE, OPENING, PHASES, TALK, FleetWatch, Watched
from bench.support.postgres_proxy import Line

KILL_WORKER: Final = "kill -9 of a worker"
KILL_GATEWAY: Final = "kill -9 of a gateway"
STOP_WORKER: Final = "SIGSTOP of a worker, then SIGCONT"
STOP_GATEWAY: Final = "SIGSTOP of a gateway, then SIGCONT"
RESTART: Final = "Postgres restarted"
CRASH: Final = "Postgres crashed"
TERMINATE: Final = "all connections ended"
CUT_WORKER: Final = "a worker's connections cut"
HALF_OPEN_WORKER: Final = "a worker's connections half open"
CUT_ALL: Final = "everybody's connections cut"
TWO_CLAIM: Final = "two gateways claim one shard"
CLOCK_WORKER: Final = "a worker replaced, clock 5 minutes off"
CLOCK_GATEWAY: Final = "a gateway replaced, clock 5 minutes off"

# How often each is drawn, of 60; gateways' faults come while workers recover from theirs.
_WORK: Final = {
    KILL_WORKER: 10,
    STOP_WORKER: 4,
    CLOCK_WORKER: 4,
    CUT_WORKER: 3,
    HALF_OPEN_WORKER: 3,
    RESTART: 2,
    CRASH: 2,
    TERMINATE: 3,
    CUT_ALL: 2,
}
_HEARING: Final = {KILL_GATEWAY: 14, STOP_GATEWAY: 5, TWO_CLAIM: 4, CLOCK_GATEWAY: 4}
DEATHS: Final = (KILL_WORKER, CLOCK_WORKER)
_BEYOND_HEARTBEAT: Final = (9.0, 13.0)
_LONGEST_CUT: Final = 30.0
_CLOCK_OFF: Final = 300.0
_MEET_SECONDS: Final = 8.0
_RECOVER_SECONDS: Final = 20.0
_LONGEST_END: Final = 90.0
_STEP: Final = 0.05
_AT_ONCE: Final = 6


def moment(at: float) -> str:
    """A time as the logs write it."""
    return datetime.fromtimestamp(at).strftime("%H:%M:%S.%f")[:-3]  # noqa: DTZ006 (as they do)


def deck(dice: random.Random, faults: int) -> list[str]:
    """So many faults in the shares above, one of the gateways' after each of the others."""
    work, hearing = _drawn(dice, _WORK), _drawn(dice, _HEARING)
    found: list[str] = []
    while len(found) < faults:
        found += [next(work), next(hearing)]
    return found[:faults]


def _drawn(dice: random.Random, shares: dict[str, int]) -> Iterator[str]:
    """Every kind once first, then by its share, over and over."""
    first = list(shares)
    dice.shuffle(first)
    rest = [kind for kind, count in shares.items() for _ in range(count - 1)]
    while True:
        dice.shuffle(rest)
        yield from first
        yield from rest


@dataclass(slots=True)
class Supervisor:
    """Starts a process again after it ended, as systemd does."""

    arena: FleetArena
    clocks: dict[str, float]
    """The clock that the next process in place of one that ended shall have."""

    async def run(self) -> None:
        """Look for as long as this is not cancelled."""
        replaced: set[str] = set()
        while True:
            for member in [m for m in self.arena.members if not m.alive]:
                self.arena.bury(member)
                due = time.time() > member.died + RESTART_SECONDS
                if due and member.name not in replaced:
                    replaced.add(member.name)
                    ahead = self.clocks.pop(member.name, member.ahead)
                    await self.arena.start(member.role, ahead)
            await asyncio.sleep(_STEP)


class FaultCampaign:
    """One fault after the other while people ask and talk."""

    def __init__(self, people: People, dice: random.Random) -> None:
        self.people = people
        self.watch: FleetWatch = people.watch
        self.arena: FleetArena = people.arena
        self.dice = dice
        self.supervisor = Supervisor(self.arena, {})
        self.hits: Counter[tuple[str, str]] = Counter()
        self.deaths: list[Death] = []
        self.timeline: list[str] = []
        """What struck whom, and when, for whoever looks into a finding."""
        self._later: set[asyncio.Task[None]] = set()
        self._phases: Counter[str] = Counter()

    async def run(self, faults: int) -> None:
        """Let it all happen."""
        chores = [
            asyncio.create_task(chore)
            for chore in (self.supervisor.run(), self.watch.follow(), self._ask_and_talk(faults))
        ]
        try:
            for number, kind in enumerate(deck(self.dice, faults), 1):
                await self._strike(kind)
                if number % 10 == 0:
                    over = sum(bool(run.concluded) for run in self.watch.runs.values())
                    print(f"{number} faults, {over} roundtables over", flush=True)
                for chore in chores:
                    if chore.done():
                        chore.result()
            await asyncio.gather(*self._later)
            await self._finish()
        finally:
            for chore in chores:
                chore.cancel()
            await asyncio.gather(*chores, return_exceptions=True)

    async def _ask_and_talk(self, faults: int) -> None:
        while True:
            done = sum(self.hits.values()) / max(1, faults)
            under_way = sum(not run.concluded for run in self.watch.runs.values())
            share = min(1.0, done + 0.15) * self.people.runs
            if self.people.may_ask and under_way < _AT_ONCE and len(self.watch.runs) < share:
                await self.people.ask()
            await self.people.talk_a_little()
            await asyncio.sleep(0.4)

    async def _strike(self, kind: str) -> None:
        """Wait for the phase that was hit least, let the fault happen, and for the recovery."""
        if kind in _WORK:
            await self._recovered()
        await self._enough_are_up()
        run = await self._meet()
        phase = run.phase if run else OPENING
        await asyncio.sleep(self.dice.uniform(0.0, 0.5))
        struck = self._told(kind, run)
        await self._acts()[kind](run)
        self.timeline.append(f"{struck} until {moment(time.time())}")
        self.hits[kind, phase] += 1
        self._phases[phase] += 1
        await asyncio.sleep(self.dice.uniform(0.2, 1.0))

    def _told(self, kind: str, run: Watched | None) -> str:
        where = f"{run.phase} of {run.topic}" if run else "nothing under way"
        return f"{moment(time.time())} {kind} during {where}"

    async def _enough_are_up(self) -> None:
        """A fault takes one process of a role, so another one of it must be there to go on."""
        while min(len(self.arena.up("gateway")), len(self.arena.up("worker"))) < 2:
            await asyncio.sleep(_STEP)

    async def _meet(self) -> Watched | None:
        """A roundtable in the phase that was hit least."""
        wanted = min(PHASES, key=lambda phase: (self._phases[phase], self.dice.random()))
        if wanted == OPENING and self.people.may_ask:
            return await self.people.ask()
        silent = self.people.silent()
        if wanted == TALK and silent:
            await self.people.talk(silent[0])
            return silent[0]
        until = time.time() + _MEET_SECONDS
        while time.time() < until:
            begun = [run for run in self.watch.runs.values() if run.run_id]
            found = [run for run in begun if run.phase == wanted]
            if found:
                return self.dice.choice(found)
            await asyncio.sleep(_STEP)
        found = self.watch.open_runs()
        return self.dice.choice(found) if found else None

    async def _recovered(self) -> None:
        """Wait until the roundtables of the last worker that ended went on."""
        until = time.time() + _RECOVER_SECONDS
        while time.time() < until:
            waiting = [run for death in self.deaths[-1:] for run in self._left_by(death)]
            if not waiting and self.arena.sessions() and len(self.arena.up("worker")) > 1:
                return
            await asyncio.sleep(_STEP)

    def _left_by(self, death: Death) -> list[Watched]:
        """What a worker had in hand when it ended, and nobody has taken up yet."""
        asked = self.arena.models.by_topic
        return [
            run
            for run in self.watch.runs.values()
            if worked_on(run, asked.get(run.topic, ()), death)
            and self.watch.went_on(run, death.worker, death.at) is None
        ]

    async def _finish(self) -> None:
        """Let the fleet live until everything is over."""
        until = time.time() + _LONGEST_END
        while time.time() < until:
            ended = all(run.phase == IDLE for run in self.watch.runs.values())
            talked = all(run.questions for run in self.watch.runs.values())
            if ended and talked and not self.people.may_ask:
                break
            await asyncio.sleep(_STEP)
        await self.watch.look()

    def _acts(self) -> dict[str, Callable[[Watched | None], Awaitable[None]]]:
        return {
            KILL_WORKER: lambda run: self._kill(KILL_WORKER, self._worker_of(run)),
            KILL_GATEWAY: lambda _: self._kill(KILL_GATEWAY, self._one("gateway")),
            STOP_WORKER: lambda run: self._stop(STOP_WORKER, self._worker_of(run)),
            STOP_GATEWAY: lambda _: self._stop(STOP_GATEWAY, self._one("gateway")),
            CLOCK_WORKER: lambda run: self._shift(CLOCK_WORKER, self._worker_of(run)),
            CLOCK_GATEWAY: lambda _: self._shift(CLOCK_GATEWAY, self._one("gateway")),
            RESTART: lambda _: self._restart(signal.SIGINT),
            CRASH: lambda _: self._restart(signal.SIGQUIT),
            TERMINATE: lambda _: self._terminate(),
            CUT_WORKER: lambda run: self._cut(CUT_WORKER, self._worker_of(run), Line.REFUSED),
            HALF_OPEN_WORKER: lambda run: self._cut(
                HALF_OPEN_WORKER, self._worker_of(run), Line.SILENT
            ),
            TWO_CLAIM: lambda _: self._cut(TWO_CLAIM, self._one("gateway"), Line.SILENT),
            CUT_ALL: lambda _: self._cut_all(),
        }

    def _one(self, role: Role) -> Member | None:
        """A process of a role."""
        up = self.arena.up(role)
        return self.dice.choice(up) if up else None

    def _worker_of(self, run: Watched | None) -> Member | None:
        """The worker of a roundtable, else of any."""
        up = self.arena.up("worker")
        if not up:
            return None
        names = [self.watch.last_caller(each) for each in ([run] if run else [])]
        names += [each.caller for each in reversed(self.arena.models.asked[-20:])]
        by_name = {member.name: member for member in up}
        return next((by_name[name] for name in names if name in by_name), self.dice.choice(up))

    def _note(self, kind: str, member: Member) -> None:
        self.timeline.append(f"{moment(time.time())} {kind}: {member.name} {member.process.pid}")
        if member.role == "worker":
            self.deaths.append(Death(kind, member.name, time.time()))

    async def _kill(self, kind: str, member: Member | None) -> None:
        if member is not None:
            self._note(kind, member)
            member.died = time.time()
            await self.arena.end(member)

    async def _shift(self, kind: str, member: Member | None) -> None:
        if member is not None:
            off = _CLOCK_OFF if member.ahead <= 0 else -_CLOCK_OFF
            self.supervisor.clocks[member.name] = off
            await self._kill(kind, member)

    async def _stop(self, kind: str, member: Member | None) -> None:
        if member is None:
            return
        member.stopped = True
        member.send(signal.SIGSTOP)
        self._note(kind, member)

        async def wake() -> None:
            await asyncio.sleep(self.dice.uniform(*_BEYOND_HEARTBEAT))
            member.send(signal.SIGCONT)
            member.stopped = False

        self._do_later(wake())

    async def _cut(self, kind: str, member: Member | None, line: Line) -> None:
        if member is None or member.proxy is None:
            return
        proxy = member.proxy
        member.stopped = True
        proxy.set_line(line)
        self._note(kind, member)

        async def mend() -> None:
            low = _BEYOND_HEARTBEAT[0] if line is Line.SILENT else 1.0
            await asyncio.sleep(self.dice.uniform(low, _LONGEST_CUT / 2))
            proxy.set_line(Line.OPEN)
            member.stopped = False

        self._do_later(mend())

    async def _cut_all(self) -> None:
        """Nobody reaches Postgres; once for as long as thirty seconds."""
        longest = not any(kind == CUT_ALL for kind, _ in self.hits)
        line = Line.REFUSED if longest else Line.SILENT
        seconds = _LONGEST_CUT if longest else self.dice.uniform(5.0, 15.0)
        proxies = [m.proxy for m in self.arena.members if m.alive and m.proxy is not None]
        for proxy in proxies:
            proxy.set_line(line)
        await asyncio.sleep(seconds)
        for proxy in proxies:
            proxy.set_line(Line.OPEN)

    async def _restart(self, number: signal.Signals) -> None:
        server = self.arena.server
        server.process.send_signal(number)
        await asyncio.to_thread(server.process.wait, 20)
        await asyncio.sleep(self.dice.uniform(0.0, 3.0))
        server.start()
        await server.ready()

    async def _terminate(self) -> None:
        ended = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            f" WHERE datname = '{self.arena.database}' AND pid != pg_backend_pid()"
        )
        with suppress(OSError):
            await self.arena.server.execute(ended)

    def _do_later(self, action: Awaitable[None]) -> None:
        task = asyncio.ensure_future(action)
        self._later.add(task)
