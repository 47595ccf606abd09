"""Follows every roundtable of a fleet: in which phase it is, who works on it, when it went on."""

import asyncio
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from bench.support.crash_judge import phase_of
from bench.support.fleet_arena import FleetArena
from bot.playground._basics import moment_of

OPENING, ROUND_1, ROUND_2, SYNTHESIS, TALK = "opening", "round 1", "round 2", "synthesis", "talk"
PHASES: Final = (OPENING, ROUND_1, ROUND_2, SYNTHESIS, TALK)
OVER: Final = "over"
IDLE: Final = "idle"
"""Over, and nobody waits for a panelist's answer."""
_NAMES: Final = {
    "thread creation": OPENING,
    "meta-panel": OPENING,
    "round 1": ROUND_1,
    "round 2": ROUND_2,
    "round 3": ROUND_2,
    "stage 2": ROUND_2,
    "building": SYNTHESIS,
    "export": SYNTHESIS,
}
_OVERLAP: Final = 300
"""Numbers of events are given before their transactions end, so the newest are read again."""
_EVENTS: Final = (
    "SELECT e.id, e.run_id, e.type, e.key, e.payload::text AS payload,"
    " extract(epoch FROM pg_xact_commit_timestamp(e.xmin))::float8 AS at"
    " FROM events e WHERE e.id > $1 ORDER BY e.id"
)
IN_FLIGHT: Final = 0.05
"""What was on its way when a process died may arrive so long afterwards."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One event of the journal; `at` is when its transaction ended, by the database's clock."""

    type: str
    key: str
    payload: dict[str, Any]
    at: float


@dataclass(slots=True)
class Watched:
    """One roundtable that people asked for."""

    topic: str
    text: str
    channel_id: int
    asked_at: float
    run_id: str = ""
    thread_id: int = 0
    entries: list[Entry] = field(default_factory=list)
    questions: dict[int, int] = field(default_factory=dict)
    """What people asked its panelists: the message of each question, by its number."""

    @property
    def concluded(self) -> float:
        """When the roundtable itself was over; 0 before."""
        return next((e.at for e in self.entries if e.type == "export.written"), 0.0)

    @property
    def failed(self) -> float:
        """When the roundtable ended without a conclusion; 0 while it did not."""
        ends = ("failed#", "stopped#", "abandoned#", "cancelled#")
        moved = (e for e in self.entries if e.type == "task.transitioned")
        return next((e.at for e in moved if e.key.startswith(ends)), 0.0)

    @property
    def open_questions(self) -> list[int]:
        """The messages that no panelist has answered yet."""
        closed = {e.key for e in self.entries if e.type == "followup.closed"}
        return [number for number in self.questions.values() if str(number) not in closed]

    @property
    def phase(self) -> str:
        """Where it stands, in the words of the bench."""
        if not self.run_id:
            return OPENING
        events = [(each.type, each.key, each.payload) for each in self.entries]
        known = phase_of(events, 0, sending=False)
        if known == OVER or self.failed:
            return TALK if self.open_questions else IDLE
        return _NAMES.get(known, known)


class FleetWatch:
    """Reads the journal over and over."""

    def __init__(self, arena: FleetArena) -> None:
        self.arena = arena
        self.runs: dict[str, Watched] = {}
        self._known: set[int] = set()
        self._newest = 0
        self._by_id: dict[str, Watched] = {}

    async def look(self) -> None:
        """Read what is new."""
        if any(not each.run_id for each in self.runs.values()):
            await self._find_runs()
        for row in await self.arena.rows(_EVENTS, max(0, self._newest - _OVERLAP)):
            run = self._by_id.get(row["run_id"])
            if run is None or row["id"] in self._known:
                continue
            self._known.add(row["id"])
            self._newest = max(self._newest, row["id"])
            payload = json.loads(row["payload"])
            run.entries.append(Entry(row["type"], row["key"], payload, row["at"] or time.time()))
            if row["type"] == "place.opened":
                await self._find_threads()

    async def _find_runs(self) -> None:
        for row in await self.arena.rows("SELECT id, topic, thread_id FROM runs ORDER BY id"):
            run = self.runs.get(row["topic"])
            if run is not None and not run.run_id:
                run.run_id, run.thread_id = row["id"], row["thread_id"] or 0
                self._by_id[run.run_id] = run
                self._newest = 0  # its first events may have been passed over

    async def _find_threads(self) -> None:
        for row in await self.arena.rows("SELECT id, thread_id FROM runs"):
            run = self._by_id.get(row["id"])
            if run is not None:
                run.thread_id = row["thread_id"] or 0

    def open_runs(self) -> list[Watched]:
        """What is not over, and what waits for a panelist."""
        return [run for run in self.runs.values() if run.phase != IDLE]

    def last_caller(self, run: Watched) -> str:
        """The process that last asked a model for a roundtable."""
        asked = self.arena.models.by_topic.get(run.topic)
        return asked[-1].caller if asked else ""

    def of_worker(self, name: str) -> list[Watched]:
        """What a worker works on: what it asked models for last and has not finished."""
        return [run for run in self.open_runs() if self.last_caller(run) == name]

    def went_on(self, run: Watched, name: str, died: float) -> float | None:
        """When somebody else did something for a roundtable after its worker died."""
        moments = [*self._called(run, name), *(entry.at for entry in run.entries)]
        later = [moment for moment in [*moments, *self._posted(run)] if moment > died + IN_FLIGHT]
        return min(later, default=None)

    def _called(self, run: Watched, name: str) -> Iterable[float]:
        asked = self.arena.models.by_topic.get(run.topic, ())
        return (each.at for each in asked if each.caller != name)

    def _posted(self, run: Watched) -> Iterable[float]:
        """When the bot or a panelist spoke in the thread."""
        if not run.thread_id:
            return ()
        said = self.arena.discord.messages(run.thread_id)
        return (moment_of(message.id) for message in said if message.author.bot)

    async def follow(self, seconds: float = 0.1) -> None:
        """Look for as long as this is not cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(seconds)
