"""One HTTP call to a search service, and the rows in what it answers."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import httpx

from bot.http.bounded import TooLargeError, read_beginning, read_body
from bot.messages.search import SearchText
from bot.search.port import (
    Explain,
    SearchRefusal,
    Service,
    broken_call,
    by_status,
    not_results,
    odd_key,
)

_LONGEST_ANSWER: Final = 1_000_000
_LONGEST_REFUSAL: Final = 16_384
_MOST_ROWS: Final = 100
_SECONDS: Final = re.compile(r"[0-9]{1,6}")
_STATED_WAIT: Final = re.compile(r'"retry_after_seconds"\s{0,8}:\s{0,8}([0-9]{1,6})\b')


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a service."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] | None = None
    body: Mapping[str, object] | None = None


async def fetch_json(
    client: httpx.AsyncClient, service: Service, call: Call, explain: Explain | None = None
) -> object:
    """Make the call and parse its answer; raises SearchError and nothing else."""
    if not all(value.isascii() and value.isprintable() for value in call.headers.values()):
        raise odd_key(service)
    try:
        async with client.stream(
            call.method, call.url, headers=call.headers, params=call.params, json=call.body
        ) as response:
            if not response.is_success:
                refusal = await _refusal(response)
                raise (explain and explain(refusal)) or by_status(service, refusal)
            body = await read_body(response, _LONGEST_ANSWER)
    except TooLargeError:
        raise not_results(service) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise broken_call(service, error) from None
    return _parsed(service, body)


def rows_at(
    service: Service, answer: object, *path: str, may_miss: bool = False
) -> list[Mapping[str, object]]:
    """The list of results inside an answer; `may_miss` when services leave an empty one out."""
    for name in path:
        if not isinstance(answer, dict):
            raise not_results(service)
        if may_miss and answer.get(name) is None:
            return []
        answer = answer.get(name)
    if not isinstance(answer, list):
        raise not_results(service)
    return [row for row in answer[:_MOST_ROWS] if isinstance(row, dict)]


async def _refusal(response: httpx.Response) -> SearchRefusal:
    try:
        body = (await read_beginning(response, _LONGEST_REFUSAL)).decode("utf-8", "replace")
    except httpx.HTTPError:
        body = ""  # the status says enough when the explanation breaks off
    stated = _SECONDS.fullmatch(response.headers.get("retry-after", "").strip())
    wait = stated[0] if stated else "".join(_STATED_WAIT.findall(body)[:1])
    return SearchRefusal(
        response.status_code, body, SearchText.seconds(wait) if wait else SearchText.A_WHILE
    )


def _parsed(service: Service, body: bytes) -> object:
    try:
        parsed: object = json.loads(body)
    except (ValueError, RecursionError):
        raise not_results(service) from None
    return parsed
