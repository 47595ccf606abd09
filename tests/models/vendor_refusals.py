"""How vendors refuse a call they do not serve, word for word as their servers answer.

The bodies are those that callers reported publicly, read in November 2026: OpenAI (openai-python,
goose#2564, tmuxai#82, chatwise#1256, tingly-box#233), xAI (bilingual_book_maker#464, AIWriteX#26),
Mistral, DeepSeek, OpenRouter, Anthropic and Gemini (their error references). `{model}`, `{path}`
and `{name}` stand for what was asked.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from bot.types.model_port import ErrorKind

Refusal = tuple[int, Mapping[str, Any]]


def _openai(message: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _anthropic(kind: str, message: str) -> dict[str, Any]:
    error = {"type": kind, "message": message}
    return {"type": "error", "error": error, "request_id": "req_011CUf"}


def _gemini(code: int, status: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status}}


def _xai(code: str, message: str) -> dict[str, Any]:
    return {"code": code, "error": message}


@dataclass(frozen=True, slots=True)
class Refusals:
    """What one vendor answers to a model, a parameter, an endpoint or a key it does not know."""

    model: Refusal
    endpoint: Refusal
    key: Refusal
    parameter: Refusal | None
    """None: parameters it does not know are ignored."""


NOT_CHAT: Refusal = (
    404,
    _openai(
        "This is not a chat model and thus not supported in the v1/chat/completions endpoint. "
        "Did you mean to use v1/completions?",
        "model",
    ),
)
ONLY_RESPONSES: Refusal = (
    404,
    _openai(
        "This model is only supported in v1/responses and not in v1/chat/completions.", "model"
    ),
)
UNSUPPORTED_API: Refusal = (
    400,
    _openai(
        'model "gpt-5.3-codex" is not accessible via the /chat/completions endpoint',
        code="unsupported_api_for_model",
    ),
)
NO_MAX_TOKENS: Refusal = (
    400,
    _openai(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        "max_tokens",
        "unsupported_parameter",
    ),
)
NO_EFFORT: Refusal = (
    400,
    _xai(
        "Client specified an invalid argument",
        "Argument not supported on this model: reasoningEffort",
    ),
)
_INCORRECT_KEY = "Incorrect API key provided: sk-te***cdef."
REFUSALS: Mapping[str, Refusals] = {
    "openai": Refusals(
        model=(
            404,
            _openai(
                "The model `{model}` does not exist or you do not have access to it.",
                code="model_not_found",
            ),
        ),
        endpoint=(404, _openai("Invalid URL (POST {path})")),
        key=(401, _openai(_INCORRECT_KEY, code="invalid_api_key")),
        parameter=(400, _openai("Unknown parameter: '{name}'.", "{name}", "unknown_parameter")),
    ),
    "openrouter": Refusals(
        model=(400, {"error": {"message": "{model} is not a valid model ID", "code": 400}}),
        endpoint=(404, {"error": {"message": "Not Found", "code": 404}}),
        key=(401, {"error": {"message": "User not found.", "code": 401}}),
        parameter=None,
    ),
    "xai": Refusals(
        model=(
            404,
            _xai(
                "Some requested entity was not found",
                "The model {model} does not exist or your team does not have access to it. "
                "Please ensure you're using the correct API key.",
            ),
        ),
        endpoint=(
            404,
            _xai(
                "Some requested entity was not found",
                "No handler found on route. Please double check your URL.",
            ),
        ),
        key=(400, _xai("Client specified an invalid argument", _INCORRECT_KEY)),
        parameter=(
            422,
            _xai(
                "Client specified an invalid argument",
                "Failed to deserialize the JSON body into the target type: unknown field `{name}`",
            ),
        ),
    ),
    "mistral": Refusals(
        model=(
            400,
            {
                "object": "error",
                "message": "Invalid model: {model}",
                "type": "invalid_model",
                "param": None,
                "code": "1500",
            },
        ),
        endpoint=(404, {"detail": "Not Found"}),
        key=(401, {"detail": "Unauthorized"}),
        parameter=(
            422,
            {
                "object": "error",
                "message": {
                    "detail": [
                        {
                            "type": "extra_forbidden",
                            "loc": ["body", "{name}"],
                            "msg": "Extra inputs are not permitted",
                        }
                    ]
                },
                "type": "invalid_request_error",
                "param": None,
                "code": None,
            },
        ),
    ),
    "deepseek": Refusals(
        model=(400, _openai("Model Not Exist", code="invalid_request_error")),
        endpoint=(404, {}),
        key=(
            401,
            {
                "error": {
                    "message": "Authentication Fails, Your api key: ****cdef is invalid",
                    "type": "authentication_error",
                    "param": None,
                    "code": "invalid_request_error",
                }
            },
        ),
        parameter=None,
    ),
    "anthropic": Refusals(
        model=(404, _anthropic("not_found_error", "model: {model}")),
        endpoint=(404, _anthropic("not_found_error", "Not Found")),
        key=(401, _anthropic("authentication_error", "invalid x-api-key")),
        parameter=(
            400,
            _anthropic("invalid_request_error", "{name}: Extra inputs are not permitted"),
        ),
    ),
    "gemini": Refusals(
        model=(
            404,
            _gemini(
                404,
                "NOT_FOUND",
                "models/{model} is not found for API version v1beta, or is not supported for "
                "generateContent. Call ListModels to see the list of available models and their "
                "supported methods.",
            ),
        ),
        endpoint=(404, {}),
        key=(
            400,
            _gemini(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."),
        ),
        parameter=(
            400,
            _gemini(
                400,
                "INVALID_ARGUMENT",
                'Invalid JSON payload received. Unknown name "{name}": Cannot find field.',
            ),
        ),
    ),
}
EXPECTED: Mapping[str, ErrorKind] = {
    "model": ErrorKind.NOT_AUTHORISED,
    "endpoint": ErrorKind.NOT_AUTHORISED,
    "key": ErrorKind.NOT_AUTHORISED,
    "parameter": ErrorKind.UNSUPPORTED_PARAMETER,
}

_CHAT = frozenset(
    "model messages stream stream_options max_tokens temperature top_p stop seed n "
    "response_format tools tool_choice frequency_penalty presence_penalty".split()
)
_ANTHROPIC = frozenset(
    "model messages max_tokens system stream stop_sequences temperature top_k top_p metadata "
    "output_config thinking cache_control service_tier".split()
)
ACCEPTED: Mapping[str, frozenset[str]] = {
    "openai": _CHAT
    | frozenset(
        "max_completion_tokens reasoning_effort verbosity prompt_cache_key safety_identifier "
        "service_tier store metadata".split()
    ),
    "responses": frozenset(
        "model input instructions stream stream_options store max_output_tokens reasoning text "
        "temperature top_p metadata prompt_cache_key safety_identifier service_tier".split()
    ),
    "xai": _CHAT | {"max_completion_tokens", "reasoning_effort"},
    "mistral": (_CHAT - {"stream_options", "seed"}) | {"random_seed", "safe_prompt", "prompt_mode"},
    "anthropic": _ANTHROPIC,
    "gemini": frozenset("contents systemInstruction generationConfig safetySettings".split()),
}
GENERATION_CONFIG = frozenset(
    "maxOutputTokens responseMimeType responseJsonSchema thinkingConfig temperature topP".split()
)


def filled(refusal: Refusal, **asked: str) -> Refusal:
    """A refusal that names what was asked."""
    status, body = refusal
    text = json.dumps(body)
    for name, value in asked.items():
        text = text.replace(f"{{{name}}}", value)
    return status, json.loads(text)


def refused_parameter(vendor: str, sent: Collection[str], format_: str = "") -> Refusal | None:
    """The refusal of the first parameter the vendor does not know, if it minds."""
    accepted = ACCEPTED.get(format_ or vendor)
    refusal = REFUSALS[vendor].parameter
    if accepted is None or refusal is None:
        return None
    unknown = sorted(set(sent) - accepted)
    return filled(refusal, name=unknown[0]) if unknown else None
