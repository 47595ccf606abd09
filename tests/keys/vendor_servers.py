"""The providers as a caller sees them: their lists in their formats, their refusals in their words.

One server on loopback plays all of them, told apart by the name of the host that was asked for, so
the shipped panels.json works on it unchanged:

    async with Vendors() as vendors:
        async with vendors.client() as client:
            ...
        assert vendors.asked[0] == ("openai", "gpt-5.5")

Each takes KEY, serves the ids recorded in catalogues/ and refuses every other id, parameter and
endpoint as the real one does.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Self

import httpx
from aiohttp import web

from tests.keys.recorded_lists import recorded
from tests.models.dialects import Anthropic, Dialect, Gemini, OpenAI, Responses
from tests.models.vendor_refusals import NOT_CHAT, REFUSALS, Refusal, filled, refused_parameter

KEY: Final = "sk-good-0123456789"
SECRETS: Final = {
    "ANTHROPIC_API_KEY": "anthropic",
    "OPENAI_API_KEY": "openai",
    "GEMINI_API_KEY": "gemini",
    "XAI_API_KEY": "xai",
    "MISTRAL_API_KEY": "mistral",
    "DEEPSEEK_API_KEY": "deepseek",
    "OPENROUTER_API_KEY": "openrouter",
}
LONG_AGO: Final = 1686935002
RESPONSES: Final = "/v1/responses"


def _openai_list(ids: tuple[str, ...]) -> Any:
    entry = {"object": "model", "created": LONG_AGO, "owned_by": "system"}
    return {"object": "list", "data": [{"id": wire, **entry} for wire in ids]}


def _openrouter_list(ids: tuple[str, ...]) -> Any:
    entry = {"created": LONG_AGO, "pricing": {"prompt": "0.000002", "completion": "0.00001"}}
    return {"data": [{"id": wire, **entry} for wire in ids]}


def _anthropic_list(ids: tuple[str, ...]) -> Any:
    data = [{"type": "model", "id": i, "created_at": "1970-01-01T00:00:00Z"} for i in ids]
    return {"data": data, "has_more": False, "first_id": ids[0], "last_id": ids[-1]}


def _gemini_list(ids: tuple[str, ...]) -> Any:
    def methods(wire: str) -> list[str]:
        return ["embedContent"] if "embedding" in wire else ["generateContent", "countTokens"]

    return {
        "models": [{"name": f"models/{i}", "supportedGenerationMethods": methods(i)} for i in ids]
    }


@dataclass(frozen=True, slots=True)
class Vendor:
    """One provider: where it is, how it lists its models, and where it answers."""

    name: str
    host: str
    chat: str
    dialect: Dialect
    listing: Callable[[tuple[str, ...]], Any] = _openai_list
    key_header: str = "Authorization"

    def takes(self, request: web.Request) -> bool:
        """Whether the caller sent the right key; Blockrun takes any, OpenRouter's list none."""
        if self.name == "blockrun" or (self.listing is _openrouter_list and _lists(request)):
            return True
        return request.headers.get(self.key_header, "").removeprefix("Bearer ") == KEY


def _lists(request: web.Request) -> bool:
    return request.method == "GET" and request.path.endswith("/models")


_CHAT: Final = "/v1/chat/completions"
VENDORS: Final = (
    Vendor(
        "anthropic",
        "api.anthropic.com",
        "/v1/messages",
        Anthropic(),
        _anthropic_list,
        "x-api-key",
    ),
    Vendor("openai", "api.openai.com", _CHAT, OpenAI()),
    Vendor(
        "gemini",
        "generativelanguage.googleapis.com",
        "/v1beta/models/",
        Gemini(),
        _gemini_list,
        "x-goog-api-key",
    ),
    Vendor("xai", "api.x.ai", _CHAT, OpenAI()),
    Vendor("mistral", "api.mistral.ai", _CHAT, OpenAI()),
    Vendor("deepseek", "api.deepseek.com", "/chat/completions", OpenAI()),
    Vendor("openrouter", "openrouter.ai", f"/api{_CHAT}", OpenAI(), _openrouter_list),
    Vendor("blockrun", "127.0.0.1:8402", _CHAT, OpenAI()),
)


class Vendors:
    """All providers on one port of this machine."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        """Which models were asked to answer, with their provider."""
        self.refused: list[tuple[str, str]] = []
        """Which of these calls were refused."""
        self.broken: set[str] = set()
        """Who answers no question although the list names the model."""
        self.ids = {vendor.name: recorded(vendor.name) for vendor in VENDORS}
        self.port = 0

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    def client(self) -> httpx.AsyncClient:
        """A client whose calls to any provider end here."""
        return httpx.AsyncClient(transport=_Redirected(self.port), trust_env=False, timeout=5)

    async def _answer(self, request: web.Request) -> web.Response:
        vendor = next((v for v in VENDORS if v.host == request.host), None)
        if vendor is None:
            return web.json_response({"error": f"nobody is at {request.host}"}, status=501)
        if not vendor.takes(request):
            return _refusal(REFUSALS[vendor.name].key)
        if _lists(request):
            return web.json_response(vendor.listing(self.ids[vendor.name]))
        if request.method == "GET" and request.path.endswith("/key"):
            return web.json_response({"data": {"label": "sk-or", "limit": None}})
        body = await request.json()
        model = body.get("model") or request.path.rpartition("/")[2].partition(":")[0]
        self.asked.append((vendor.name, model))
        if refusal := self._fault(vendor, request.path, model, body):
            self.refused.append((vendor.name, model))
            return _refusal(refusal)
        dialect = Responses() if request.path == RESPONSES else vendor.dialect
        stream = b"".join(dialect.events("ready"))
        return web.Response(body=stream, content_type="text/event-stream")

    def _fault(self, vendor: Vendor, path: str, model: str, body: dict[str, Any]) -> Refusal | None:
        """Why a call is refused, if it is; Blockrun refuses as OpenRouter does."""
        refusals = REFUSALS[{"blockrun": "openrouter"}.get(vendor.name, vendor.name)]
        by_responses = vendor.name == "openai" and path == RESPONSES
        if not by_responses and not path.startswith(vendor.chat):
            return filled(refusals.endpoint, path=path)
        if model not in self.ids[vendor.name] or vendor.name in self.broken:
            return filled(refusals.model, model=model)
        if vendor.name == "openai" and not by_responses and _only_responses(model):
            return NOT_CHAT
        if vendor.name == "blockrun":
            return None
        return refused_parameter(vendor.name, body, "responses" if by_responses else "")


def _only_responses(model: str) -> bool:
    return "codex" in model or model.endswith("-pro") or "deep-research" in model


def _refusal(refusal: Refusal) -> web.Response:
    status, body = refusal
    return web.Response(text=json.dumps(body), status=status, content_type="application/json")


class _Redirected(httpx.AsyncBaseTransport):
    """Carries every call to one port of this machine, under the name of the host it was for."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host = request.url.netloc.decode()
        request.url = request.url.copy_with(scheme="http", host="127.0.0.1", port=self._port)
        request.headers["Host"] = host
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()
