"""A harness is a guest: a read-only system, its own folder, no home, and network only if told."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from bot.admin.service import harness_findings
from bot.models.adapters.acp import (
    AcpPort,
    Harness,
    Shelter,
    Workspaces,
    harness_environment,
    shelter,
)
from bot.models.adapters.acp import sandbox as module
from bot.models.adapters.acp.sandbox import inside, standing
from bot.models.availability import KnownLists
from bot.models.collect import collect
from bot.models.local_servers import LocalServers
from bot.operations.check import Asked, provider_lines
from bot.panels import AcpProvider, PanelsConfig, resolve_models
from bot.types.model_port import Activity, Origin, Scope
from tests.models.adapters.acp.agent_port import ORIGIN, AgentHarness, alive, command, request
from tests.panels.panels_data import bent, loaded

CAN = shelter() is Shelter.READY
LOOKING = Origin(ORIGIN.run_id, "att_8", "critic", scope=Scope.LOOKING)


@dataclass(frozen=True, slots=True)
class Machine:
    """The bot's home, somebody's own home with a secret, a project, and a folder for notes."""

    root: Path

    def __post_init__(self) -> None:
        for name in ("bot", "person", "project", "notes"):
            (self.root / name).mkdir()
            (self.root / name / "secret.txt").write_text("ours", encoding="utf-8")

    def secret(self, name: str) -> str:
        return str(self.root / name / "secret.txt")

    def harness(self, wanted: dict[str, Any], **more: Any) -> Harness:
        """A harness that tries by itself to read, write and reach what it is told to."""
        passed = {"PRY": json.dumps(wanted), "HARNESS_KEY": "its own"}
        return Harness(
            command(self.journal),
            Workspaces(self.root / "bot"),
            environment=harness_environment(passed) | {"HOME": str(self.root / "person")},
            **{"shared": (self.root / "notes",), **more},
        )

    @property
    def journal(self) -> Path:
        return self.root / "notes" / "journal.jsonl"

    async def pries(self, harness: Harness, origin: Origin = ORIGIN) -> dict[str, Any]:
        """What the harness managed to do in one call."""
        port = AcpPort(harness, 1)
        await collect(port, request("PRY", origin))
        await port.close()
        return self.notes("pry")[-1]

    def notes(self, what: str) -> list[dict[str, Any]]:
        """What the harness wrote down about itself."""
        return AgentHarness.watching(self.root / "notes").notes(what)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


Bwrap = Callable[[Shelter], None]


@pytest.fixture
def bwrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bwrap]:
    """Puts a bubblewrap on this machine that works, that fails, or none."""

    def install(found: Shelter) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        module.shelter.cache_clear()
        if found is not Shelter.NOT_INSTALLED:
            program = tmp_path / "bwrap"
            ends = "0" if found is Shelter.READY else "1"
            program.write_text(f"#!/bin/sh\nexit {ends}\n", encoding="utf-8")
            program.chmod(0o755)
        else:
            (tmp_path / "bwrap").unlink(missing_ok=True)

    yield install
    module.shelter.cache_clear()


@asynccontextmanager
async def listening() -> AsyncIterator[int]:
    """A port on this machine that takes connections."""
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def test_a_harness_sees_its_folder_and_neither_homes_nor_secrets_nor_the_network(
    machine: Machine,
) -> None:
    """Where this machine can make no sandbox, that is what check and doctor must say instead."""
    own = machine.root / "bot" / "workspaces" / ORIGIN.run_id / "made.txt"
    files = [machine.secret(name) for name in ("bot", "person", "project")]
    async with listening() as port:
        writes = [str(own), "/usr/made.txt", str(machine.root / "person" / "made.txt")]
        wanted = {"read": [*files, "/etc/passwd"], "write": writes, "port": port}
        shut, wide = (machine.harness(wanted, network=network) for network in (False, True))
        seen, connected = await machine.pries(shut), await machine.pries(wide)
    if not CAN:
        assert standing(AcpProvider(kind="acp", command=("true",)))[0].startswith("runs as this")
        return
    assert seen["read"] == dict.fromkeys(files, False) | {"/etc/passwd": True}
    assert (seen["reached"], connected["reached"]) == (False, True)
    assert seen["written"] == dict(zip(writes, (True, False, True), strict=True))
    assert own.exists()
    assert not (machine.root / "person" / "made.txt").exists()  # its home was one in memory
    assert len(seen["others"]) < 6


async def test_the_operators_folder_is_never_changed_whatever_the_rules_let_it(
    machine: Machine, bwrap: Bwrap
) -> None:
    """B30: also what a harness does by itself, without asking the bot, changes nothing there."""
    if not CAN:
        bwrap(Shelter.READY)
    project, bench = machine.root / "project", machine.root / "bot" / "workspaces" / ORIGIN.run_id
    wanted = {
        "read": [machine.secret("project")],
        "write": [str(project / "made.txt"), str(bench / "made.txt")],
        "port": 1,
    }

    async def may(allow: set[str], origin: Origin, **more: Any) -> tuple[bool, ...]:
        harness = machine.harness(wanted, workspace=project, allow=frozenset(allow), **more)
        if not CAN:
            bounds = harness.bounds(origin)
            reads = project in (bounds.folder, *bounds.inputs)
            return reads, *(bounds.writable and bounds.folder == at for at in (project, bench))
        seen = await machine.pries(harness, origin)
        return (*seen["read"].values(), *seen["written"].values())

    building = Origin(ORIGIN.run_id, "att_9", "engineer", scope=Scope.BUILDING)
    assert await may(set(), ORIGIN) == (True, False, False)
    assert await may({"read", "write"}, ORIGIN) == (True, False, False)
    assert await may({"read", "write"}, building) == (True, False, True)
    assert await may({"read", "write"}, LOOKING) == (True, False, False)
    assert await may({"write"}, building) == (False, False, True)
    if CAN:  # also where panels.json shares that folder
        shared = (machine.root / "notes", project)
        assert await may({"read", "write"}, ORIGIN, shared=shared) == (True, False, False)
        assert await may({"read", "write"}, building, shared=shared) == (True, False, True)
        assert await may({"write"}, building, shared=shared) == (True, False, True)
        assert await may({"read"}, LOOKING, shared=shared) == (True, False, False)


@pytest.mark.parametrize(
    ("found", "settings"),
    [
        (Shelter.READY, {"sandbox": False}),
        (Shelter.NOT_INSTALLED, {}),
        (Shelter.CANNOT, {}),
    ],
)
async def test_without_a_sandbox_a_discussion_does_not_begin_in_the_operators_folder(
    machine: Machine, bwrap: Bwrap, found: Shelter, settings: dict[str, Any]
) -> None:
    """B30: what a harness writes by itself lands in the run's own folder; it is told the other."""
    bwrap(found)
    project, bench = machine.root / "project", machine.root / "bot" / "workspaces" / ORIGIN.run_id
    wanted = {"read": [machine.secret("project")], "write": ["made.txt"], "port": 1}
    harness = machine.harness(wanted, workspace=project, allow=frozenset({"read"}), **settings)
    seen = await machine.pries(harness)
    assert seen["written"] == {"made.txt": True}
    assert [path.name for path in project.iterdir()] == ["secret.txt"]
    assert (bench / "made.txt").exists()
    assert seen["read"] == {machine.secret("project"): True}
    (new,), (prompt,) = (machine.notes(what) for what in ("new", "prompt"))
    assert (new["cwd"], new["roundtable"]["inputs"]) == (str(bench), [str(project)])
    assert f"You may read, but not change, what is in {project}." in prompt["text"]


@pytest.mark.skipif(not CAN, reason="this machine can make no sandbox")
async def test_no_other_name_of_the_operators_folder_makes_it_writable(machine: Machine) -> None:
    """B30: what `share` names may be a link to the folder, to one above it or to one in it."""
    project = machine.root / "project"
    (project / "inner").mkdir()
    ways = {"whole": project, "above": machine.root, "inner": project / "inner"}
    for name, real in ways.items():
        (machine.root / name).symlink_to(real)
    writes = ("whole/made.txt", "above/project/made.txt", "inner/made.txt")
    wanted = {"read": [], "write": [str(machine.root / name) for name in writes], "port": 1}
    for name in ways:
        shared = (machine.root / "notes", machine.root / name)
        harness = machine.harness(wanted, workspace=project, shared=shared)
        for origin in (ORIGIN, LOOKING):
            await machine.pries(harness, origin)
    assert sorted(path.name for path in project.rglob("*")) == ["inner", "secret.txt"]


async def test_a_harness_in_its_sandbox_ends_with_its_call(machine: Machine) -> None:
    """Also one that ignores every polite word, with the processes it started."""
    port = AcpPort(machine.harness({}), 1, grace=0.1)
    started: list[int] = []
    stream = port.stream(request("STUBBORN"))
    async for event in stream:
        if isinstance(event, Activity):
            started = await asyncio.to_thread(_processes_with, str(machine.journal))
            break
    await stream.aclose()
    await port.close()
    assert started
    async with asyncio.timeout(10):
        while any(map(alive, started)):  # noqa: ASYNC110 (the system tells nobody)
            await asyncio.sleep(0.02)


def _processes_with(text: str) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and text.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def test_the_command_line_holds_no_secret_and_gives_after_it_takes_away(machine: Machine) -> None:
    """Everybody on a machine can read command lines; later mounts cover earlier ones."""
    harness = machine.harness({"read": ["private words"]})
    line = inside(harness.command, Path(sys.executable), harness.bounds(ORIGIN))
    assert "its own" not in " ".join(line)
    assert "private words" not in " ".join(line)
    assert line[0] == "bwrap"
    for option in ("--unshare-all", "--die-with-parent", "--new-session", "--cap-drop"):
        assert option in line
    assert "--share-net" not in line
    places = [line[n + 1] for n, part in enumerate(line) if part in ("--tmpfs", "--bind")]
    bot, folder = machine.root / "bot", harness.folder(ORIGIN)
    assert places == ["/tmp", str(machine.root / "person"), str(bot), str(folder)]
    bound = {line[n + 2] for n, part in enumerate(line) if part.endswith(("bind", "bind-try"))}
    assert not {"/", "/home", "/root", "/etc", "/opt", "/var", "/run"} & bound
    assert line[line.index("--") + 1 :] == [sys.executable, *harness.command[1:]]


def test_a_program_in_somebodys_home_shows_itself_and_not_the_home(machine: Machine) -> None:
    home = machine.root / "person"
    harness = machine.harness({})
    for place, shown in {
        "bin/tool": "bin",
        ".local/bin/tool": ".local/bin",
        "tool": "tool",
    }.items():
        program = home / place
        program.parent.mkdir(parents=True, exist_ok=True)
        program.touch()
        line = inside(("tool",), program, harness.bounds(ORIGIN))
        seen = {line[n + 2] for n, part in enumerate(line) if part == "--ro-bind-try"}
        assert str(home / shown) in seen
        assert str(home) not in seen


@pytest.mark.parametrize(
    ("found", "settings", "said"),
    [
        (Shelter.READY, {}, "runs in a sandbox without network"),
        (Shelter.READY, {"network": True}, "runs in a sandbox with network access"),
        (Shelter.NOT_INSTALLED, {}, "install bubblewrap to run it in a sandbox"),
        (Shelter.CANNOT, {}, "bwrap is installed but cannot create a sandbox here"),
        (Shelter.READY, {"sandbox": False}, "panels.json disables its sandbox"),
    ],
)
def test_check_and_doctor_say_which_it_is(
    bwrap: Bwrap, found: Shelter, settings: dict[str, Any], said: str
) -> None:
    bwrap(found)
    config = with_harness(settings)
    resolution = resolve_models(config, lambda _: None, frozenset({"acp"}), {}, {})
    asked = Asked(LocalServers({}, {}), KnownLists(httpx.AsyncClient, lambda _: None))
    report = " ".join(" ".join(provider_lines(config, resolution, asked)).split())
    assert f"guest usable, runs {'in' if 'in a sandbox ' in said else 'as'}" in report
    assert said in report
    (finding,) = harness_findings(config)
    assert said in finding.line
    assert bool(finding.fix) == (found is not Shelter.READY)


def with_harness(settings: dict[str, Any]) -> PanelsConfig:
    guest = {"kind": "acp", "command": [sys.executable], **settings}
    return loaded(bent(lambda data: data["providers"].update(guest=guest)))


def test_a_sandbox_that_is_not_there_or_cannot_be_made_is_told_apart(
    bwrap: Bwrap,
) -> None:
    for found in Shelter:
        bwrap(found)
        assert module.shelter() is found
