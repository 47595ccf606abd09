"""Finds the model servers that run on this machine, and asks each what it has.

Ollama, LM Studio, vLLM and llama.cpp all list their models at `/models` below their base URL. All
are asked at once, and one that does not answer in time is taken as it is: reachable, list unknown.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from bot.models.failure_details import mapping, text
from bot.panels import PanelsConfig, probe_local
from bot.panels.offers import Offer, chat_models
from bot.panels.probe import server_name
from bot.panels.providers import OpenAIProvider
from bot.panels.urls import is_loopback

if TYPE_CHECKING:
    import httpx

SECONDS: Final = 1.5
LONGEST_LIST: Final = 1024 * 1024
BLOCKRUN_PORT: Final = 8402
_EXACT: Final = frozenset({"library", "organization_owner", "vllm"})
"""Who Ollama, LM Studio and vLLM say owns their models; they serve what they list and no more."""
_CONTEXT_KEYS: Final = ("max_model_len", "max_context_length", "context_length")


@dataclass(frozen=True, slots=True)
class LocalServers:
    """Why providers on this machine cannot be called, and what the others offer."""

    faults: Mapping[str, str]
    offers: Mapping[str, Offer]


async def find_local(config: PanelsConfig, seconds: float = SECONDS) -> LocalServers:
    """Look which servers of the configuration run here, and what models they have."""
    unreachable = await probe_local(config)
    asked = {
        name: provider
        for name, provider in config.providers.items()
        if isinstance(provider, OpenAIProvider)
        and is_loopback(provider.base_url)
        and name not in unreachable
    }
    if not asked:
        return LocalServers(unreachable, {})
    listed = await _lists(asked, seconds)
    faults = {name: _no_model(name) for name, offer in listed.items() if not offer.models}
    routed = {route.provider for model in config.models.values() for route in model.routes}
    for name in asked.keys() - listed.keys() - routed:
        faults[name] = (
            f"what answers at {asked[name].base_url} lists no models: is it {server_name(name)}?"
        )
    offers = {name: offer for name, offer in listed.items() if offer.models}
    return LocalServers({**unreachable, **faults}, offers)


def is_blockrun(base_url: str) -> bool:
    """Whether a base URL is that of Blockrun, which is on this machine and costs money."""
    return is_loopback(base_url) and urlsplit(base_url).port == BLOCKRUN_PORT


async def _lists(providers: Mapping[str, OpenAIProvider], seconds: float) -> dict[str, Offer]:
    import httpx  # noqa: PLC0415 (heavy, and only needed where a server runs)

    async with httpx.AsyncClient(verify=False, trust_env=False, timeout=seconds) as client:  # noqa: S501 (this machine)
        asking = (_list(client, provider, seconds) for provider in providers.values())
        answers = await asyncio.gather(*asking)
    return {
        name: offer for name, offer in zip(providers, answers, strict=True) if offer is not None
    }


async def _list(
    client: "httpx.AsyncClient", provider: OpenAIProvider, seconds: float
) -> Offer | None:
    """What one server offers, or None when it does not say."""
    import httpx  # noqa: PLC0415

    url = f"{provider.base_url.rstrip('/')}/models"
    key = provider.api_key.get_secret_value() if provider.api_key else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    body = bytearray()
    try:
        async with asyncio.timeout(seconds), client.stream("GET", url, headers=headers) as answer:
            async for piece in answer.aiter_bytes():
                body += piece
                if len(body) > LONGEST_LIST:
                    return None
        parsed = json.loads(body) if answer.is_success else None
    except (httpx.HTTPError, TimeoutError, ValueError, RecursionError):
        return None
    return _read(parsed, paid=is_blockrun(provider.base_url))


def _read(parsed: Any, paid: bool) -> Offer | None:
    listed = mapping(parsed).get("data")
    if not isinstance(listed, list):
        return None
    entries = [mapping(entry) for entry in listed]
    # llama.cpp answers for its one model to any name, and Blockrun knows more than it lists.
    exact = any(text(entry.get("owned_by")) in _EXACT for entry in entries)
    models = chat_models(text(entry.get("id")) for entry in entries)
    return Offer(models, exact, not paid, dict(_contexts(entries)))


def _contexts(entries: list[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    for entry in entries:
        for value in map(entry.get, _CONTEXT_KEYS):
            if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                yield text(entry.get("id")), value
                break


def _no_model(name: str) -> str:
    shown = server_name(name)
    if name == "ollama":
        return f"{shown} runs but has no model: get one with `ollama pull llama3.2`"
    return f"{shown} runs but has no model: load one there"
