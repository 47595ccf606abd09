"""Keeps foreign web pages out: any page a browser shows can reach a server on loopback."""

from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.typedefs import Middleware

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
# The bot's own traffic carries a token, and may come under another name of this machine.
_BOT_PATHS = ("/api/", "/gateway")


def guard(port: Callable[[], int]) -> Middleware:
    """Refuse requests made in another origin's name or under a foreign host name."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        hosts = [f"{name}:{port()}" for name in ("127.0.0.1", "localhost")]
        origin = request.headers.get("Origin")
        foreign = origin is not None and origin not in [f"http://{host}" for host in hosts]
        if foreign or (request.host not in hosts and not request.path.startswith(_BOT_PATHS)):
            raise web.HTTPForbidden(text="Open the playground under its own address.")
        return await handler(request)

    return check
