"""The providers as a caller sees them: their lists in their formats, their refusals in their words.

One server on loopback plays all of them, told apart by the name of the host that was asked for, so
the shipped panels.json works on it unchanged:

    async with Vendors() as vendors:
        async with vendors.client() as client:
            ...
        assert vendors.asked[0] == ("openai", "gpt-5.5")

Each takes KEY, serves the ids recorded in catalogues/ and refuses everything else as the real one
does; the bodies are from the providers' pages and from public issue threads.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import httpx
from aiohttp import web

from tests.keys.catalogue import recorded
from tests.models.dialects import Anthropic, Dialect, Gemini, OpenAI

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
Refusal = tuple[int, Mapping[str, Any]]


def _openai_error(message: str, code: str | None, kind: str = "invalid_request_error") -> Any:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _openai_unknown(model: str) -> Refusal:
    if "codex" in model or model.endswith("-pro"):
        said = (
            "This is not a chat model and thus not supported in the v1/chat/completions endpoint."
        )
        return 404, _openai_error(f"{said} Did you mean to use v1/completions?", None)
    said = f"The model `{model}` does not exist or you do not have access to it."
    return 404, _openai_error(said, "model_not_found")


def _xai_unknown(model: str) -> Refusal:
    said = f"The model {model} does not exist or your team 00000000 does not have access to it."
    return 404, {"code": "Some requested entity was not found", "error": said}


def _gemini_error(code: int, status: str, message: str) -> Any:
    return {"error": {"code": code, "message": message, "status": status}}


def _gemini_unknown(model: str) -> Refusal:
    said = f"models/{model} is not found for API version v1beta, or is not supported for"
    return 404, _gemini_error(404, "NOT_FOUND", f"{said} generateContent. Call ListModels to see")


def _anthropic_error(kind: str, message: str) -> Any:
    return {"type": "error", "error": {"type": kind, "message": message}}


def _listed(ids: tuple[str, ...], owner: str) -> Any:
    data = [{"id": i, "object": "model", "created": 1686935002, "owned_by": owner} for i in ids]
    return {"object": "list", "data": data}


def _openrouter_list(ids: tuple[str, ...]) -> Any:
    price = {"prompt": "0.000002", "completion": "0.00001"}
    return {"data": [{"id": i, "created": 1686935002, "pricing": price} for i in ids]}


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
    """How one provider lists, refuses a key and refuses a model."""

    name: str
    host: str
    dialect: Dialect
    listing: Callable[[tuple[str, ...]], Any]
    wrong_key: Refusal
    unknown: Callable[[str], Refusal]
    key_header: str = "Authorization"

    def takes(self, request: web.Request) -> bool:
        """Whether the caller sent the right key."""
        return request.headers.get(self.key_header, "").removeprefix("Bearer ") == KEY


VENDORS: Final = (
    Vendor(
        "anthropic",
        "api.anthropic.com",
        Anthropic(),
        _anthropic_list,
        (401, _anthropic_error("authentication_error", "invalid x-api-key")),
        lambda model: (404, _anthropic_error("not_found_error", f"model: {model}")),
        "x-api-key",
    ),
    Vendor(
        "openai",
        "api.openai.com",
        OpenAI(),
        lambda ids: _listed(ids, "system"),
        (401, _openai_error("Incorrect API key provided: sk-bad*****key.", "invalid_api_key")),
        _openai_unknown,
    ),
    Vendor(
        "gemini",
        "generativelanguage.googleapis.com",
        Gemini(),
        _gemini_list,
        (
            400,
            _gemini_error(
                400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."
            ),
        ),
        _gemini_unknown,
        "x-goog-api-key",
    ),
    Vendor(
        "xai",
        "api.x.ai",
        OpenAI(),
        lambda ids: _listed(ids, "xai"),
        (
            400,
            {
                "code": "Client specified an invalid argument",
                "error": "Incorrect API key provided: sk***ey. You can obtain an API key from "
                "https://console.x.ai.",
            },
        ),
        _xai_unknown,
    ),
    Vendor(
        "mistral",
        "api.mistral.ai",
        OpenAI(),
        lambda ids: _listed(ids, "mistralai"),
        (401, {"message": "Unauthorized", "request_id": "00000000"}),
        lambda model: (
            400,
            {
                "object": "error",
                "message": f"Invalid model: {model}",
                "type": "invalid_model",
                "param": None,
                "code": "1500",
            },
        ),
    ),
    Vendor(
        "deepseek",
        "api.deepseek.com",
        OpenAI(),
        lambda ids: _listed(ids, "deepseek"),
        (401, _openai_error("Authentication Fails (governor)", None, "authentication_error")),
        lambda _: (400, _openai_error("Model Not Exist", "invalid_request_error")),
    ),
    Vendor(
        "openrouter",
        "openrouter.ai",
        OpenAI(),
        _openrouter_list,
        (401, {"error": {"message": "User not found.", "code": 401}}),
        lambda model: (
            400,
            {"error": {"message": f"{model} is not a valid model ID", "code": 400}},
        ),
    ),
    Vendor(
        "blockrun",
        "127.0.0.1:8402",
        OpenAI(),
        lambda ids: _listed(ids, "blockrun"),
        (401, {"error": {"message": "unauthorized"}}),
        lambda model: (400, {"error": {"message": f"Unknown model: {model}", "code": 400}}),
    ),
)


class Vendors:
    """All providers on one port of this machine."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        """Which models were asked to answer, with their provider."""
        self.refused: list[tuple[str, str]] = []
        """Which calls a provider refused because it has no such model there."""
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
        public = vendor.name == "openrouter" and request.path.endswith("/models")
        if vendor.name != "blockrun" and not public and not vendor.takes(request):
            return _refusal(vendor.wrong_key)
        if request.method == "GET":
            if request.path.endswith("/key"):
                return web.json_response({"data": {"label": "sk-or", "limit": None}})
            return web.json_response(vendor.listing(self.ids[vendor.name]))
        return await self._completion(vendor, request)

    async def _completion(self, vendor: Vendor, request: web.Request) -> web.Response:
        body = await request.json()
        model = body.get("model") or request.path.rpartition("/")[2].partition(":")[0]
        self.asked.append((vendor.name, model))
        chat_only = vendor.name == "openai" and request.path.endswith("/chat/completions")
        elsewhere = chat_only and ("codex" in model or model.endswith("-pro"))
        if model not in self.ids[vendor.name] or elsewhere or vendor.name in self.broken:
            self.refused.append((vendor.name, model))
            return _refusal(vendor.unknown(model))
        stream = b"".join(vendor.dialect.events("ready"))
        return web.Response(body=stream, content_type="text/event-stream")


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
