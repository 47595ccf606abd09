"""A search service on loopback that answers what it is told and remembers what it was asked.

async with SearchServer() as server:
    server.reply = Reply(json={"results": []})
    ...
    assert server.calls[0].query["q"] == "tabs or spaces"
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How every call is answered; `text` wins over `json`."""

    json: object = None
    text: str | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: asyncio.Event | None = None
    """Waited for before anything is sent."""
    cut: bool = False
    """Break the connection instead of answering."""


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it came in."""

    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: Any


class SearchServer:
    """Answers every path with `reply`."""

    def __init__(self) -> None:
        self.reply = Reply(json={})
        self.calls: list[Received] = []
        self.asked = asyncio.Event()
        self.dropped = asyncio.Event()
        """Set when a caller went away before it was answered."""
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        text = await request.text()
        body = json.loads(text) if text else None
        self.calls.append(
            Received(request.method, request.path, dict(request.headers), dict(request.query), body)
        )
        self.asked.set()
        reply = self.reply
        if reply.hold is not None:
            await self._held(reply.hold)
        if reply.cut and request.transport is not None:
            request.transport.close()
        content = reply.text if reply.text is not None else json.dumps(reply.json)
        kind = {"Content-Type": "text/html" if reply.text is not None else "application/json"}
        return web.Response(text=content, status=reply.status, headers={**kind, **reply.headers})

    async def _held(self, event: asyncio.Event) -> None:
        try:
            await event.wait()
        except asyncio.CancelledError:
            self.dropped.set()
            raise
