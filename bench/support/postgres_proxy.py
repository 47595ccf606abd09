"""Stands between one process and Postgres, so that this process alone can lose its connections."""

import asyncio
import enum
from contextlib import suppress
from pathlib import Path
from typing import Final

_CHUNK: Final = 1 << 16
SOCKET: Final = ".s.PGSQL.5432"


class Line(enum.Enum):
    """How the line to the database is."""

    OPEN = "open"
    REFUSED = "refused"
    """Every connection is closed, and no new one is taken."""
    SILENT = "silent"
    """Half open: connections stay, and nothing comes through in either direction."""


class PostgresProxy:
    """A socket in a folder of its own that leads to the server's socket."""

    def __init__(self, folder: Path, server: Path) -> None:
        self.folder = folder
        self._server_socket = str(server / SOCKET)
        self._line = Line.OPEN
        self._flows = asyncio.Event()
        self._flows.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._listener: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Take connections."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = str(self.folder / SOCKET)
        self._listener = await asyncio.start_unix_server(self._serve, path)

    def url(self, database: str) -> str:
        """The database, reached through here."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def set_line(self, line: Line) -> None:
        """Cut the line, or mend it; what waited in a silent one then arrives late."""
        self._line = line
        if line is Line.SILENT:
            self._flows.clear()
            return
        self._flows.set()
        if line is Line.REFUSED:
            self._drop_all()

    def close(self) -> None:
        """Drop every connection and take no more."""
        if self._listener is not None:
            self._listener.close()
        self._drop_all()
        for task in self._tasks:
            task.cancel()

    def _drop_all(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._line is Line.REFUSED:
            writer.transport.abort()
            return
        self._writers.add(writer)
        await self._flows.wait()
        try:
            there, back = await asyncio.open_unix_connection(self._server_socket)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(back)
        ways = [self._carry(reader, back), self._carry(there, writer)]
        for way in ways:
            task = asyncio.create_task(way)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            while data := await reader.read(_CHUNK):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
        await self._flows.wait()  # the end of one side is news for the other, too
        self._writers.discard(writer)
        with suppress(OSError):
            writer.close()
