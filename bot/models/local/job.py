"""One generation in the runtime's thread, read from the event loop; it can be given up."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from concurrent.futures import Executor
from typing import Any

from bot.models.local.runtime import Chunk, Runtime
from bot.models.port import ErrorKind, ModelError
from bot.words import local_model as words


async def chunks(
    runtime: Runtime, body: Mapping[str, Any], worker: Executor
) -> AsyncGenerator[Chunk, None]:
    """The chunks of an answer; closing this stops the runtime and waits until it has stopped."""
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[Chunk | None] = asyncio.Queue()
    given_up = False

    def on_chunk(chunk: Chunk) -> bool:
        loop.call_soon_threadsafe(arrived.put_nowait, chunk)
        return given_up

    def work() -> None:
        try:
            if not given_up:
                runtime.generate(body, on_chunk)
        except Exception as error:
            raise ModelError(ErrorKind.BAD_OUTPUT, words.RUNTIME_FAILED) from error
        finally:
            loop.call_soon_threadsafe(arrived.put_nowait, None)

    running = loop.run_in_executor(worker, work)
    try:
        while (chunk := await arrived.get()) is not None:
            yield chunk
        await running
    finally:
        given_up = True
        # The next call gets its turn only when the thread is free, whoever is impatient here.
        await _ended(running)


async def _ended(running: "asyncio.Future[None]") -> None:
    interrupted = False
    while not running.done():
        try:
            await asyncio.shield(asyncio.wait({running}))
        except asyncio.CancelledError:
            interrupted = True
    if interrupted:
        raise asyncio.CancelledError
