"""The error taxonomy shared by every adapter that speaks HTTP: one table, first match wins."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from bot.messages.models import ModelErrorText
from bot.models.failure_details import FailureDetails, mapping, read_details
from bot.models.redaction import excerpt
from bot.types.model_port import ErrorKind, ModelError

Parameters = Mapping[str, tuple[str, ...]]
"""Optional parameters, each with the words by which errors name it."""

CHAT: Final = "chat completions"
"""The pseudo-parameter that stands for an endpoint that does not serve the model."""
_SHORTEST_NAME: Final = 10
_ABOUT_THE_REQUEST = (None, 400, 422)


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: ErrorKind
    sentence: str
    statuses: Collection[int] = ()
    codes: frozenset[str] = frozenset()
    words: re.Pattern[str] | None = None
    quote: bool = True


_REJECTED = _Rule(ErrorKind.UNSUPPORTED_PARAMETER, ModelErrorText.PROVIDER_REJECTED)
_BROKEN = _Rule(ErrorKind.NETWORK, ModelErrorText.PROVIDER_FAILED)
_LIMITED = _Rule(
    ErrorKind.RATE_LIMITED,
    ModelErrorText.RATE_LIMITED,
    statuses=(429,),
    codes=frozenset(
        "rate_limit_exceeded rate_limit_error rate_limited resource_exhausted "
        "openrouter_in_flight_budget".split()
    ),
)
_NO_MONEY = _Rule(
    ErrorKind.OUT_OF_MONEY,
    ModelErrorText.OUT_OF_MONEY,
    statuses=(402, 432, 433),
    codes=frozenset(
        "insufficient_quota insufficient_credits insufficient_balance billing_error "
        "billing_hard_limit_reached billing_not_active enforced_spend_limit_reached".split()
    ),
    words=re.compile(
        r"spend(?:ing)? limit"
        r"|credit balance is too low"
        r"|insufficient (?:credits|balance|funds)"
    ),
)
_TOO_LONG = _Rule(
    ErrorKind.CONTEXT_EXCEEDED,
    ModelErrorText.PROMPT_TOO_LONG,
    statuses=(413,),
    codes=frozenset(
        "context_length_exceeded context_window_exceeded exceed_context_size_error "
        "model_context_window_exceeded request_too_large".split()
    ),
    words=re.compile(
        r"maximum context length"
        r"|prompt is too long"
        r"|exceeds? (?:the )?(?:model's )?(?:available )?context"
        r"|context (?:size|length|window) (?:has been )?exceeded"
        r"|longer than the (?:model's )?context"
        r"|input token count .{0,80}exceeds the maximum"
        r"|max_tokens must be at least 1"
    ),
    quote=False,
)
_DECLINED = _Rule(
    ErrorKind.REFUSED,
    ModelErrorText.PROVIDER_DECLINED,
    codes=frozenset(
        "content_filter content_policy_violation moderation_blocked invalid_prompt bio_policy "
        "misalignment_policy_violation responsibleaipolicyviolation refusal".split()
    ),
    quote=False,
)
_BAD_KEY = _Rule(
    ErrorKind.NOT_AUTHORISED,
    ModelErrorText.BAD_KEY,
    statuses=(401, 407),
    codes=frozenset("invalid_api_key authentication_error unauthenticated api_key_invalid".split()),
    words=re.compile(r"api key not valid|invalid api key|incorrect api key"),
    quote=False,
)
_UNSUPPORTED = _Rule(
    ErrorKind.UNSUPPORTED_PARAMETER,
    ModelErrorText.UNSUPPORTED,
    codes=frozenset("unsupported_parameter unsupported_value unknown_parameter".split()),
    words=re.compile(
        r"deprecated for this model"
        r"|unsupported (?:parameter|value)"
        r"|(?:does not|doesn't) support"
        r"|not supported"
        r"|unrecognized request argument"
        r"|extra inputs are not permitted"
        r"|unknown (?:parameter|field|name)"
    ),
)
_WRONG_ENDPOINT = _Rule(
    ErrorKind.UNSUPPORTED_PARAMETER,
    ModelErrorText.WRONG_ENDPOINT,
    codes=frozenset({"unsupported_api_for_model"}),
    words=re.compile(
        r"not a chat model"
        r"|(?:only supported in|use) /?v1/responses"
        r"|not accessible via the /chat/completions"
        r"|chatcompletion operation does not work"
    ),
)
_UNKNOWN_MODEL = _Rule(
    ErrorKind.NOT_AUTHORISED,
    ModelErrorText.UNKNOWN_MODEL,
    statuses=(404, 405, 410),
    codes=frozenset("model_not_found not_found_error invalid_model".split()),
    words=re.compile(r"model not exist|invalid model\b|not a valid model id"),
)
_RULES = (
    _NO_MONEY,
    _TOO_LONG,
    _DECLINED,
    _BAD_KEY,
    _LIMITED,
    _WRONG_ENDPOINT,
    _UNKNOWN_MODEL,
    _UNSUPPORTED,
    _Rule(
        ErrorKind.NOT_AUTHORISED,
        ModelErrorText.NOT_ALLOWED,
        statuses=(403, 451),
        codes=frozenset("permission_error permission_denied".split()),
    ),
    _Rule(
        ErrorKind.NOT_AUTHORISED,
        ModelErrorText.MOVED,
        statuses=range(300, 400),
        quote=False,
    ),
    _Rule(
        ErrorKind.OVERLOADED,
        ModelErrorText.OVERLOADED,
        statuses=(503, 529),
        codes=frozenset(
            "overloaded_error overloaded unavailable service_unavailable server_is_overloaded "
            "slow_down".split()
        ),
    ),
    _Rule(
        ErrorKind.NETWORK,
        _BROKEN.sentence,
        statuses=(408, 409, 425, *range(500, 600)),
        codes=frozenset("server_error api_error timeout_error internal internal_error".split()),
    ),
)


def error_from_response(
    status: int,
    headers: Mapping[str, str],
    body: object,
    parameters: Parameters | None = None,
    secrets: Collection[str] = (),
) -> ModelError:
    """The error for an unsuccessful HTTP response; `body` may be bytes, text or JSON."""
    return _error(read_details(status, headers, body), parameters or {}, secrets)


def error_from_event(
    event: object, parameters: Parameters | None = None, secrets: Collection[str] = ()
) -> ModelError:
    """The error for an error object inside a stream that began with HTTP 200."""
    return _error(read_details(None, {}, event), parameters or {}, secrets)


def holds_error(event: object) -> bool:
    """Whether a parsed event of a stream reports a failure."""
    outer = mapping(event)
    return bool(
        outer.get("error") or outer.get("object") == "error" or outer.get("type") == "error"
    )


def _error(details: FailureDetails, parameters: Parameters, secrets: Collection[str]) -> ModelError:
    parameter = _culprit(details, parameters)
    rule = _by_signs(details, parameter) or _by_status(details)
    if rule is _WRONG_ENDPOINT:
        parameter = CHAT
    if rule.kind is not ErrorKind.UNSUPPORTED_PARAMETER:
        parameter = None
    return ModelError(rule.kind, _sentence(rule, details, secrets), details.retry_after, parameter)


def _culprit(details: FailureDetails, parameters: Parameters) -> str | None:
    """The rejected parameter, by the caller's name for it."""
    for name, aliases in parameters.items():
        if details.parameter in (name, *aliases):
            return name
    for name, aliases in parameters.items():
        if any(_is_named(alias, details.words) for alias in (name, *aliases)):
            return name
    return None


def _is_named(alias: str, words: str) -> bool:
    """Whether a message names a parameter; a short word, such as "text", proves nothing."""
    return alias in words and not (alias.isalpha() and len(alias) < _SHORTEST_NAME)


def _by_signs(details: FailureDetails, parameter: str | None) -> _Rule | None:
    """The kind by the error's codes and words, which are more specific than the status."""
    if details.status == 402:
        return _NO_MONEY if details.retry_after is None else _LIMITED
    if details.flagged and details.status in (None, 400, 403):
        return _DECLINED
    for rule in _RULES:
        if rule is _UNSUPPORTED:
            if _is_unsupported(details, parameter):
                return rule
        elif rule.codes & details.codes or _says(rule, details):
            return rule
    return None


def _says(rule: _Rule, details: FailureDetails) -> bool:
    """Whether the message matches; not for a 429, whose messages mention limits in many ways."""
    return (
        rule.words is not None
        and (details.status != 429 or (rule is _NO_MONEY and details.retry_after is None))
        and rule.words.search(details.words) is not None
    )


def _is_unsupported(details: FailureDetails, parameter: str | None) -> bool:
    if details.status not in _ABOUT_THE_REQUEST:
        return False
    named = parameter is not None and details.status is not None
    return named or bool(_UNSUPPORTED.codes & details.codes) or _says(_UNSUPPORTED, details)


def _by_status(details: FailureDetails) -> _Rule:
    if details.status is None:
        return _BROKEN
    for rule in _RULES:
        if details.status in rule.statuses:
            return rule
    return _REJECTED if 400 <= details.status < 500 else _BROKEN


def _sentence(rule: _Rule, details: FailureDetails, secrets: Collection[str]) -> str:
    said = excerpt(details.message, secrets) if rule.quote else ""
    return ModelErrorText.quoting(rule.sentence, details.status, said)
