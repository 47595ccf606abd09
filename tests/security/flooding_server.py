"""A server on loopback that never stops: bytes repeated without end in sight, packed or not."""

import asyncio
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

from aiohttp import web

MEGABYTE = 1024 * 1024
SIZE = 120 * MEGABYTE
PIECE = 64 * 1024


@dataclass(slots=True)
class Flood:
    """One unit repeated until SIZE is reached, after a beginning that is sent once."""

    unit: bytes
    content_type: str = "text/event-stream"
    begin: bytes = b""
    packed: bool = False
    status: int = 200
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the caller closed the connection before the end."""

    def pieces(self) -> Iterator[bytes]:
        block = self.unit * max(1, PIECE // len(self.unit))
        times = SIZE // len(block)
        if not self.packed:
            yield self.begin
            yield from (block for _ in range(times))
            return
        packer = zlib.compressobj(1, wbits=zlib.MAX_WBITS | 16)
        yield packer.compress(self.begin)
        for _ in range(times):
            yield packer.compress(block)
        yield packer.flush()


@asynccontextmanager
async def flooding(flood: Flood) -> AsyncIterator[str]:
    """A server that answers every path with the flood; yields its address."""

    async def answer(request: web.Request) -> web.StreamResponse:
        await request.read()
        headers = {"Content-Type": flood.content_type}
        if flood.packed:
            headers["Content-Encoding"] = "gzip"
        response = web.StreamResponse(status=flood.status, headers=headers)
        try:
            await response.prepare(request)
            # What is packed is tiny: it goes out at once, as a bomb does.
            whole = [b"".join(flood.pieces())] if flood.packed else flood.pieces()
            for piece in whole:
                if piece:
                    await response.write(piece)
            if flood.packed:
                await asyncio.sleep(20)
        except (asyncio.CancelledError, ConnectionError):
            flood.left.set()
            raise
        return response

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@dataclass(slots=True)
class Growth:
    """How many megabytes of memory were in use at most, more than at the beginning."""

    megabytes: float = 0.0


@contextmanager
def watched_memory() -> Iterator[Growth]:
    """Measure how far the memory grows in the block."""
    growth = Growth()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        yield growth
        growth.megabytes = (tracemalloc.get_traced_memory()[1] - before) / MEGABYTE
    finally:
        tracemalloc.stop()
