"""Serves the tools on loopback while the bot runs; every request needs the token."""

import asyncio
import json
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from bot.agents import endpoint
from bot.agents.endpoint import PATH, Endpoint
from bot.agents.server import build_server
from bot.discussions.service import Discussions
from bot.errors import UnavailableError
from bot.messages.discussions import AgentText

_HOST = "127.0.0.1"
_REFUSED = json.dumps({"error": AgentText.UNAUTHORIZED}).encode()


class _TokenOnly:
    """Rejects requests without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._may_pass(scope):
            await self._app(scope, receive, send)
            return
        headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": _REFUSED})

    def _may_pass(self, scope: Scope) -> bool:
        given = dict(scope["headers"]).get(b"authorization", b"")
        return secrets.compare_digest(given, self._expected)


class _Server(uvicorn.Server):
    """uvicorn without its signal handlers: the bot decides when it ends."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serve_tools(
    service: Discussions, home: Path, token: str | None = None, port: int = 0
) -> AsyncIterator[Endpoint]:
    """Serve the tools for the duration of the block, and write the address for `roundtable mcp`."""
    secret = token or secrets.token_urlsafe(32)
    app = _TokenOnly(build_server(service).streamable_http_app(streamable_http_path=PATH), secret)
    config = uvicorn.Config(
        app, host=_HOST, port=port, log_config=None, access_log=False, timeout_graceful_shutdown=2
    )
    server = _Server(config)
    listener = _listener(port)
    url = f"http://{_HOST}:{listener.getsockname()[1]}{PATH}"
    serving = asyncio.create_task(server.serve([listener]))
    try:
        await _started(server, serving)
        found = Endpoint(url, secret)
        found.write(home)
        yield found
    finally:
        endpoint.remove(home)
        server.should_exit = True
        await asyncio.gather(serving, return_exceptions=True)


def _listener(port: int) -> socket.socket:
    """Take the port here: uvicorn would end the whole process where it is taken."""
    listener = socket.socket()
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((_HOST, port))
    except OSError as error:
        listener.close()
        raise UnavailableError(AgentText.PORT_TAKEN) from error
    return listener


async def _started(server: _Server, serving: "asyncio.Task[None]") -> None:
    while not server.started:
        if serving.done():
            serving.result()
        await asyncio.sleep(0.01)
