"""A real Postgres for tests: the binaries of pgserver, one server a test process, gone with it."""

import asyncio
import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

import asyncpg

SUPERUSER: Final = "postgres"
PATIENCE: Final = 20.0
_numbers = count(1)
# Nothing of a test must survive the machine, so the disk is never waited for.
_QUICK: Final = "fsync=off synchronous_commit=off full_page_writes=off shared_buffers=16MB".split()


@dataclass(slots=True)
class PostgresServer:
    """A running server that listens on a socket in its own folder."""

    folder: Path
    launch: "Callable[[], subprocess.Popen[bytes]]"
    process: "subprocess.Popen[bytes]" = field(init=False)

    def start(self) -> None:
        """Start it, or start it again."""
        self.process = self.launch()

    def stop(self) -> None:
        """The fast shutdown: it waits for no client."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(PATIENCE)

    async def ready(self) -> None:
        """Wait until it takes connections; a test that failed may have left it stopped."""
        if self.process.poll() is not None:
            self.start()
        await _ready(self)

    def url(self, database: str) -> str:
        return f"postgresql://{SUPERUSER}@/{database}?host={self.folder}"

    async def create(self) -> str:
        """Make an empty database and return its name."""
        name = f"test_{next(_numbers)}"
        await self.execute(f"CREATE DATABASE {name} TEMPLATE template0 STRATEGY file_copy")
        return name

    async def drop(self, name: str) -> None:
        await self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    async def execute(self, statement: str, database: str = SUPERUSER) -> None:
        """Run statements beside the store."""
        connection = await asyncpg.connect(self.url(database))
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


@contextmanager
def running_server() -> Iterator[PostgresServer]:
    """Start a server in a folder of its own; as root it runs as `nobody`, or it would refuse."""
    folder = Path(tempfile.mkdtemp(prefix="rt-pg-"))
    identity = _unprivileged(folder)
    binaries = _binaries(folder, shared=bool(identity))
    data = folder / "data"
    try:
        _initialise(binaries, data, identity)
        server = PostgresServer(folder, lambda: _start(binaries, data, folder, identity))
        server.start()
        try:
            asyncio.run(_ready(server))
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged(folder: Path) -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    import pwd  # noqa: PLC0415 (not on Windows)

    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _binaries(folder: Path, *, shared: bool) -> Path:
    spec = importlib.util.find_spec("pgserver")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    installed = Path(spec.submodule_search_locations[0]) / "pginstall"
    if shared and not all(parent.stat().st_mode & 0o001 for parent in installed.parents):
        # An environment in somebody's private folder cannot be entered by another user.
        installed = Path(shutil.copytree(installed, folder / "pginstall", symlinks=True))
    return installed / "bin"


def _initialise(binaries: Path, data: Path, identity: dict[str, Any]) -> None:
    options = "--auth=trust --encoding=UTF8 --locale=C --no-sync --no-instructions".split()
    command = [str(binaries / "initdb"), "-D", str(data), "-U", SUPERUSER, *options]
    made = subprocess.run(command, check=False, capture_output=True, cwd="/", **identity)
    assert made.returncode == 0, made.stderr


def _start(
    binaries: Path, data: Path, folder: Path, identity: dict[str, Any]
) -> "subprocess.Popen[bytes]":
    settings = [part for setting in _QUICK for part in ("-c", setting)]
    command = [str(binaries / "postgres"), "-D", str(data), "-k", str(folder), "-h", "", *settings]
    return subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **identity
    )


async def _ready(server: PostgresServer) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            await server.execute("SELECT 1")
        except (OSError, asyncpg.PostgresError):
            assert server.process.poll() is None, "the server ended"
            assert time.monotonic() < deadline, "the server did not start"
            await asyncio.sleep(0.02)
        else:
            return
