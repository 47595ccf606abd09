"""A server on loopback that replays bytes: the same for every wire format and every path.

    async with ReplayServer() as server:
        server.play(Reply(status=503), Reply(parts=[b"data: {}\n\n"]))
        ...
        assert server.calls[0].path == "/v1/messages"

Replies are used one per call, the last one for ever. With `refuse` the server first looks at what
was asked, and refuses what its vendor does not serve.
"""

import asyncio
import json
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from aiohttp import web

EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How one call is answered."""

    parts: Sequence[bytes] = ()
    """The body; each part is sent as an HTTP chunk of its own."""
    pause: float = 0.0
    """Seconds before each part."""
    end: Literal["close", "reset", "hang"] = "close"
    beat: bytes = b""
    """Sent every hundredth of a second while hanging."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = EVENT_STREAM


def refusing(status: int, error: object = "No.", **headers: str) -> Reply:
    """An HTTP error; `error` becomes the body, as text or JSON."""
    body = error if isinstance(error, str) else json.dumps(error)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    kind = "text/plain" if isinstance(error, str) else "application/json"
    return Reply(status=status, parts=[body.encode()], headers=named, content_type=kind)


def whole(answer: object) -> Reply:
    """An answer in one JSON object."""
    return Reply(parts=[json.dumps(answer).encode()], content_type="application/json")


def cut(stream: bytes, *positions: int) -> Reply:
    """A stream in HTTP chunks that end at these positions."""
    edges = [0, *positions, len(stream)]
    return Reply(parts=[stream[a:b] for a, b in pairwise(edges) if b > a])


@dataclass(slots=True)
class Seen:
    """One request, for assertions."""

    path: str
    query: str
    headers: Mapping[str, str]
    body: Any
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the caller closed the connection before the end."""


Refuse = Callable[[str, Mapping[str, Any]], tuple[int, object] | None]
"""From path and body to the status and body of a refusal, or None for a call that is served."""


class ReplayServer:
    """The server; an async context manager."""

    def __init__(self, refuse: Refuse = lambda _path, _body: None) -> None:
        self._refuse = refuse
        self.calls: list[Seen] = []
        self.url = ""
        self._replies: list[Reply] = [Reply()]
        self._runner: web.AppRunner | None = None

    def play(self, *replies: Reply) -> None:
        """Set the replies to the next calls; the last one stays."""
        self._replies = list(replies)

    async def __aenter__(self) -> "ReplayServer":
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/{path:.*}", self._answer)
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path, _, query = request.raw_path.partition("?")
        seen = Seen(path, query, dict(request.headers), await request.json())
        self.calls.append(seen)
        if refused := self._refuse(path, seen.body):
            return await _replay(request, refusing(*refused))
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        try:
            return await _replay(request, reply)
        except (asyncio.CancelledError, ConnectionError):
            seen.left.set()
            raise


async def _replay(request: web.Request, reply: Reply) -> web.StreamResponse:
    if reply.end == "reset" and not reply.parts:
        return _reset(request)
    headers = {"Content-Type": reply.content_type, **reply.headers}
    response = web.StreamResponse(status=reply.status, headers=headers)
    await response.prepare(request)
    for part in reply.parts:
        await asyncio.sleep(reply.pause)
        await response.write(part)
    if reply.end == "reset":
        return _reset(request)
    while reply.end == "hang":
        await response.write(reply.beat)
        await asyncio.sleep(0.01)
    await response.write_eof()
    return response


def _reset(request: web.Request) -> web.Response:
    """Drop the connection with a TCP reset."""
    if request.transport is not None:
        opened: socket.socket = request.transport.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
    return web.Response()
