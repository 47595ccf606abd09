"""Servers of strangers at the five ports that local model servers use."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from tests.guard.sitecustomize import OPENED, USUAL_PORTS

STRANGER = "strangers-model:8b"


@asynccontextmanager
async def strangers_everywhere() -> AsyncIterator[dict[str, str]]:
    """Servers that list a model and fail every call; yields the variables for a child process."""
    async with listing_at(USUAL_PORTS, {STRANGER: "library"}):
        yield {OPENED: ",".join(map(str, USUAL_PORTS))}


@asynccontextmanager
async def listing_at(ports: Sequence[int], models: Mapping[str, str]) -> AsyncIterator[None]:
    """Servers that list models, each with its owner, and fail every call.

    Skips the test where a port is somebody else's: then it is not ours to look at.
    """

    async def listed(_: web.Request) -> web.Response:
        data = [{"id": name, "owned_by": owner} for name, owner in models.items()]
        return web.json_response({"object": "list", "data": data})

    async def failed(_: web.Request) -> web.Response:
        return web.json_response({"error": {"message": "no"}}, status=500)

    app = web.Application()
    app.router.add_get("/v1/models", listed)
    app.router.add_route("*", "/{rest:.*}", failed)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        for port in ports:
            await _take(runner, port)
        yield
    finally:
        await runner.cleanup()


async def _take(runner: web.AppRunner, port: int) -> None:
    """Hold a port as soon as no other test does, for a while."""
    for _ in range(200):
        try:
            await web.TCPSite(runner, "127.0.0.1", port).start()
        except OSError:
            await asyncio.sleep(0.05)
        else:
            return
    pytest.skip(f"port {port} is taken by another program")
