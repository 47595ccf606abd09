"""Fetches a provider's list of models: one cheap request that also checks the key."""

import asyncio
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from bot.messages.models import ProviderText
from bot.models.failure_details import mapping, parse_json, read_details, text
from bot.models.redaction import excerpt
from bot.panels.offers import Offer
from bot.panels.providers import AnthropicProvider, GeminiProvider, HostedProvider
from bot.panels.urls import is_blockrun, is_loopback, is_openrouter

if TYPE_CHECKING:
    import httpx


_SECONDS: Final = 5.0
_MOST_PAGES: Final = 20
_LONGEST: Final = 16 * 1024 * 1024
_EXACT: Final = (
    *("api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com"),
    *("openrouter.ai", "api.x.ai", "api.mistral.ai", "api.deepseek.com"),
)
"""Hosts that list every model they serve; a custom gateway may serve more than it lists."""
_ID: Final = re.compile(r"[\w~/][\w./:@+~-]{0,199}", re.ASCII)
_REFUSED: Final = frozenset({400, 401, 402, 403})
_MISSING_SCOPE: Final = "scope"
_CHAT: Final = "generateContent"


@dataclass(frozen=True, slots=True)
class Answer:
    """The result: the list, or the provider's refusal, or why nothing could be read."""

    offer: Offer | None = None
    refused: str | None = None
    failed: str | None = None


class _NoListError(Exception):
    """No list was read; holds the result to return instead."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


async def ask_for_list(
    client: "httpx.AsyncClient", provider: HostedProvider, key: str, today: str
) -> Answer:
    """Ask one provider; models retired before `today` (ISO date) are left out. Never raises."""
    import httpx  # noqa: PLC0415 (heavy, first use)

    try:
        async with asyncio.timeout(_SECONDS):
            if is_openrouter(provider.base_url):
                # Its list is public, so only this request checks the key.
                await _page(client, f"{_base(provider)}/key", _headers(provider, key), key)
            entries = await _entries(client, provider, key)
    except _NoListError as error:
        return error.answer
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError, ValueError):
        return Answer(failed=ProviderText.not_asked(ProviderText.NO_ANSWER))
    read = dict(_read(entry) for entry in entries if _can_chat(entry, today))
    read.pop("", None)
    if not read:
        return Answer(failed=ProviderText.not_asked(ProviderText.NOT_A_LIST))
    return Answer(offer_of(provider, read, frozenset(_priced(entries))))


def offer_of(
    provider: HostedProvider, models: Mapping[str, float | None], priced: frozenset[str]
) -> Offer:
    """A provider's offer from its list, with release times where known."""
    return Offer(
        tuple(models),
        exact=(urlsplit(provider.base_url).hostname or "").rstrip(".") in _EXACT,
        chats_for_free=is_loopback(provider.base_url) and not is_blockrun(provider.base_url),
        hosted=True,
        created={wire: at for wire, at in models.items() if at is not None},
        priced=priced,
    )


async def _entries(
    client: "httpx.AsyncClient", provider: HostedProvider, key: str
) -> list[Mapping[str, Any]]:
    first = _list_url(provider)
    url, entries = first, []
    for _ in range(_MOST_PAGES):
        page = await _page(client, url, _headers(provider, key), key)
        body = mapping(page)
        listed = page if isinstance(page, list) else body.get("data", body.get("models"))
        if not isinstance(listed, list):
            raise _NoListError(Answer(failed=ProviderText.not_asked(ProviderText.NOT_A_LIST)))
        entries += [mapping(entry) for entry in listed]
        following = _next(first, body)
        if following is None:
            break
        url = following
    return entries


async def _page(
    client: "httpx.AsyncClient", url: str, headers: Mapping[str, str], key: str
) -> object:
    from bot.http.bounded import read_body  # noqa: PLC0415 (heavy, first use)

    async with client.stream("GET", url, headers=dict(headers)) as answer:
        body = await read_body(answer, _LONGEST)
    if answer.is_success:
        return parse_json(body)
    details = read_details(answer.status_code, answer.headers, body)
    said = excerpt(details.message, (key,))
    if answer.status_code in _REFUSED and _MISSING_SCOPE not in details.words:
        raise _NoListError(Answer(refused=ProviderText.refused(said)))
    told = ProviderText.http_status(answer.status_code, said)
    raise _NoListError(Answer(failed=ProviderText.not_asked(told)))


def _base(provider: HostedProvider) -> str:
    return provider.base_url.rstrip("/")


def _list_url(provider: HostedProvider) -> str:
    match provider:
        case AnthropicProvider():
            return f"{_base(provider)}/v1/models?limit=1000"
        case GeminiProvider():
            return f"{_base(provider)}/v1beta/models?pageSize=1000"
        case _:
            return f"{_base(provider)}/models"


def _headers(provider: HostedProvider, key: str) -> dict[str, str]:
    if not (key.isascii() and key.isprintable()):
        raise _NoListError(Answer(refused=ProviderText.refused("")))
    match provider:
        case AnthropicProvider():
            return {"x-api-key": key, "anthropic-version": "2023-06-01"}
        case GeminiProvider():
            return {"x-goog-api-key": key}
        case _:
            return {"Authorization": f"Bearer {key}"} if key else {}


def _next(first: str, page: Mapping[str, Any]) -> str | None:
    """The URL of the next page, if it is on the same server."""
    if page.get("has_more") is True and (last := text(page.get("last_id"))):
        return f"{first}&after_id={last}"
    if token := text(page.get("nextPageToken")):
        return f"{first}&pageToken={token}"
    link = text(mapping(page.get("links")).get("next"))
    whole = urljoin(first, link) if link else ""
    here, there = urlsplit(first), urlsplit(whole)
    return whole if (here.scheme, here.netloc) == (there.scheme, there.netloc) else None


def _can_chat(entry: Mapping[str, Any], today: str) -> bool:
    """Whether a model chats in text, as far as its entry says, and is not retired."""
    methods = entry.get("supportedGenerationMethods")
    outputs = mapping(entry.get("architecture")).get("output_modalities")
    ends = text(entry.get("expiration_date")) or text(entry.get("deprecation"))
    return (
        (not isinstance(methods, list) or _CHAT in methods)
        and (not isinstance(outputs, list) or "text" in outputs)
        and mapping(entry.get("capabilities")).get("completion_chat") is not False
        and (not ends or ends > today)
    )


def _read(entry: Mapping[str, Any]) -> tuple[str, float | None]:
    wire = text(entry.get("id")) or text(entry.get("name")).removeprefix("models/")
    return (wire if _ID.fullmatch(wire) else ""), _time(entry)


def _time(entry: Mapping[str, Any]) -> float | None:
    created = entry.get("created")
    if isinstance(created, int | float) and math.isfinite(created):
        return float(created)
    try:
        return datetime.fromisoformat(text(entry.get("created_at"))).timestamp()
    except (ValueError, OverflowError):
        return None


def _priced(entries: list[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        told = mapping(entry.get("pricing"))
        if text(entry.get("id")) and {"prompt", "completion"} <= told.keys():
            yield text(entry.get("id"))
