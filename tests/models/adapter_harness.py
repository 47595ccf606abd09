"""One adapter on a replay server that plays its provider's wire format."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx

from bot.http.client import make_client
from bot.models.sse import WaitLimits
from bot.types.model_port import Delta, Finished, ModelError, ModelEvent, ModelRequest
from tests.models.dialects import KEY, Dialect, request
from tests.models.replay_server import ReplayServer, Reply

SCHEMA = {"type": "object", "properties": {"ok": {"type": "boolean"}}}


@dataclass(slots=True)
class AdapterHarness:
    """One adapter on its replay server."""

    dialect: Dialect
    server: ReplayServer
    client: httpx.AsyncClient

    async def hear(
        self,
        *replies: Reply,
        limits: WaitLimits | None = None,
        asked: ModelRequest | None = None,
        key: str = KEY,
    ) -> tuple[list[ModelEvent], ModelError | None]:
        """What a call says, and how it fails if it does."""
        self.server.play(*replies)
        port = self.dialect.port(self.server.url, self.client, key, limits)
        heard: list[ModelEvent] = []
        try:
            async for event in port.stream(asked or request()):
                heard.append(event)  # noqa: PERF401 (kept when the stream raises)
        except ModelError as error:
            return heard, error
        return heard, None

    async def text(self, *replies: Reply, limits: WaitLimits | None = None) -> str:
        """The text of an answer that must be whole."""
        heard, error = await self.hear(*replies, limits=limits)
        assert error is None, f"failed: {error}"
        assert isinstance(heard[-1], Finished), "no finish"
        return "".join(event.text for event in heard if isinstance(event, Delta))

    async def failure(self, *replies: Reply, limits: WaitLimits | None = None) -> ModelError:
        """The error of a call that must fail."""
        heard, error = await self.hear(*replies, limits=limits)
        assert error is not None, f"did not fail: {heard}"
        return error


Check = Callable[[AdapterHarness], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Case:
    """One fault, and what every adapter must make of it."""

    name: str
    check: Check


def streamed(*events: bytes) -> Reply:
    return Reply(parts=events)


@asynccontextmanager
async def open_adapter(dialect: Dialect, tls: ssl.SSLContext) -> AsyncIterator[AdapterHarness]:
    """A server and a client for one case; the TLS context is handed in, for it is slow to make."""
    async with ReplayServer(dialect.refusal) as server, make_client(tls) as client:
        yield AdapterHarness(dialect, server, client)
