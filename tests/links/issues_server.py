"""A server on loopback that keeps comments as GitHub's and GitLab's APIs do."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

TOKEN = "issue-token"


@dataclass(slots=True)
class IssuesServer:
    """The comments of every issue by path, and how often somebody posted."""

    comments: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    posts: int = 0
    lose_the_answer: bool = False
    url: str = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if TOKEN not in (token, request.headers.get("PRIVATE-TOKEN")):
            return web.json_response({"message": "Bad credentials"}, status=401)
        # The raw path: GitLab's project is one escaped segment.
        here = self.comments.setdefault(request.rel_url.raw_path, [])
        if request.method == "GET":
            page, size = int(request.query["page"]), int(request.query["per_page"])
            return web.json_response(here[(page - 1) * size : page * size])
        self.posts += 1
        url = f"{self.url}{request.path}#{len(here) + 1}"
        here.append({"id": len(here) + 1, "html_url": url, **await request.json()})
        if self.lose_the_answer:
            self.lose_the_answer = False
            assert request.transport is not None
            request.transport.abort()
        return web.json_response(here[-1], status=201)


@asynccontextmanager
async def issues_server() -> AsyncIterator[IssuesServer]:
    """Serve until the block ends."""
    server = IssuesServer()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", server.handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()
