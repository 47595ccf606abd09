"""The port to the small model: queued calls, answers by grammar, prompts cut to fit."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final, Literal

from bot.messages.models import LocalModelText
from bot.models.adapters.local.prompts import shorten, simplified
from bot.models.adapters.local.runtime import CONTEXT_TOKENS, Chunk, Runtime, chunks
from bot.models.conversation import conversation
from bot.models.queue import CallQueue
from bot.prompting.grammar import grammar_for, to_gbnf
from bot.types.model_port import (
    Delta,
    ErrorKind,
    Finished,
    ModelError,
    ModelEvent,
    ModelRequest,
    Remark,
    Started,
    Usage,
)

_TOO_LONG: Final = "exceed_context_size_error"
_GRAMMAR: Final = "grammar"
_OUTPUT_TOKENS: Final = 1536
"""Tokens kept free for an answer: twice what the longest format needs in plain words."""
_SAFETY: Final = 0.95
"""Words and tokens differ, so a prompt is cut a little more than computed."""
_MOST_CUTS: Final = 4
_SAMPLING: Final = MappingProxyType(
    {
        "temperature": 0.6,
        "min_p": 0.1,
        "repeat_penalty": 1.05,
        "repeat_last_n": 64,
        "dry_multiplier": 0.6,
    }
)
_CONSTRAINTS: Final = ("grammar", "json_schema")


class _PromptTooLongError(Exception):
    """The prompt leaves no room for its answer; `share` is the part of it that would fit."""

    def __init__(self, tokens: int, room: int) -> None:
        super().__init__(f"{tokens} tokens where {room} fit")
        self.share = room / max(1, tokens)


class _GrammarRefusedError(Exception):
    """The runtime rejects this grammar."""


class _ChunkReader:
    """Reads one answer for which `output_tokens` are kept free; raises when it failed."""

    def __init__(self, output_tokens: int) -> None:
        self._room = CONTEXT_TOKENS - output_tokens
        self._ending: Literal["stop", "length"] | None = None
        self._usage: Usage | None = None

    def take(self, chunk: Chunk) -> Iterator[ModelEvent]:
        """Read one chunk."""
        if error := chunk.get("error"):
            raise self._failure(error)
        if progress := chunk.get("prompt_progress"):
            self._check_room(progress["total"])
        for choice in chunk.get("choices") or ():
            text = (choice.get("delta") or {}).get("content")
            if text:
                yield Delta(text)
            if reason := choice.get("finish_reason"):
                self._ending = "length" if reason == "length" else "stop"
        if usage := chunk.get("usage"):
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
            # A model in this process costs nothing: a known price of 0.
            self._usage = Usage(usage["prompt_tokens"], usage["completion_tokens"], cached, 0.0)

    def finish(self) -> Iterator[ModelEvent]:
        """The usage and the reason of the end; nothing for a cancelled answer."""
        if self._usage:
            yield self._usage
        if self._ending:
            yield Finished(self._ending)

    def _check_room(self, tokens: int) -> None:
        if tokens > self._room:
            raise _PromptTooLongError(tokens, self._room)

    def _failure(self, error: Mapping[str, Any]) -> Exception:
        if error.get("type") == _TOO_LONG:
            return _PromptTooLongError(error["n_prompt_tokens"], self._room)
        if _GRAMMAR in str(error.get("message")):
            return _GrammarRefusedError()
        return ModelError(ErrorKind.BAD_OUTPUT, LocalModelText.NO_ANSWER)


class LocalPort:
    """One model, one thread, one answer at a time; the event loop never waits for it."""

    def __init__(self, open_runtime: Callable[[], Runtime]) -> None:
        self._open = open_runtime
        self._line = CallQueue(places=1)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="small-model")
        self._runtime: asyncio.Future[Runtime] | None = None

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Wait for the turn, then stream one answer; raises ModelError."""
        return self._line.served(self._answered(request))

    async def warm_up(self) -> None:
        """Load the model now, because loading blocks the interpreter."""
        await self._loaded()

    async def close(self) -> None:
        """Wait until the thread is idle and free the model."""
        self._runtime = None
        await asyncio.to_thread(self._worker.shutdown, cancel_futures=True)

    async def _loaded(self) -> Runtime:
        """The runtime, loaded at the first call in the thread that uses it."""
        if self._runtime is None:
            self._runtime = asyncio.get_running_loop().run_in_executor(self._worker, self._open)
        try:
            return await asyncio.shield(self._runtime)
        except ModelError:
            self._runtime = None
            raise

    async def _answered(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        yield Started(request.model)
        asked = replace(request, prompt=simplified(request.prompt))
        async with aclosing(self._fitted(asked, await self._loaded())) as events:
            async for event in events:
                yield event

    async def _fitted(
        self, request: ModelRequest, runtime: Runtime
    ) -> AsyncGenerator[ModelEvent, None]:
        """Answer; a prompt that leaves no room is shortened, and the answer says so."""
        for _ in range(_MOST_CUTS):
            try:
                async with aclosing(self._constrained(request, runtime)) as events:
                    async for event in events:
                        yield event
            except _PromptTooLongError as error:
                shorter = shorten(request.prompt, error.share * _SAFETY)
                if shorter is None:
                    break
                request = replace(request, prompt=shorter)
                yield Remark(LocalModelText.SHORTENED)
            else:
                return
        raise ModelError(ErrorKind.CONTEXT_EXCEEDED, LocalModelText.PROMPT_TOO_LONG)

    async def _constrained(
        self, request: ModelRequest, runtime: Runtime
    ) -> AsyncGenerator[ModelEvent, None]:
        """Answer with the grammar of the format, or without it if the runtime rejects it."""
        body = _body(request)
        for attempt in (body, {k: v for k, v in body.items() if k not in _CONSTRAINTS}):
            try:
                async with aclosing(self._generated(attempt, request, runtime)) as events:
                    async for event in events:
                        yield event
            except _GrammarRefusedError:
                yield Remark(LocalModelText.LOOSE)
            else:
                return

    async def _generated(
        self, body: Mapping[str, Any], request: ModelRequest, runtime: Runtime
    ) -> AsyncGenerator[ModelEvent, None]:
        reader = _ChunkReader(_output_tokens(request))
        async with aclosing(chunks(runtime, body, self._worker)) as arriving:
            async for chunk in arriving:
                for event in reader.take(chunk):
                    yield event
        for event in reader.finish():
            yield event


def _output_tokens(request: ModelRequest) -> int:
    return min(request.max_output_tokens or _OUTPUT_TOKENS, _OUTPUT_TOKENS)


def _body(request: ModelRequest) -> dict[str, Any]:
    """The request body for llama.cpp."""
    spoken = conversation(request.prompt.messages)
    system = [{"role": "system", "content": spoken.system}] if spoken.system else []
    turns = [{"role": turn.voice, "content": turn.text} for turn in spoken.turns]
    body: dict[str, Any] = {
        "messages": [*system, *turns],
        "stream": True,
        "stream_options": {"include_usage": True},
        "return_progress": True,
        "cache_prompt": True,
        **_SAMPLING,
        "max_tokens": _output_tokens(request),
    }
    grammar = grammar_for(request.prompt)
    if request.json_schema is not None:
        body["json_schema"] = dict(request.json_schema)
    elif grammar is not None:
        body["grammar"] = to_gbnf(grammar)
    return body
