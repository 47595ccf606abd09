"""The embedded Discord itself: one aiohttp server on loopback, and everything behind it."""

import asyncio
import json
import logging
import secrets
import socket
import struct
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self
from urllib.parse import unquote

from aiohttp import web

from bot.playground import threads
from bot.playground.access import guard
from bot.playground.blueprint import GuildPlan, the_table
from bot.playground.cdn import Cdn
from bot.playground.errors import ApiError
from bot.playground.faults import Fault, Faults
from bot.playground.gateway import MESSAGE_CONTENT, PRIVILEGED, Gateway
from bot.playground.limits import Limits
from bot.playground.model import Upload
from bot.playground.people import People
from bot.playground.redirect import redirect_discord_py
from bot.playground.routes import Call, Route, build_routes
from bot.playground.snowflakes import Clock
from bot.playground.web import Page
from bot.playground.world import World

_log = logging.getLogger(__name__)
_API = "/api/v10"
_REQUEST_LIMIT = 30 * 1024 * 1024
_LIMITED_INTENT_FLAGS = {1 << 1: 1 << 15, 1 << 8: 1 << 13, MESSAGE_CONTENT: 1 << 19}


class EmbeddedDiscord(People):
    """A Discord of one's own for bots, tests and front ends."""

    def __init__(
        self,
        guilds: Sequence[GuildPlan] = (),
        *,
        clock: Clock = time.time,
        limits: Limits | None = None,
        approved_intents: int = PRIVILEGED,
        interaction_deadline: float = 3.0,
        seed: int = 0,
    ) -> None:
        super().__init__(World(clock))
        for plan in guilds or (the_table(),):
            self.world.add_guild(plan)
        self.world.reads_content = bool(approved_intents & MESSAGE_CONTENT)
        self.token = f"{secrets.token_urlsafe(18)}.{secrets.token_urlsafe(5)}.playground"
        self.limits, self.faults = limits or Limits(), Faults(seed)
        self.gateway = Gateway(self.world, self.token, approved_intents, self.faults)
        self.unknown_routes: list[str] = []
        self.interaction_deadline = interaction_deadline
        self.port = 0
        self._flags = sum(f for i, f in _LIMITED_INTENT_FLAGS.items() if i & approved_intents)
        self._routes = build_routes()
        self._runner: web.AppRunner | None = None
        self._archiver: asyncio.Task[None] | None = None

    @property
    def url(self) -> str:
        """Where the server is."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def api_url(self) -> str:
        """The base of the REST API."""
        return self.url + _API

    @property
    def gateway_url(self) -> str:
        """The websocket of the gateway."""
        return f"ws://127.0.0.1:{self.port}/gateway"

    @property
    def cdn_url(self) -> str:
        """The base of attachments and faces."""
        return f"{self.url}/cdn"

    @property
    def bot_user_id(self) -> int:
        """The account of the bot."""
        return self.world.bot.id

    @property
    def application_id(self) -> int:
        """The application of the bot."""
        return self.world.bot.id

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def start(self, port: int = 0) -> None:
        """Listen on loopback; port 0 takes a free one."""
        runner = web.AppRunner(self._app(), access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        self._runner, self.port = runner, runner.addresses[0][1]
        self.world.cdn_url, self.gateway.url = self.cdn_url, self.gateway_url
        self._archiver = asyncio.create_task(self._archive())

    async def close(self) -> None:
        """Close every connection and stop listening."""
        if self._archiver:
            self._archiver.cancel()
        await self.gateway.drop_connections(1001)
        if self._runner:
            await self._runner.cleanup()

    @contextmanager
    def redirected(self) -> Iterator[None]:
        """Point discord.py at this server for a while."""
        with redirect_discord_py(self.api_url, self.gateway_url, self.cdn_url):
            yield

    async def _archive(self) -> None:
        while True:
            await asyncio.sleep(60)
            threads.archive_idle(self.world)

    def _app(self) -> web.Application:
        guarded = guard(lambda: self.port)
        app = web.Application(client_max_size=_REQUEST_LIMIT, middlewares=[guarded])
        app.add_routes(Page(self, self.faults, self.gateway).routes())
        cdn = Cdn(self.world)
        app.router.add_get("/gateway", self.gateway.serve)
        app.router.add_get("/cdn/attachments/{channel}/{file:[0-9]+}/{name}", cdn.attachment)
        app.router.add_get("/cdn/faces/{name}", cdn.face)
        app.router.add_get("/cdn/avatars/{user}/{file}", cdn.face)
        app.router.add_get("/cdn/embed/avatars/{file}", cdn.face)
        app.router.add_route("*", "/api/{path:.*}", self._rest)
        return app

    # -- REST

    async def _rest(self, request: web.Request) -> web.StreamResponse:
        path = unquote(request.path.removeprefix(_API + "/"))
        fault = self.faults.for_request(request.method, path)
        if fault is None:
            return await self._serve(request, path)
        if fault.kind == "delay":
            await asyncio.sleep(fault.seconds)
            return await self._serve(request, path)
        if fault.after:
            await self._serve(request, path)
        return _reset(request) if fault.kind == "reset" else _faulty(fault)

    async def _serve(self, request: web.Request, path: str) -> web.Response:
        for route in self._routes:
            arguments = route.arguments(path) if route.method == request.method else None
            if arguments is not None:
                return await self._answer(request, route, arguments)
        self.unknown_routes.append(f"{request.method} /{path}")
        return _reply(501, {"message": "The embedded Discord has no such route", "code": 0})

    async def _answer(
        self, request: web.Request, route: Route, arguments: list[int | str]
    ) -> web.Response:
        name = f"{route.method} {route.pattern}"
        major = str(arguments[0]) if arguments else ""
        headers, wait, is_global = self.limits.take(name, major)
        if wait:
            return _limited(wait, headers, is_global=is_global)
        if route.needs_token and request.headers.get("Authorization") != f"Bot {self.token}":
            return _reply(401, {"message": "401: Unauthorized", "code": 0}, headers)
        try:
            body = route.handler(await self._call(request), *arguments)
        except ApiError as error:
            return _reply(error.status, error.wire(), headers)
        except Exception as crash:
            # 503 is the one server error that discord.py does not repeat for half a minute.
            _log.exception("%s failed", name)
            return _reply(503, {"message": repr(crash), "code": 0}, headers)
        return _reply(204 if body is None else 200, body, headers)

    async def _call(self, request: web.Request) -> Call:
        body, files = await _read(request)
        query = dict(request.query)
        deadline, address = self.interaction_deadline, self.gateway_url
        return Call(self.world, address, self._flags, deadline, query, body, files)


async def _read(request: web.Request) -> tuple[Any, tuple[Upload, ...]]:
    if request.content_type != "multipart/form-data":
        raw = await request.read()
        return _parsed(raw), ()
    form = await request.post()
    fields = [v for k, v in form.items() if k.startswith("files[")]
    files = tuple(
        Upload(part.filename, part.file.read(), part.content_type)
        for part in fields
        if isinstance(part, web.FileField)
    )
    return _parsed(str(form.get("payload_json", "{}")).encode()), files


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw) if raw else {}
    except ValueError:
        text = "The request body contains invalid JSON."
        raise ApiError(400, 50109, text) from None


def _reply(status: int, body: Any, headers: dict[str, str] | None = None) -> web.Response:
    # discord.py takes the body for text unless the content type is exactly this one.
    kind = {"Content-Type": "application/json"} if status != 204 else {}
    raw = json.dumps(body).encode() if status != 204 else None
    return web.Response(status=status, body=raw, headers=kind | (headers or {}))


def _limited(wait: float, headers: dict[str, str], *, is_global: bool) -> web.Response:
    text = "You are being rate limited."
    body = {"message": text, "retry_after": round(wait, 3), "global": is_global}
    scope = {"X-RateLimit-Scope": "global" if is_global else "user"}
    return _reply(429, body, headers | scope | {"Retry-After": str(int(wait) + 1)})


def _faulty(fault: Fault) -> web.Response:
    headers = {"Via": "1.1 google"} if fault.via else {}
    if fault.status == 429:
        return _limited(fault.seconds, headers, is_global=False)
    return _reply(fault.status, {"message": "A fault was ordered", "code": 0}, headers)


def _reset(request: web.Request) -> web.Response:
    transport = request.transport
    if transport is not None:
        raw = transport.get_extra_info("socket")
        # Lingering for no time makes the kernel send a reset instead of an orderly end.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()
