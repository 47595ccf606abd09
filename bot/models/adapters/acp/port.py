"""The port to a harness: one process per call, always ended; its session is resumed."""

import asyncio
import shutil
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bot.messages.models import HarnessText
from bot.models.adapters.acp.harness import Harness
from bot.models.adapters.acp.process import GRACE_SECONDS, HarnessProcess
from bot.models.adapters.acp.sandbox import inside
from bot.models.collect import longest_answer
from bot.models.queue import CallQueue
from bot.types.model_port import Delta, ErrorKind, ModelError, ModelEvent, ModelRequest, Started

if TYPE_CHECKING:
    from bot.models.adapters.acp.talk import Talk


_TAIL_SECONDS: Final = 1.0
"""How long to read what a harness wrote just before its end."""


class AcpPort:
    """Calls one harness; every call has its own process, so that none outlives its call."""

    def __init__(self, harness: Harness, max_concurrent: int, grace: float = GRACE_SECONDS) -> None:
        self._harness = harness
        self._grace = grace
        self._line = CallQueue(max_concurrent)
        self._ending: set[asyncio.Task[None]] = set()

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one answer; raises ModelError."""
        return self._line.served(self._in_its_folder(request))

    async def close(self) -> None:
        """Wait until every process has ended."""
        while self._ending:
            await asyncio.wait(self._ending)

    async def _in_its_folder(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        run_id, over = _run_of(request)
        async with (
            self._harness.workspaces.using(run_id, last=over),
            aclosing(self._called(request)) as events,
        ):
            async for event in events:
                yield event

    async def _called(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        harness = self._harness
        talk_class = await _talk_class()
        command = await asyncio.to_thread(_command, harness, request)
        folder = harness.folder(request.origin)
        process = await HarnessProcess.start(command, folder, harness.environment)
        told: asyncio.Queue[ModelEvent | None] = asyncio.Queue()
        talk = talk_class(harness, request, process, told.put_nowait)
        talking = asyncio.create_task(_until_over(talk, process, told))
        try:
            yield Started(request.model)
            left = longest_answer(request)
            while (event := await told.get()) is not None:
                left -= len(event.text) if isinstance(event, Delta) else 0
                if left < 0:
                    raise ModelError(ErrorKind.BAD_OUTPUT, HarnessText.WOULD_NOT_STOP)
                yield event
            await talking
        finally:
            ending = asyncio.create_task(_end(talk, process, talking, self._grace))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)
            # The process is ended even if the caller is cancelled, and close() waits for that.
            await asyncio.shield(ending)


def _command(harness: Harness, request: ModelRequest) -> Sequence[str]:
    """The command to start: the harness, in a sandbox where this machine supports one."""
    if not harness.confined:
        return harness.command
    program = shutil.which(harness.command[0], path=harness.environment.get("PATH"))
    if program is None:
        raise ModelError(ErrorKind.NOT_AUTHORISED, HarnessText.CANNOT_START)
    return inside(harness.command, Path(program).absolute(), harness.bounds(request.origin))


def _run_of(request: ModelRequest) -> tuple[str, bool]:
    origin = request.origin
    return (origin.run_id, origin.over) if origin else ("", False)


async def _talk_class() -> "type[Talk]":
    """Import the conversation in a thread, because the protocol's package takes a second."""
    try:
        module = await asyncio.to_thread(import_module, "bot.models.adapters.acp.talk")
    except ImportError as error:
        raise ModelError(ErrorKind.NOT_AUTHORISED, HarnessText.NOT_INSTALLED) from error
    talk: type[Talk] = module.Talk
    return talk


async def _until_over(
    talk: "Talk", process: HarnessProcess, told: "asyncio.Queue[ModelEvent | None]"
) -> None:
    """Run the conversation until it ends or the process does; None marks the end."""
    holding = asyncio.create_task(talk.hold())
    dying = asyncio.create_task(process.ended())
    try:
        await asyncio.wait({holding, dying}, return_when=asyncio.FIRST_COMPLETED)
        if not holding.done():
            await asyncio.wait({holding}, timeout=_TAIL_SECONDS)
        if not holding.done():
            raise talk.broken()
        holding.result()
    finally:
        for task in (holding, dying):
            task.cancel()
        await asyncio.gather(holding, dying, return_exceptions=True)
        told.put_nowait(None)


async def _end(
    talk: "Talk", process: HarnessProcess, talking: "asyncio.Task[None]", grace: float
) -> None:
    """Cancel, terminate, then kill; close the connection last, for a stuck pipe blocks it."""
    await talk.abandon()
    talking.cancel()
    await asyncio.gather(talking, return_exceptions=True)
    await process.end(grace)
    await talk.close()
