"""Every wire format as a server writes it, so that one set of cases can be put to all adapters."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import httpx
from pydantic import SecretStr

from bot.models.adapters.anthropic import AnthropicPort
from bot.models.adapters.gemini import GeminiPort
from bot.models.adapters.openai import OpenAIPort
from bot.models.adapters.openai.vendors import VendorName
from bot.models.sse import WaitLimits
from bot.types.model_port import Message, ModelPort, ModelRequest, Prompt
from tests.models.vendor_refusals import (
    GENERATION_CONFIG,
    REFUSALS,
    Refusal,
    filled,
    refused_parameter,
)

KEY = "sk-test-0123456789abcdef"
MODEL = "model-1"
ANSWERED = "model-1-2026"
SERVED = frozenset({MODEL, "claude-sonnet-4-6", "claude-opus-4-6"})

Ending = Literal["stop", "length", "refused", "none"]


def event(data: object, name: str = "", line_end: str = "\n") -> bytes:
    """One server-sent event, with its text as it is and not escaped."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    head = f"event: {name}{line_end}" if name else ""
    return f"{head}data: {text}{line_end * 2}".encode()


def request(user: str = "Tabs or spaces?", **options: Any) -> ModelRequest:
    """A request as the council would make it."""
    prompt = Prompt("round1", {}, (Message("system", "Be brief."), Message("user", user)))
    given: dict[str, Any] = {"model": MODEL, "deadline_seconds": 10.0} | options
    return ModelRequest(prompt=prompt, label="r1:analyst", **given)


class Dialect(ABC):
    """One wire format; every answer it writes used 9 tokens in, 4 of them cached, and 5 out."""

    name: ClassVar[str]
    keep_alive: ClassVar[bytes] = b": keep-alive\n\n"
    reasoning_tokens: ClassVar[int] = 0
    kept_tokens: ClassVar[int] = 0

    @property
    def vendor(self) -> str:
        """Whose words it refuses with."""
        return self.name

    @abstractmethod
    def refusal(self, path: str, body: Mapping[str, Any]) -> Refusal | None:
        """How the vendor refuses a call to an endpoint, model or parameter it does not know."""

    def _refused(self, asked: str, wanted: str, sent: Mapping[str, Any]) -> Refusal | None:
        """The refusal of another path or model, or of a parameter."""
        refusals = REFUSALS[self.vendor]
        if asked != wanted:
            return filled(refusals.endpoint, path=asked)
        if sent.get("model", MODEL) not in SERVED:
            return filled(refusals.model, model=str(sent["model"]))
        return refused_parameter(self.vendor, sent, self.name)

    @abstractmethod
    def port(
        self,
        url: str,
        client: httpx.AsyncClient,
        key: str = KEY,
        limits: WaitLimits | None = None,
    ) -> ModelPort:
        """The adapter on a server."""

    @abstractmethod
    def events(
        self, *pieces: str, ending: Ending = "stop", thought: str = "", line_end: str = "\n"
    ) -> list[bytes]:
        """A stream with these pieces of text; "none" leaves the end away."""

    @abstractmethod
    def error(self, message: str, status: int) -> Mapping[str, Any]:
        """The body of an HTTP error."""

    @abstractmethod
    def error_event(self, message: str, busy: bool = False) -> bytes:
        """An error inside a stream that began with 200; `busy` says the provider is overloaded."""

    @abstractmethod
    def too_long(self) -> tuple[int, Mapping[str, Any]]:
        """How the provider says that a prompt is too long."""

    @abstractmethod
    def schema_rejected(self) -> Mapping[str, Any]:
        """How the provider says that the model takes no schema, with status 400."""

    def stream(self, *pieces: str, **options: Any) -> bytes:
        """A whole stream in one piece."""
        return b"".join(self.events(*pieces, **options))


class OpenAI(Dialect):
    """Chat completions, as one of the vendors serves them."""

    def __init__(self, vendor: VendorName = "openai") -> None:
        self.name = vendor  # type: ignore[misc]

    def port(
        self,
        url: str,
        client: httpx.AsyncClient,
        key: str = KEY,
        limits: WaitLimits | None = None,
    ) -> ModelPort:
        return OpenAIPort(
            f"{url}/v1",
            SecretStr(key),
            client,
            8,
            limits,
            vendor=self.name,  # type: ignore[arg-type]
        )

    def refusal(self, path: str, body: Mapping[str, Any]) -> Refusal | None:
        return self._refused(path, "/v1/chat/completions", body)

    def events(
        self, *pieces: str, ending: Ending = "stop", thought: str = "", line_end: str = "\n"
    ) -> list[bytes]:
        deltas: list[dict[str, str]] = [{"reasoning": thought}] if thought else []
        deltas += [{"content": piece} for piece in pieces]
        chunks: list[object] = [self._chunk(delta) for delta in deltas]
        if ending != "none":
            chunks += [
                self._chunk({}, {"refused": "content_filter"}.get(ending, ending)),
                self._usage(),
                "[DONE]",
            ]
        return [event(chunk, line_end=line_end) for chunk in chunks]

    def error(self, message: str, status: int) -> Mapping[str, Any]:
        return {"error": {"message": message, "code": status}}

    def error_event(self, message: str, busy: bool = False) -> bytes:
        return event({"error": {"message": message, "code": 503 if busy else 500}})

    def too_long(self) -> tuple[int, Mapping[str, Any]]:
        error = {"message": "Too long.", "code": "context_length_exceeded"}
        return 400, {"error": error}

    def schema_rejected(self) -> Mapping[str, Any]:
        message = "Unsupported parameter: 'response_format' is not supported with this model."
        return {"error": {"message": message, "param": "response_format"}}

    def _chunk(self, delta: Mapping[str, str], finish: str | None = None) -> dict[str, Any]:
        return {"model": ANSWERED, "choices": [{"delta": delta, "finish_reason": finish}]}

    def _usage(self) -> dict[str, Any]:
        used = {"prompt_tokens": 9, "completion_tokens": 5}
        details = {"prompt_tokens_details": {"cached_tokens": 4}}
        return {"model": ANSWERED, "choices": [], "usage": {**used, **details}}


class Responses(Dialect):
    """OpenAI's Responses API, for a model that is served there alone."""

    name = "responses"
    vendor = "openai"
    reasoning_tokens = 2
    keep_alive = b'event: keepalive\ndata: {"type": "keepalive", "sequence_number": 3}\n\n'

    def port(
        self,
        url: str,
        client: httpx.AsyncClient,
        key: str = KEY,
        limits: WaitLimits | None = None,
    ) -> ModelPort:
        port = OpenAIPort(f"{url}/v1", SecretStr(key), client, 8, limits, vendor="openai")
        port.serve_by_responses(MODEL)
        return port

    def refusal(self, path: str, body: Mapping[str, Any]) -> Refusal | None:
        return self._refused(path, "/v1/responses", body)

    def events(
        self, *pieces: str, ending: Ending = "stop", thought: str = "", line_end: str = "\n"
    ) -> list[bytes]:
        said = [self._event("response.created", response=self._response("in_progress"))]
        if thought:
            said.append(self._event("response.reasoning_summary_text.delta", delta=thought))
        said += [self._event("response.output_text.delta", delta=piece) for piece in pieces]
        if ending == "refused":
            said.append(self._event("response.refusal.delta", delta="No."))
        if ending != "none":
            said.append(self._last(ending))
        numbered = [{**one, "sequence_number": number} for number, one in enumerate(said)]
        return [event(one, str(one["type"]), line_end) for one in numbered]

    def error(self, message: str, status: int) -> Mapping[str, Any]:
        kind = {429: "rate_limit_exceeded", 500: "server_error"}.get(status, "")
        return {"error": {"message": message, "type": "some_error", "param": None, "code": kind}}

    def error_event(self, message: str, busy: bool = False) -> bytes:
        if busy:
            error = {"code": "server_is_overloaded", "message": message}
            failed = {**self._response("failed"), "error": error}
            return event({"type": "response.failed", "response": failed}, "response.failed")
        return event({"type": "error", "code": "server_error", "message": message}, "error")

    def too_long(self) -> tuple[int, Mapping[str, Any]]:
        message = "Your input exceeds the context window of this model. Please adjust your input."
        code = "context_length_exceeded"
        return 400, {"error": {"message": message, "param": "input", "code": code}}

    def schema_rejected(self) -> Mapping[str, Any]:
        message = "Invalid parameter: 'text.format' of type 'json_schema' is not supported."
        return {"error": {"message": message, "param": "text.format", "code": None}}

    def _event(self, kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, **fields}

    def _last(self, ending: Ending) -> dict[str, Any]:
        used = {"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}}
        used |= {"output_tokens": 5, "output_tokens_details": {"reasoning_tokens": 2}}
        status = "incomplete" if ending == "length" else "completed"
        response = {**self._response(status), "usage": used}
        if ending == "length":
            response["incomplete_details"] = {"reason": "max_output_tokens"}
        return self._event(f"response.{status}", response=response)

    def _response(self, status: str) -> dict[str, Any]:
        empty: dict[str, Any] = {
            "error": None,
            "incomplete_details": None,
            "usage": None,
            "output": [],
        }
        return {"id": "resp_1", "object": "response", "status": status, "model": ANSWERED, **empty}


class Anthropic(Dialect):
    name = "anthropic"
    kept_tokens = 2
    keep_alive = b'event: ping\ndata: {"type": "ping"}\n\n'

    def port(
        self,
        url: str,
        client: httpx.AsyncClient,
        key: str = KEY,
        limits: WaitLimits | None = None,
    ) -> ModelPort:
        return AnthropicPort(url, SecretStr(key), client, 8, limits)

    def refusal(self, path: str, body: Mapping[str, Any]) -> Refusal | None:
        return self._refused(path, "/v1/messages", body)

    def events(
        self, *pieces: str, ending: Ending = "stop", thought: str = "", line_end: str = "\n"
    ) -> list[bytes]:
        said = [self._message_start(), *self._blocks(pieces, thought)]
        if ending != "none":
            reason = {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"}[ending]
            end = {"type": "message_delta", "delta": {"stop_reason": reason}}
            said += [{**end, "usage": {"output_tokens": 5}}, {"type": "message_stop"}]
        return [event(one, str(one["type"]), line_end) for one in said]

    def error(self, message: str, status: int) -> Mapping[str, Any]:
        kind = {429: "rate_limit_error", 529: "overloaded_error"}.get(status, "some_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "r"}

    def error_event(self, message: str, busy: bool = False) -> bytes:
        kind = "overloaded_error" if busy else "api_error"
        return event({"type": "error", "error": {"type": kind, "message": message}}, "error")

    def too_long(self) -> tuple[int, Mapping[str, Any]]:
        message = "prompt is too long: 210000 tokens > 200000 maximum"
        return 400, {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": message},
        }

    def schema_rejected(self) -> Mapping[str, Any]:
        message = "output_config: Extra inputs are not permitted"
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}

    def _message_start(self) -> dict[str, Any]:
        used = {"input_tokens": 3, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2}
        usage = {**used, "output_tokens": 1}
        message = {"id": "m", "role": "assistant", "model": ANSWERED, "usage": usage, "content": []}
        return {"type": "message_start", "message": message}

    def _blocks(self, pieces: tuple[str, ...], thought: str) -> list[dict[str, Any]]:
        said: list[dict[str, Any]] = []
        if thought:
            delta = {"type": "thinking_delta", "thinking": thought}
            said += self._block(0, {"type": "thinking", "thinking": ""}, [delta])
        said.append({"type": "ping"})
        deltas = [{"type": "text_delta", "text": piece} for piece in pieces]
        return said + self._block(len(said), {"type": "text", "text": ""}, deltas)

    def _block(
        self, index: int, block: dict[str, str], deltas: list[dict[str, str]]
    ) -> list[dict[str, Any]]:
        start = {"type": "content_block_start", "index": index, "content_block": block}
        kind = {"type": "content_block_delta", "index": index}
        stop = {"type": "content_block_stop", "index": index}
        return [start, *({**kind, "delta": delta} for delta in deltas), stop]


class Gemini(Dialect):
    name = "gemini"
    reasoning_tokens = 2

    def port(
        self,
        url: str,
        client: httpx.AsyncClient,
        key: str = KEY,
        limits: WaitLimits | None = None,
    ) -> ModelPort:
        return GeminiPort(url, SecretStr(key), client, 8, limits)

    def refusal(self, path: str, body: Mapping[str, Any]) -> Refusal | None:
        model, _, method = path.removeprefix("/v1beta/models/").partition(":")
        if model not in SERVED:
            return filled(REFUSALS["gemini"].model, model=model)
        config = set(body.get("generationConfig", {})) - GENERATION_CONFIG
        if config:
            return refused_parameter("gemini", config)
        return self._refused(method, "streamGenerateContent", body)

    def events(
        self, *pieces: str, ending: Ending = "stop", thought: str = "", line_end: str = "\n"
    ) -> list[bytes]:
        parts: list[dict[str, Any]] = [{"text": thought, "thought": True}] if thought else []
        chunks = [self._chunk([part]) for part in [*parts, *({"text": piece} for piece in pieces)]]
        if ending != "none":
            reason = {"stop": "STOP", "length": "MAX_TOKENS", "refused": "SAFETY"}[ending]
            chunks.append(self._chunk([{"text": ""}], reason))
        return [event(chunk, line_end=line_end) for chunk in chunks]

    def error(self, message: str, status: int) -> Mapping[str, Any]:
        names = {429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE", 404: "NOT_FOUND"}
        said = {"code": status, "message": message, "status": names.get(status, "UNKNOWN")}
        return {"error": said}

    def error_event(self, message: str, busy: bool = False) -> bytes:
        status = "UNAVAILABLE" if busy else "INTERNAL"
        said = {"code": 503 if busy else 500, "message": message, "status": status}
        return event({"error": said})

    def too_long(self) -> tuple[int, Mapping[str, Any]]:
        message = "The input token count (9) exceeds the maximum number of tokens allowed (8)."
        return 400, {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}

    def schema_rejected(self) -> Mapping[str, Any]:
        message = (
            'Invalid JSON payload received. Unknown name "responseJsonSchema" at '
            "'generation_config': Cannot find field."
        )
        return {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}

    def _chunk(self, parts: list[dict[str, Any]], finish: str | None = None) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}, "index": 0}
        used = {"promptTokenCount": 9, "cachedContentTokenCount": 4}
        if finish:
            candidate["finishReason"] = finish
            used |= {"candidatesTokenCount": 3, "thoughtsTokenCount": 2}
        return {"candidates": [candidate], "usageMetadata": used, "modelVersion": ANSWERED}


DIALECTS: tuple[Dialect, ...] = (
    OpenAI(),
    Responses(),
    Anthropic(),
    Gemini(),
    OpenAI("openrouter"),
    OpenAI("xai"),
    OpenAI("mistral"),
    OpenAI("deepseek"),
)
