"""A model server on loopback that speaks OpenAI chat completions and does what it is told.

    async with ModelServer() as server:                # every model answers "Hello."
        server.say("An answer.")                       # every model answers this
        server.script("slow", Script(tokens_per_second=20))
        server.script("flaky", Script(status=503), Script(text="Now it works."))
        port = OpenAIPort(server.url, None, client, 8)
        ...
        assert server.calls[0].body["model"] == "slow"
        assert server.most_at_once <= 8

A model's scripts are used one per call, the last one for ever. `ModelServer(answer=...)` takes a
function, plain or async, from the request's JSON to the text; `RehearsedAnswers` (beside this
module) is one that answers in Roundtable's own formats, for whole runs and for load.
"""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

Answer = Callable[[dict[str, Any]], str | Awaitable[str]]
Trouble = Literal["none", "cut", "reset", "hang", "error"]

CHARS_PER_TOKEN = 4
EVENT_STREAM = "text/event-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """How one call is answered."""

    text: str | Answer | None = None
    """The answer; None asks the server's own `answer`."""
    pieces: Sequence[str] | None = None
    """The answer as exactly these deltas instead of pieces of four characters."""
    model: str | None = None
    """The model that claims to have answered; None is the one asked, "" leaves it out."""
    finish: str | None = "stop"
    done: bool = True
    """Whether `[DONE]` is sent."""
    usage: bool | Mapping[str, Any] = True
    """Counted, left out, or exactly this."""
    cost: float | Mapping[str, Any] | None = None
    refusal: str = ""
    hold: asyncio.Event | None = None
    """Waited for before anything is sent."""
    latency: float = 0.0
    """Seconds before the headers."""
    first_token: float = 0.0
    """Seconds between the headers and the first piece."""
    tokens_per_second: float | None = None
    keep_alive_seconds: float | None = None
    """How often a comment is sent while the model is slow or hangs."""
    trouble: Trouble = "none"
    """After `after` pieces: end without a finish, reset, hang for ever, or send `error`."""
    after: int = 0
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "Something broke."})
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    """With another status, what is sent instead of an answer: text, bytes or JSON."""
    raw: bytes | None = None
    """The bytes of the event stream, instead of everything above."""
    linger: bool = False
    """Keep the connection open after the last byte of `raw`."""
    cuts: Iterable[int] = ()
    """Byte positions at which the stream is cut into separate HTTP chunks."""
    line_end: str = "\n"
    whole: bool = False
    """Ignore `stream` and answer with one JSON object."""
    content_type: str | None = None


@dataclass(slots=True)
class Call:
    """One request, for assertions."""

    body: dict[str, Any]
    headers: Mapping[str, str]
    at: float
    peer: object
    """The caller's end of the connection, the same for calls that share one."""
    finished: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the caller closed the connection before the end."""


class ModelServer:
    """The server; an async context manager."""

    def __init__(
        self,
        answer: Answer = lambda _: "Hello.",
        key: str | None = None,
        models: Sequence[str] = ("model",),
    ) -> None:
        self.calls: list[Call] = []
        self.under_way = 0
        self.most_at_once = 0
        self.url = ""
        self._answer = answer
        self._key = key
        self._models = models
        self._scripts: dict[str | None, list[Script]] = {None: [Script()]}
        self._arrived = asyncio.Condition()
        self._runner: web.AppRunner | None = None

    def say(self, text: str | Answer) -> None:
        """Let every model without a script of its own answer this."""
        self.script(None, Script(text=text))

    def script(self, model: str | None, *scripts: Script) -> None:
        """Set how a model (None: every other one) answers its next calls; the last one stays."""
        self._scripts[model] = list(scripts)

    async def called(self, count: int, seconds: float = 5.0) -> list[Call]:
        """Wait until so many calls have come."""
        async with asyncio.timeout(seconds), self._arrived:
            await self._arrived.wait_for(lambda: len(self.calls) >= count)
        return self.calls

    async def __aenter__(self) -> "ModelServer":
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._list_models)
        self._runner = web.AppRunner(
            app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner:
            await self._runner.cleanup()

    async def _list_models(self, _: web.Request) -> web.Response:
        listed = [{"id": name, "object": "model", "owned_by": "test"} for name in self._models]
        return web.json_response({"object": "list", "data": listed})

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        peer = request.transport.get_extra_info("peername") if request.transport else None
        call = Call(await request.json(), dict(request.headers), time.monotonic(), peer)
        self.calls.append(call)
        self.under_way += 1
        self.most_at_once = max(self.most_at_once, self.under_way)
        async with self._arrived:
            self._arrived.notify_all()
        try:
            response = await self._serve(request, call)
        except (asyncio.CancelledError, ConnectionError):
            call.left.set()
            raise
        else:
            call.finished.set()
            return response
        finally:
            self.under_way -= 1

    async def _serve(self, request: web.Request, call: Call) -> web.StreamResponse:
        if self._key is not None and call.headers.get("Authorization") != f"Bearer {self._key}":
            return web.json_response({"error": {"message": "Bad key."}}, status=401)
        script = self._next(str(call.body.get("model")))
        if script.hold:
            await script.hold.wait()
        await asyncio.sleep(script.latency)
        if script.trouble == "reset" and script.after < 0:
            return _reset(request)
        if script.status != 200 or script.body is not None:
            return _plain(script)
        answer = _Answer(script, call.body, await self._text(script, call.body))
        if script.whole or not call.body.get("stream"):
            return web.json_response(answer.as_object(), headers=script.headers)
        return await _Streaming(request, script).send(answer)

    def _next(self, model: str) -> Script:
        scripts = self._scripts.get(model) or self._scripts[None]
        return scripts.pop(0) if len(scripts) > 1 else scripts[0]

    async def _text(self, script: Script, body: dict[str, Any]) -> str:
        if script.pieces is not None:
            return "".join(script.pieces)
        text = self._answer if script.text is None else script.text
        if not callable(text):
            return text
        said = text(body)
        return said if isinstance(said, str) else await said


class _Answer:
    """What a script says to a request, in the wire format."""

    def __init__(self, script: Script, body: dict[str, Any], text: str) -> None:
        self._script = script
        self._body = body
        self._text = text

    def as_object(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": self._text}
        if self._script.refusal:
            message = {"role": "assistant", "refusal": self._script.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self._script.finish}
        usage = {"usage": self._usage()} if self._script.usage else {}
        return self._framed("chat.completion", [choice], **usage)

    def pieces(self) -> list[dict[str, Any]]:
        """The chunks that hold text."""
        script = self._script
        if script.refusal:
            return [self._chunk({"refusal": script.refusal})]
        step = CHARS_PER_TOKEN
        cut = [self._text[n : n + step] for n in range(0, len(self._text), step)]
        return [self._chunk({"content": piece}) for piece in script.pieces or cut]

    def opening(self) -> dict[str, Any]:
        return self._chunk({"role": "assistant", "content": ""})

    def ending(self) -> Iterator[dict[str, Any]]:
        if self._script.finish is not None:
            yield self._chunk({}, self._script.finish)
        if self._script.usage:
            yield self._framed("chat.completion.chunk", [], usage=self._usage())

    def _usage(self) -> Mapping[str, Any]:
        if isinstance(self._script.usage, Mapping):
            return self._script.usage
        sent = sum(len(str(message.get("content"))) for message in self._body["messages"])
        counted = {
            "prompt_tokens": -(-sent // CHARS_PER_TOKEN),
            "completion_tokens": -(-len(self._text) // CHARS_PER_TOKEN),
        }
        return counted if self._script.cost is None else counted | {"cost": self._script.cost}

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return self._framed("chat.completion.chunk", [choice])

    def _framed(self, kind: str, choices: list[Any], **more: Any) -> dict[str, Any]:
        model = self._body["model"] if self._script.model is None else self._script.model
        named = {"model": model} if model else {}
        return {"id": "chatcmpl-test", "object": kind, **named, "choices": choices, **more}


class _Streaming:
    """Sends one event stream."""

    def __init__(self, request: web.Request, script: Script) -> None:
        self._request = request
        self._script = script
        headers = {"Content-Type": script.content_type or EVENT_STREAM, **script.headers}
        self._response = web.StreamResponse(headers=headers)

    async def send(self, answer: _Answer) -> web.StreamResponse:
        await self._response.prepare(self._request)
        if self._script.raw is not None:
            await self._write(self._script.raw)
            if self._script.linger:
                await self._pause(float("inf"))
            return await self._ended()
        await self._pause(self._script.first_token)
        pieces = answer.pieces()
        if self._script.trouble != "none":
            await self._events([answer.opening(), *pieces[: self._script.after]])
            return await self._trouble()
        await self._speak(answer, pieces)
        return await self._ended()

    async def _speak(self, answer: _Answer, pieces: list[dict[str, Any]]) -> None:
        end: list[object] = [*answer.ending(), *(["[DONE]"] if self._script.done else [])]
        if self._script.tokens_per_second is None:
            await self._events([answer.opening(), *pieces, *end])
            return
        await self._events([answer.opening()])
        for piece in pieces:
            await self._pause(1 / self._script.tokens_per_second)
            await self._events([piece])
        await self._events(end)

    async def _trouble(self) -> web.StreamResponse:
        if self._script.trouble == "reset":
            return _reset(self._request)
        if self._script.trouble == "hang":
            await self._pause(float("inf"))
        if self._script.trouble == "error":
            await self._events([{"error": self._script.error}, "[DONE]"])
        return await self._ended()

    async def _ended(self) -> web.StreamResponse:
        await self._response.write_eof()
        return self._response

    async def _events(self, events: Iterable[object]) -> None:
        await self._write(b"".join(self._event(event) for event in events))

    def _event(self, event: object) -> bytes:
        data = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
        return f"data: {data}{self._script.line_end * 2}".encode()

    async def _write(self, data: bytes) -> None:
        positions = [0, *sorted({cut for cut in self._script.cuts if 0 < cut < len(data)})]
        for start, end in zip(positions, [*positions[1:], len(data)], strict=True):
            if end > start:
                await self._response.write(data[start:end])

    async def _pause(self, seconds: float) -> None:
        """Wait, with keep-alive comments if the script wants them."""
        beat = self._script.keep_alive_seconds
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if beat:
                await self._response.write(f": keep-alive{self._script.line_end * 2}".encode())
            await asyncio.sleep(min(left, beat or left, 3600))


def _plain(script: Script) -> web.Response:
    body = script.body if script.body is not None else {"error": {"message": "No."}}
    if isinstance(body, Mapping | list):
        return web.json_response(body, status=script.status, headers=script.headers)
    data = body if isinstance(body, bytes) else str(body).encode()
    headers = {"Content-Type": script.content_type or "text/html", **script.headers}
    return web.Response(body=data, status=script.status, headers=headers)


def _reset(request: web.Request) -> web.Response:
    """Drop the connection with a TCP reset."""
    transport = request.transport
    if transport is not None:
        opened: socket.socket = transport.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    return web.Response()
