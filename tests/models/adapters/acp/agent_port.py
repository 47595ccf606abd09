"""A port to the harness in agent.py, and what that harness wrote down about itself."""

import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.models.adapters.acp import AcpPort, Harness, Workspaces, harness_environment
from bot.models.collect import Asides, collect
from bot.types.model_port import Activity, Answer, Message, ModelEvent, ModelRequest, Origin, Prompt

AGENT = Path(__file__).with_name("agent.py")
ORIGIN = Origin("rt_0a1b2c3d", "att_7", "analyst", label="rt-analyst")


@dataclass(frozen=True, slots=True)
class AgentHarness:
    """One harness under test."""

    port: AcpPort
    home: Path
    journal: Path

    @classmethod
    def watching(cls, home: Path) -> "AgentHarness":
        """Only the notes of a harness that somebody else starts."""
        return cls(AcpPort(Harness(("true",), Workspaces(home)), 1), home, journal_of(home))

    async def ask(
        self,
        text: str,
        asides: Asides | None = None,
        origin: Origin = ORIGIN,
        seconds: float = 20.0,
    ) -> Answer:
        return await collect(self.port, request(text, origin, seconds), asides=asides)

    def notes(self, what: str = "") -> list[dict[str, Any]]:
        if not self.journal.exists():
            return []
        lines = map(json.loads, self.journal.read_text(encoding="utf-8").splitlines())
        return [line for line in lines if what in ("", line["what"])]

    @property
    def folder(self) -> Path:
        return self.home / "workspaces" / ORIGIN.run_id


def request(text: str, origin: Origin = ORIGIN, seconds: float = 20.0) -> ModelRequest:
    messages = (Message("system", "Be brief."), Message("user", text))
    return ModelRequest(
        "codex", Prompt("round1", {}, messages), "r1:analyst", seconds, origin=origin
    )


def journal_of(home: Path) -> Path:
    return home / "journal.jsonl"


def command(journal: Path) -> tuple[str, ...]:
    return (sys.executable, str(AGENT), str(journal))


@asynccontextmanager
async def open_agent(
    home: Path,
    allow: frozenset[str] = frozenset(),
    passed: Mapping[str, str | None] | None = None,
    places: int = 4,
    workspace: Path | None = None,
    tools: Callable[[], tuple[str, str] | None] | None = None,
) -> AsyncIterator[AgentHarness]:
    """A port to the harness; at the end nothing of it may be running."""
    journal = journal_of(home)
    environment = harness_environment(passed or {})
    # The notes name processes as this machine does, so nothing is between it and the harness.
    harness = Harness(
        command(journal), Workspaces(home), workspace, allow, environment, sandbox=False
    )
    if tools is not None:
        harness = replace(harness, wants_tools=True, served_at=tools)
    seat = AgentHarness(AcpPort(harness, places, grace=0.3), home, journal)
    yield seat
    await seat.port.close()
    pids = {note[name] for note in seat.notes() for name in ("pid", "child") if name in note}
    assert [pid for pid in pids if alive(pid)] == []


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text(encoding="utf-8").split()[2] != "Z"


async def until_doing(events: AsyncGenerator[ModelEvent, None]) -> AsyncGenerator[ModelEvent, None]:
    """The events up to the first that tells what the harness is busy with."""
    async for event in events:
        yield event
        if isinstance(event, Activity):
            return
