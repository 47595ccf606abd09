"""Parses error responses of all providers."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

_DELAY = re.compile(r"(\d+(?:\.\d+)?)\s*s")
_QUOTED_NAME = re.compile(r"['\"`]([a-z][a-z0-9_.]*)['\"`]", re.IGNORECASE)
_READ = 8_000  # the reason is at the beginning
_FIRST_SEGMENT = re.compile(r"[a-z0-9_]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FailureDetails:
    """An error in a common form; `status` is None for an error inside a stream without one."""

    status: int | None
    codes: frozenset[str]
    message: str
    words: str
    parameter: str | None
    retry_after: float | None
    flagged: bool


def read_details(status: int | None, headers: Mapping[str, str], body: object) -> FailureDetails:
    """Parse an error response; `body` is bytes, text or parsed JSON of any shape."""
    parsed = _parsed(body)
    error = _error_object(parsed)
    message = _message(parsed, error)
    metadata = mapping(error.get("metadata"))
    return FailureDetails(
        status=status or _numeric_status(error),
        codes=frozenset(_codes(error)),
        message=message,
        words=f"{message[:_READ]} {text(metadata.get('raw'))[:_READ]}".casefold(),
        parameter=_parameter(parsed, error, message),
        retry_after=_retry_after(headers, error),
        flagged="flagged_input" in metadata or bool(metadata.get("reasons")),
    )


def mapping(value: object) -> Mapping[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def text(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def parse_json(source: str | bytes) -> object:
    """Parse untrusted JSON: anything unreadable gives None."""
    try:
        return json.loads(source)
    except (ValueError, RecursionError):
        return None


def _parsed(body: object) -> object:
    parsed = parse_json(body) if isinstance(body, str | bytes) else body
    if isinstance(parsed, list) and parsed:
        return parsed[0]
    return parsed


def _error_object(parsed: object) -> Mapping[str, Any]:
    """The object that describes the error: `error`, or the whole body if it is flat."""
    outer = mapping(parsed)
    inner = outer.get("error")
    return inner if isinstance(inner, Mapping) else outer


def _message(parsed: object, error: Mapping[str, Any]) -> str:
    outer = mapping(parsed)
    candidates = (error.get("message"), outer.get("error"), outer.get("detail"), error.get("msg"))
    for candidate in candidates:
        if isinstance(candidate, str) and candidate.strip():
            return candidate
    problems = [text(mapping(item).get("msg")) for item in _complaints(outer)]
    return "; ".join(problem for problem in problems if problem)


def _complaints(outer: Mapping[str, Any]) -> list[Any]:
    """Validation errors of single parameters, in FastAPI's format, which Mistral wraps."""
    return _list(outer.get("detail")) or _list(mapping(outer.get("message")).get("detail"))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _numeric_status(error: Mapping[str, Any]) -> int | None:
    for value in (error.get("code"), error.get("status")):
        number = value if isinstance(value, int) else _int(text(value))
        if number is not None and 100 <= number < 600:
            return number
    return None


def _int(digits: str) -> int | None:
    return int(digits) if len(digits) == 3 and digits.isascii() and digits.isdigit() else None


def _codes(error: Mapping[str, Any]) -> Iterator[str]:
    details = error.get("details")
    places = [error, mapping(details), mapping(error.get("metadata"))]
    places += [mapping(item) for item in _list(details)]
    for place in places:
        for name in ("code", "type", "status", "error_code", "reason", "limit_source"):
            value = text(place.get(name)).casefold()
            if value and len(value) < 100:
                yield value


def _parameter(parsed: object, error: Mapping[str, Any], message: str) -> str | None:
    for item in _complaints(mapping(parsed)):
        for step in _list(mapping(item).get("loc")):
            if isinstance(step, str) and step != "body":
                return step
    quoted = _QUOTED_NAME.search(message[:_READ])
    segment = _FIRST_SEGMENT.match(text(error.get("param")) or (quoted[1] if quoted else ""))
    return segment.group() if segment else None


def _retry_after(headers: Mapping[str, str], error: Mapping[str, Any]) -> float | None:
    lowered = {name.lower(): value for name, value in headers.items()}
    milliseconds = _seconds(lowered.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    header = lowered.get("retry-after", "")
    for candidate in (_seconds(header), _until(header, lowered.get("date", ""))):
        if candidate is not None:
            return candidate
    return _retry_info(error)


def _seconds(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _until(moment: str, now: str) -> float | None:
    """Seconds from the response's own Date to the date it named, whatever our clock says."""
    try:
        wait = parsedate_to_datetime(moment) - parsedate_to_datetime(now)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, wait.total_seconds())


def _retry_info(error: Mapping[str, Any]) -> float | None:
    for item in _list(error.get("details")):
        if text(mapping(item).get("@type")).endswith("RetryInfo"):
            delay = _DELAY.fullmatch(text(mapping(item).get("retryDelay")))
            return float(delay.group(1)) if delay else None
    return None
