"""The embedded Discord itself: one aiohttp server on loopback, and everything behind it."""

import asyncio
import json
import logging
import secrets
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self
from urllib.parse import quote, unquote

from aiohttp import web
from aiohttp.typedefs import Middleware

from bot.playground import _gateway as gateway
from bot.playground._basics import Clock
from bot.playground._people import People
from bot.playground._routes import Call, find_route
from bot.playground._threads import archive_idle
from bot.playground.errors import ApiError
from bot.playground.faults import Fault, Faults, Limits, SessionStarts
from bot.playground.model import Upload, World
from bot.playground.redirect import redirect_discord_py
from bot.playground.web import Page
from bot.playground.world import GuildPlan, the_table

_log = logging.getLogger(__name__)

_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
# The bot's own traffic carries a token, and may come under another name of this machine.
_BOT_PATHS = ("/api/", "/gateway")
_API = "/api/v10"
_Headers = dict[str, str]
# What a bot or a person uploaded must never run as a page of this origin.
_SAFE = {"X-Content-Type-Options": "nosniff"}
_SAFE |= {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox"}
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def _guard(port: Callable[[], int]) -> Middleware:
    """Refuse requests made in another origin's name or under a foreign host name."""

    @web.middleware
    async def check(request: web.Request, handler: _Handler) -> web.StreamResponse:
        hosts = [f"{name}:{port()}" for name in ("127.0.0.1", "localhost")]
        own = [None, *(f"http://{host}" for host in hosts)]
        foreign = request.headers.get("Origin") not in own
        if foreign or (request.host not in hosts and not request.path.startswith(_BOT_PATHS)):
            raise web.HTTPForbidden(text="Open the playground under its own address.")
        return await handler(request)

    return check


class EmbeddedDiscord(People):
    """A Discord of one's own for bots, tests and front ends."""

    def __init__(
        self,
        guilds: Sequence[GuildPlan] = (),
        *,
        clock: Clock = time.time,
        limits: Limits | None = None,
        starts: SessionStarts | None = None,
        approved_intents: int = gateway.PRIVILEGED,
        seed: int = 0,
    ) -> None:
        reads = approved_intents & gateway.MESSAGE_CONTENT != 0
        super().__init__(World(clock, reads_content=reads))
        for plan in guilds or (the_table(),):
            self.world.add_guild(plan)
        self.token = f"{secrets.token_urlsafe(18)}.playground.{secrets.token_urlsafe(18)}"
        self.limits, self.faults = limits or Limits(), Faults(seed)
        self.starts = started = starts or SessionStarts()
        self.world.gateway = lambda: {"url": self.gateway_url} | started.wire()
        own = (self.world, self.token, approved_intents)
        self.gateway = gateway.Gateway(*own, self.faults, started)
        self.unknown_routes: list[str] = []
        self.url = self.api_url = self.gateway_url = self.cdn_url = ""
        self.port = 0
        self._runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.5)
        self._archiver: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self, port: int = 0) -> None:
        """Listen on loopback; port 0 takes a free one."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", port).start()
        self.port = self._runner.addresses[0][1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.gateway.url = self.gateway_url = f"ws://127.0.0.1:{self.port}/gateway"
        self.world.cdn_url = self.cdn_url = self.url + "/cdn"
        self.api_url = self.url + _API
        self._archiver = asyncio.create_task(self._archive())

    async def close(self) -> None:
        """Close every connection and stop listening."""
        await self.gateway.drop_connections(1001)
        await self._runner.cleanup()
        if self._archiver:
            self._archiver.cancel()

    @property
    def bot_user_id(self) -> int:
        """The account of the bot."""
        return self.world.bot.id

    def redirected(self) -> AbstractContextManager[None]:
        """Point discord.py at this server for a while."""
        return redirect_discord_py(self.api_url, self.gateway_url, self.cdn_url)

    async def _archive(self) -> None:
        while True:
            await asyncio.sleep(60)
            archive_idle(self.world)

    def _app(self) -> web.Application:
        guarded, cdn = _guard(lambda: self.port), _Cdn(self.world)
        app = web.Application(client_max_size=30 * 1024 * 1024, middlewares=[guarded])
        app.add_routes(Page(self, self.faults, self.gateway).routes())
        get = app.router.add_get
        get("/gateway", self.gateway.serve)
        get("/cdn/attachments/{place}/{file:[0-9]+}/{name}", cdn.attachment)
        get("/cdn/emojis/{file:[0-9]+.png}", cdn.attachment)
        get("/cdn/faces/{name}", cdn.face)
        get("/cdn/avatars/{name}/{file}", cdn.face)
        app.router.add_route("*", "/api/{path:.*}", self._rest)
        return app

    async def _rest(self, request: web.Request) -> web.Response:
        path = unquote(request.path.removeprefix(_API + "/"))
        fault = self.faults.for_request(request.method, path) or Fault("delay")
        if fault.kind == "delay":
            await asyncio.sleep(fault.seconds)
            return await self._serve(request, path)
        if fault.after:
            await self._serve(request, path)
        return _reset(request) if fault.kind == "reset" else _faulty(fault)

    async def _serve(self, request: web.Request, path: str) -> web.Response:
        route = find_route(request.method, path)
        if route is None:
            self.unknown_routes.append(f"{request.method} /{path}")
            return _failed(501, "The embedded Discord has no such route", {})
        name, major = f"{request.method} {route.pattern}", [*path.split("/"), ""][1]
        if major == str(self.world.bot.id):
            # What follows an answer to an interaction is counted like the answer.
            name = name.replace("webhooks", "interactions")
        headers, wait, is_global = self.limits.take(name, major)
        if wait:
            return _limited(wait, headers, is_global=is_global)
        if route.needs_token and request.headers.get("Authorization") != f"Bot {self.token}":
            return _failed(401, "401: Unauthorized", headers)
        try:
            body, files = await _read(request)
            call = Call(self.world, request.method, dict(request.query), body, files)
            result = route.run(call, path)
        except ApiError as error:
            if error.status == 501:
                self.unknown_routes.append(f"{request.method} /{path}: {error}")
            return _reply(error.status, error.wire, headers)
        except Exception as crash:
            _log.exception("%s %s failed", request.method, path)
            # 503 is the one server error that discord.py does not repeat for half a minute.
            return _failed(503, repr(crash), headers)
        return _reply(204 if result is None else 200, result, headers)


class _Cdn:
    """Serves `/cdn`: attachments and drawn faces; nothing is fetched."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def face(self, request: web.Request) -> web.Response:
        """The face of `/faces/NAME`, or of a user's avatar."""
        name = request.match_info["name"]
        if name.isdigit() and int(name) in self._world.users:
            name = self._world.users[int(name)].name
        from bot.pictures.faces import drawn_face  # noqa: PLC0415 (Pillow is slow to import)

        drawn = await asyncio.to_thread(drawn_face, name)
        return web.Response(body=drawn, content_type="image/png", headers=_SAFE)

    async def attachment(self, request: web.Request) -> web.Response:
        """An uploaded file."""
        found = self._world.files.get(int(request.match_info["file"].removesuffix(".png")))
        if found is None:
            raise web.HTTPNotFound
        kind = found.type if found.type in _PICTURES else "application/octet-stream"
        how = "inline" if kind in _PICTURES else "attachment"
        name = {"Content-Disposition": f"{how}; filename*=UTF-8''{quote(found.name)}"}
        return web.Response(body=found.content, content_type=kind, headers=_SAFE | name)


async def _read(request: web.Request) -> tuple[Any, tuple[Upload, ...]]:
    raw: Any = b"{}"
    files = []
    if request.content_type == "multipart/form-data":
        for name, part in (await request.post()).items():
            if isinstance(part, web.FileField):
                files.append(Upload(part.filename, part.file.read(), part.content_type))
            elif name == "payload_json":
                raw = part
    else:
        raw = await request.read() or raw
    return json.loads(raw), tuple(files)


def _reply(status: int, body: Any, headers: _Headers) -> web.Response:
    raw = None
    if body is not None:
        # discord.py takes the body for text unless the content type is exactly this one.
        raw, headers = json.dumps(body).encode(), headers | {"Content-Type": "application/json"}
    return web.Response(status=status, body=raw, headers=headers)


def _failed(status: int, text: str, headers: _Headers) -> web.Response:
    return _reply(status, {"message": text, "code": 0}, headers)


def _limited(wait: float, headers: _Headers, *, is_global: bool) -> web.Response:
    body = {"message": "You are being rate limited.", "retry_after": wait, "global": is_global}
    scope = "global" if is_global else "user"
    told = {"Retry-After": str(int(wait) + 1), "X-RateLimit-Scope": scope}
    return _reply(429, body, headers | told)


def _faulty(fault: Fault) -> web.Response:
    headers = {"Via": "1.1 google"} if fault.via else {}
    if fault.status == 429:
        return _limited(fault.seconds, headers, is_global=False)
    return _failed(fault.status, "A fault was ordered", headers)


def _reset(request: web.Request) -> web.Response:
    if request.transport is not None:
        raw = request.transport.get_extra_info("socket")
        # Lingering for no time makes the kernel send a reset instead of an orderly end.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        request.transport.abort()
    return web.Response()
