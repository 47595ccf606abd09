"""The process of a harness: started without a shell in its own group, and always ended."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bot.files.private import make_folder
from bot.messages.models import HarnessText
from bot.types.model_port import ErrorKind, ModelError

GRACE_SECONDS: Final = 2.0
_KEPT_COMPLAINTS: Final = 2000
_HARNESS_BYTES: Final = 64 * 1024 * 1024
"""The limit for all output of a harness in one call, thoughts and tools included."""
_HARNESS_LINE_BYTES: Final = 4 * 1024 * 1024
"""The limit for one message of a harness, which may hold a file."""


class _HarnessOutput(asyncio.StreamReader):
    """The output of a harness by line; it ends when a line or the whole gets too long.

    The protocol's package reads lines of any length, and expects a StreamReader.
    """

    def __init__(self, source: asyncio.StreamReader) -> None:
        super().__init__()
        self._source = source
        self._left = _HARNESS_BYTES
        self.too_long = False

    async def readuntil(self, separator: Any = b"\n") -> bytes:
        """The next line, or the end of the output."""
        if not self.too_long:
            try:
                line = await self._source.readuntil(separator)
            except asyncio.LimitOverrunError:
                line = b""
            self._left -= len(line)
            self.too_long = not line or self._left < 0
        if self.too_long:
            raise asyncio.IncompleteReadError(b"", None)
        return line

    async def discard(self) -> None:
        """Read and drop the rest, because a pipe that is not read is never closed."""
        while self.too_long and await self._source.read(_HARNESS_LINE_BYTES):
            continue


class HarnessProcess:
    """A running harness; the end of its standard error is kept."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise RuntimeError("a harness needs all three pipes")
        self.stdin = process.stdin
        self.stdout = _HarnessOutput(process.stdout)
        self._process = process
        self._complaints = b""
        self._listening = asyncio.create_task(self._listen(process.stderr))

    @classmethod
    async def start(
        cls, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> "HarnessProcess":
        """Start the harness in its folder; raises ModelError."""
        try:
            await asyncio.to_thread(make_folder, folder)
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                env=dict(environment),
                limit=_HARNESS_LINE_BYTES,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise ModelError(ErrorKind.NOT_AUTHORISED, HarnessText.CANNOT_START) from error
        return cls(process)

    @property
    def pid(self) -> int:
        """The process id, which is also the id of its group."""
        return self._process.pid

    @property
    def complaints(self) -> str:
        """The end of what it wrote to standard error, in whole words: none is half a key."""
        said = self._complaints.decode("utf-8", "replace")
        return said if len(self._complaints) < _KEPT_COMPLAINTS else " ".join(said.split()[1:])

    async def ended(self) -> int:
        """Wait for its end; returns the exit code."""
        return await self._process.wait()

    async def end(self, grace: float = GRACE_SECONDS) -> None:
        """Close its input, then terminate, then kill it with everything it started."""
        with contextlib.suppress(OSError, RuntimeError):
            self.stdin.close()
        discarding = asyncio.create_task(self.stdout.discard())
        for kill in (False, True):
            if await self._gone(grace):
                break
            self._stop(kill=kill)
        await self._process.wait()
        self._stop(kill=True)
        await asyncio.wait({discarding}, timeout=grace)
        for task in (self._listening, discarding):
            task.cancel()
        await asyncio.gather(self._listening, discarding, return_exceptions=True)

    async def _gone(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._process.wait()
        except TimeoutError:
            return False
        return True

    def _stop(self, *, kill: bool) -> None:
        """Signal the whole process group where there are groups, so that no child is left."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if os.name == "posix":
                os.killpg(self.pid, signal.SIGKILL if kill else signal.SIGTERM)
            elif kill:
                self._process.kill()
            else:
                self._process.terminate()

    async def _listen(self, stderr: asyncio.StreamReader) -> None:
        while piece := await stderr.read(4096):
            self._complaints = (self._complaints + piece)[-_KEPT_COMPLAINTS:]
