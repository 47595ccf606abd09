"""The inference runtime behind a small interface, so that tests can replace it."""

import asyncio
import os
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, Final, Protocol

from bot.messages.models import LocalModelText
from bot.types.model_port import ErrorKind, ModelError

CONTEXT_TOKENS: Final = 8192
"""The context of SmolLM2 in tokens, for a prompt and its answer together."""
_BATCH_TOKENS: Final = 128
"""Batch size; the runtime checks for cancellation between two batches."""
_QUIET: Final = -1

Chunk = Mapping[str, Any]
_Stop = bool
OnChunk = Callable[[Chunk], _Stop]


class Runtime(Protocol):
    """Blocks while it computes; a callback that returns True stops it."""

    def generate(self, body: Mapping[str, Any], on_chunk: OnChunk) -> None:
        """Answer a chat completion request of llama.cpp in chunks."""
        ...


def spare_threads(cores: int | None = None) -> int:
    """All cores but one, which is left for the bot; at least one."""
    return max(1, (cores or os.cpu_count() or 1) - 1)


def open_runtime(path: Path, threads: int | None) -> Runtime:
    """Load the model, which takes a second; raises ModelError when that is impossible."""
    try:
        import xllamacpp  # noqa: PLC0415 (an extra, and 100 MB)
    except ImportError as error:
        raise ModelError(ErrorKind.NOT_AUTHORISED, LocalModelText.NOT_INSTALLED) from error
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads or spare_threads()
    params.verbosity = _QUIET
    # The runtime opens a port on loopback that is not needed; a random key keeps others out.
    params.api_keys = [secrets.token_hex(16)]
    params.ui = False
    try:
        return _Xllamacpp(xllamacpp.Server(params))
    except Exception as error:
        raise ModelError(ErrorKind.NOT_AUTHORISED, LocalModelText.NOT_LOADABLE) from error


class _Xllamacpp:
    def __init__(self, server: Any) -> None:
        self._server = server

    def generate(self, body: Mapping[str, Any], on_chunk: OnChunk) -> None:
        self._server.handle_chat_completions(dict(body), on_chunk)


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
            raise ModelError(ErrorKind.BAD_OUTPUT, LocalModelText.RUNTIME_FAILED) from error
        finally:
            loop.call_soon_threadsafe(arrived.put_nowait, None)

    running = loop.run_in_executor(worker, work)
    try:
        while (chunk := await arrived.get()) is not None:
            yield chunk
        await running
    finally:
        given_up = True
        # The next call waits until the thread is idle, even if this caller is cancelled.
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
