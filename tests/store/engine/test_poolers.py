"""A pooler between the store and Postgres: one that shares sessions is noticed at the start."""

import asyncio
import itertools
import os
import shutil
import socket
import struct
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import pytest

from bot.errors import UnavailableError
from bot.store import Store
from tests.store.conftest import PostgresDatabases, on_postgres, start_run
from tests.support.time_travel import fast_time

NAME = ".s.PGSQL.5432"
BOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
SHARED = "is behind a pooler that shares sessions, such as PgBouncer with pool_mode transaction"
READY, IDLE, GOODBYE = b"Z", b"I", b"X"
Pair = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@pytest.fixture
def backend(request: pytest.FixtureRequest) -> PostgresDatabases:
    return on_postgres(request)


async def message(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """The kind of the next message of the server, and all its bytes."""
    head = await reader.readexactly(5)
    return head[:1], head + await reader.readexactly(struct.unpack("!I", head[1:])[0] - 4)


@dataclass
class Pooler:
    """Speaks the protocol of Postgres and lends sessions of the server, as PgBouncer does.

    With `sharing` all clients get the one session by turns, each until its transaction ends; else
    every client has one of its own. Either way a client is told another process number.
    """

    server: str
    sharing: bool
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="rt-pool-")))
    numbers: "itertools.count[int]" = field(default_factory=lambda: itertools.count(900_001))
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    common: tuple[Pair, bytes] | None = None

    async def log_in(self, startup: bytes) -> tuple[Pair, bytes]:
        """A session of the server, and what it says of itself to a new client."""
        pair = await asyncio.open_unix_connection(f"{self.server}/{NAME}")
        pair[1].write(startup)
        told = b""
        kind = b""
        while kind != READY:
            kind, data = await message(pair[0])
            told += struct.pack("!cIII", b"K", 12, 0, 0) if kind == b"K" else data
        return pair, told

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind: Pair | None = None
        try:
            startup = await reader.readexactly(4)
            startup += await reader.readexactly(struct.unpack("!I", startup)[0] - 4)
            if self.sharing:
                self.common = self.common or await self.log_in(startup)
            behind, told = self.common or await self.log_in(startup)
            key = struct.pack("!cIII", b"K", 12, next(self.numbers), 0)
            writer.write(told.replace(struct.pack("!cIII", b"K", 12, 0, 0), key))
            await self.carry(reader, writer, behind)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            if behind is not None and not self.sharing:
                behind[1].close()

    async def carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, behind: Pair
    ) -> None:
        """Pass everything on; a turn ends when the server is ready for another transaction."""
        reading = asyncio.create_task(reader.read(65536))
        try:
            while (data := await reading) and data[:1] != GOODBYE:
                reading = asyncio.create_task(reader.read(65536))
                async with self.turn if self.sharing else asyncio.Lock():
                    behind[1].write(data)
                    answering = asyncio.create_task(answer(behind[0], writer))
                    while not answering.done():
                        await asyncio.wait(
                            {reading, answering}, return_when=asyncio.FIRST_COMPLETED
                        )
                        if reading.done() and not answering.done():
                            behind[1].write(reading.result())
                            reading = asyncio.create_task(reader.read(65536))
                    answering.result()
        finally:
            reading.cancel()


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What the server says until it is ready and in no transaction."""
    kind, data = b"", b""
    while kind != READY or data[-1:] != IDLE:
        kind, data = await message(reader)
        writer.write(data)


@asynccontextmanager
async def pooled(places: PostgresDatabases, *, sharing: bool) -> AsyncIterator[str]:
    """The address of a database behind a pooler."""
    await places.prepared()
    pooler = Pooler(str(places.server.folder), sharing)
    listener = await asyncio.start_unix_server(pooler.serve, pooler.folder / NAME)
    try:
        yield f"postgresql://postgres@/{places.migrated}?host={pooler.folder}"
    finally:
        listener.close()
        if pooler.common is not None:
            pooler.common[0][1].close()
        shutil.rmtree(pooler.folder)


async def test_a_pooler_that_shares_sessions_is_refused_at_the_start(
    places: PostgresDatabases, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Issue 23 point 7: behind it two bots would both believe that they hold the lock.

    An earlier start leaves its prepared statements in the sessions of the pooler.
    """
    async with pooled(places, sharing=True) as url:
        alone, gateway, worker = (False, False), (True, False), (False, True)
        for guest, shared in (alone, alone, gateway, worker):
            monkeypatch.setattr(asyncpg.connection, "_uid", 0)  # as in a new process
            with pytest.raises(UnavailableError, match=SHARED):
                await Store.open(url, guest=guest, shared=shared)


async def test_a_pooler_that_keeps_sessions_apart_is_fine(places: PostgresDatabases) -> None:
    """Issue 23 point 7: pool_mode session; the lock holds, and is taken again after a loss."""
    async with pooled(places, sharing=False) as url:
        store = await Store.open(url)
        try:
            with pytest.raises(UnavailableError, match="is already in use by process"):
                async with fast_time(10):
                    await Store.open(url)
            await places.server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid != pg_backend_pid()"
            )
            await start_run(store)
            assert store.holding.held
        finally:
            await store.close()


@contextmanager
def bouncer(server: Path, mode: str, size: int) -> Iterator[str]:
    """A real PgBouncer; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folder = Path(tempfile.mkdtemp(prefix="rt-bouncer-"))
    folder.chmod(0o755)
    (folder / "users.txt").write_text('"postgres" ""\n', encoding="utf-8")
    lines = {
        "listen_addr": "127.0.0.1",
        "listen_port": port,
        "unix_socket_dir": "",
        "auth_type": "any",
        "auth_file": folder / "users.txt",
        "pool_mode": mode,
        "default_pool_size": size,
    }
    text = "\n".join(f"{name} = {value}" for name, value in lines.items())
    file = folder / "pgbouncer.ini"
    databases = f"[databases]\n* = host={server} user=postgres\n"
    file.write_text(f"{databases}[pgbouncer]\n{text}\n", encoding="utf-8")
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    command = [str(BOUNCER), "-q", *user, str(file)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(folder)


async def listening(url: str) -> None:
    async with asyncio.timeout(20):
        while True:
            with suppress(OSError, asyncpg.PostgresError):
                await (await asyncpg.connect(url)).close()
                return
            await asyncio.sleep(0.05)


@pytest.mark.skipif(BOUNCER is None, reason="PgBouncer is not installed")
@pytest.mark.parametrize(
    ("mode", "size", "sentence"),
    [
        ("transaction", 20, SHARED),
        ("transaction", 1, SHARED),
        ("statement", 20, SHARED),
        ("session", 20, ""),
        ("session", 2, "has too few sessions: raise its default_pool_size to 5 or more"),
    ],
)
async def test_a_real_pgbouncer_is_told_apart_by_its_mode(
    places: PostgresDatabases,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    size: int,
    sentence: str,
) -> None:
    """Issue 23 point 7."""
    await places.prepared()
    with bouncer(places.server.folder, mode, size) as address:
        url = f"postgresql://postgres@{address}/{places.migrated}"
        await listening(url)
        if sentence:
            for _ in range(3):
                monkeypatch.setattr(asyncpg.connection, "_uid", 0)  # as in a new process
                with pytest.raises(UnavailableError, match=sentence):
                    async with fast_time(5):
                        await Store.open(url)
            return
        store = await Store.open(url)
        try:
            await start_run(store)
            with pytest.raises(UnavailableError, match="is already in use by process"):
                async with fast_time(5):
                    await Store.open(url)
        finally:
            await store.close()
