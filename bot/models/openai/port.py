"""The port to OpenAI-compatible chat completions: one call, one stream of events."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from typing import Any
from urllib.parse import urlsplit

import httpx
from httpx_sse import EventSource, ServerSentEvent
from pydantic import SecretStr

from bot.models.failures import error_from_response
from bot.models.openai.body import DROPPABLE, request_body
from bot.models.openai.chunks import ChunkReader
from bot.models.port import ErrorKind, ModelError, ModelEvent, ModelRequest
from bot.models.wire import WRITE_SECONDS, Patience, WaitLimits, broken_connections

OPENROUTER = "openrouter.ai"
LONGEST_ERROR = 64 * 1024
LONGEST_ANSWER = 8 * 1024 * 1024


class OpenAIPort:
    """Calls one provider; the client is shared and stays the caller's.

    `deny_data_collection` asks OpenRouter for providers that keep nothing; None decides by host.
    There is no retry here beyond leaving out a parameter the model does not take.
    """

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr | None,
        client: httpx.AsyncClient,
        max_concurrent: int,
        limits: WaitLimits | None = None,
        deny_data_collection: bool | None = None,
    ) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._key = api_key.get_secret_value().strip() if api_key else ""
        self._client = client
        self._slots = asyncio.Semaphore(max_concurrent)
        self._limits = limits or WaitLimits()
        by_host = _is_openrouter(base_url)
        self.denies_data_collection = (
            by_host if deny_data_collection is None else deny_data_collection
        )
        self._unsupported: defaultdict[str, set[str]] = defaultdict(set)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one answer; raises ModelError."""
        patience = Patience(self._limits, request.deadline_seconds)
        await patience.wait(self._slots.acquire())
        try:
            async with aclosing(self._attempts(request, patience)) as events:
                async for event in events:
                    yield event
        finally:
            self._slots.release()

    async def close(self) -> None:
        """Nothing is held: the client belongs to whoever handed it in."""

    async def _attempts(
        self, request: ModelRequest, patience: Patience
    ) -> AsyncGenerator[ModelEvent, None]:
        """Try once, and once more for each parameter that turns out to be unsupported."""
        while True:
            body = request_body(
                request, self.denies_data_collection, self._unsupported[request.model]
            )
            begun = False
            try:
                async with aclosing(self._attempt(body, patience)) as events:
                    async for event in events:
                        begun = True
                        yield event
            except ModelError as error:
                if begun or not self._learn(body, error.parameter):
                    raise
            else:
                return

    def _learn(self, body: dict[str, Any], parameter: str | None) -> bool:
        """Remember not to send a parameter to this model again; False if it was not sent."""
        if parameter not in DROPPABLE or parameter not in body:
            return False
        self._unsupported[body["model"]].add(parameter)
        return True

    async def _attempt(
        self, body: dict[str, Any], patience: Patience
    ) -> AsyncGenerator[ModelEvent, None]:
        headers = self._headers()
        patience.sent()
        reader = ChunkReader(body["model"], self._secrets)
        with broken_connections():
            async with AsyncExitStack() as stack:
                call = self._client.stream(
                    "POST", self._url, json=body, headers=headers, timeout=self._timeout()
                )
                response = await patience.wait(stack.enter_async_context(call))
                await self._refuse_failure(response, patience)
                async with aclosing(_events(response, reader, patience)) as events:
                    async for event in events:
                        yield event

    async def _refuse_failure(self, response: httpx.Response, patience: Patience) -> None:
        if response.is_success:
            return
        try:
            body = await _read_up_to(response, LONGEST_ERROR, patience)
        except (ModelError, httpx.HTTPError):
            body = b""  # the status says enough when the explanation breaks off
        status, headers = response.status_code, response.headers
        raise error_from_response(status, headers, body, DROPPABLE, self._secrets)

    @property
    def _secrets(self) -> tuple[str, ...]:
        return (self._key,) if self._key else ()

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "text/event-stream, application/json", "Cache-Control": "no-store"}
        if not self._key:
            return headers
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelError(
                ErrorKind.NOT_AUTHORISED,
                "The provider's key holds characters no key has; copy it into .env again.",
            )
        return {**headers, "Authorization": f"Bearer {self._key}"}

    def _timeout(self) -> httpx.Timeout:
        """No read limit: patience watches content, which a read limit cannot tell from comments."""
        connect = self._limits.connect
        return httpx.Timeout(connect=connect, read=None, write=WRITE_SECONDS, pool=connect)


def _is_openrouter(base_url: str) -> bool:
    host = (urlsplit(base_url).hostname or "").rstrip(".")
    return host == OPENROUTER or host.endswith(f".{OPENROUTER}")


async def _events(
    response: httpx.Response, reader: ChunkReader, patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    """Read a successful answer, streamed or, from servers that ignore `stream`, whole."""
    response.encoding = "utf-8"
    content_type = response.headers.get("content-type", "").casefold()
    if "text/event-stream" in content_type:
        async with (
            aclosing(EventSource(response).aiter_sse()) as source,
            aclosing(_streamed(source, reader, patience)) as events,
        ):
            async for event in events:
                yield event
    elif "json" in content_type:
        body = await _read_up_to(response, LONGEST_ANSWER, patience)
        for event in reader.read_whole(body):
            yield event
    else:
        raise ModelError(
            ErrorKind.NOT_AUTHORISED,
            "The provider's address does not speak chat completions; check its baseUrl.",
        )
    for event in reader.finish():
        yield event


async def _streamed(
    source: AsyncGenerator[ServerSentEvent, None], reader: ChunkReader, patience: Patience
) -> AsyncGenerator[ModelEvent, None]:
    while (sse := await _next(source, reader, patience)) is not None:
        for event in reader.read(sse.data, sse.event):
            yield event
        if reader.whole:
            patience.wind_down()
        elif reader.lively:
            patience.alive()


async def _next(
    source: AsyncGenerator[ServerSentEvent, None], reader: ChunkReader, patience: Patience
) -> ServerSentEvent | None:
    """The next server-sent event; whatever goes wrong after a whole answer just ends it."""
    try:
        return await patience.wait(anext(source, None))
    except (ModelError, httpx.HTTPError):
        if not reader.whole:
            raise
        return None


async def _read_up_to(response: httpx.Response, size: int, patience: Patience) -> bytes:
    body = bytearray()
    async with aclosing(response.aiter_bytes()) as pieces:  # type: ignore[type-var]
        while len(body) < size and (piece := await patience.wait(anext(pieces, None))):
            body += piece
    return bytes(body[:size])
