"""Finds the model servers that run on this machine, and asks each for its models.

Ollama, LM Studio, vLLM and llama.cpp all list their models at `/models` below their base URL. All
are asked at once; one that does not answer in time counts as reachable with an unknown list.
"""

import asyncio
import json
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.messages.models import ProviderText
from bot.models.failure_details import mapping, text
from bot.panels import PanelsConfig, probe_local
from bot.panels.offers import Offer, chat_models
from bot.panels.providers import OpenAIProvider
from bot.panels.seating import BLOCKRUN
from bot.panels.urls import is_blockrun, is_loopback

if TYPE_CHECKING:
    import httpx


LOAD_SECONDS: Final = 120.0
_KEPT_SECONDS: Final = 240.0
"""A little less than the time after which Ollama unloads an idle model."""
_SECONDS: Final = 1.5
_LONGEST_LIST: Final = 1024 * 1024
_LOADING: Final = frozenset({"library", "organization_owner"})
"""The owner that Ollama and LM Studio report; both load a model when it is first used."""
_EXACT: Final = _LOADING | {"vllm"}
"""Like vLLM, these serve exactly what they list."""


class LoadPatience:
    """Gives a call more time if its model may have to be loaded first."""

    def __init__(
        self, providers: Collection[str] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._providers = frozenset(providers)
        self._clock = clock
        self._answered: dict[tuple[str, str], float] = {}

    def expect(self, providers: Collection[str]) -> None:
        """Set the providers that load models on first use."""
        self._providers = frozenset(providers)

    def extra_seconds(self, provider: str, model: str) -> float:
        """The extra seconds a call may take."""
        if provider not in self._providers:
            return 0.0
        last = self._answered.get((provider, model))
        fresh = last is not None and self._clock() - last < _KEPT_SECONDS
        return 0.0 if fresh else LOAD_SECONDS

    def answered(self, provider: str, model: str) -> None:
        """Record that a model answered and is therefore loaded."""
        self._answered[(provider, model)] = self._clock()


@dataclass(frozen=True, slots=True)
class LocalServers:
    """Local servers: why some cannot be called, and what the others offer."""

    faults: Mapping[str, str]
    offers: Mapping[str, Offer]

    @property
    def loading(self) -> frozenset[str]:
        """The providers that load models on first use."""
        return frozenset(name for name, offer in self.offers.items() if offer.loads)


async def find_local(config: PanelsConfig, seconds: float = _SECONDS) -> LocalServers:
    """Find which servers of the configuration run here, and their models."""
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
    routed = {route.provider for model in config.models.values() for route in model.routes}
    faults = {
        name: ProviderText.no_model_there(name, offer.listed)
        for name, offer in listed.items()
        # A model that a route names is used, whatever its name looks like.
        if not (offer.listed if name in routed else offer.models)
    }
    if _is_taken(config, asked, listed):
        faults[BLOCKRUN] = ProviderText.not_blockrun(asked[BLOCKRUN].base_url)
    for name in asked.keys() - listed.keys() - routed:
        faults[name] = ProviderText.no_list(asked[name].base_url, name)
    offers = {name: offer for name, offer in listed.items() if name not in faults}
    return LocalServers({**unreachable, **faults}, offers)


def _is_taken(
    config: PanelsConfig, asked: Mapping[str, OpenAIProvider], listed: Mapping[str, Offer]
) -> bool:
    """Whether another server answers on Blockrun's port.

    Blockrun lists its own routers as owned by `blockrun`.
    """
    if BLOCKRUN not in asked or not is_blockrun(asked[BLOCKRUN].base_url):
        return False
    offer = listed.get(BLOCKRUN)
    if offer is None or BLOCKRUN in offer.owners:
        return offer is None
    routes = [route for model in config.models.values() for route in model.routes]
    return not any(r.provider == BLOCKRUN and r.model in offer.listed for r in routes)


async def _lists(providers: Mapping[str, OpenAIProvider], seconds: float) -> dict[str, Offer]:
    # A slow import, only needed where a server runs.
    from bot.http.bounded import BoundedClient  # noqa: PLC0415

    async with BoundedClient(verify=False, trust_env=False, timeout=seconds) as client:
        asking = (_list(client, provider, seconds) for provider in providers.values())
        answers = await asyncio.gather(*asking)
    return {
        name: offer for name, offer in zip(providers, answers, strict=True) if offer is not None
    }


async def _list(
    client: "httpx.AsyncClient", provider: OpenAIProvider, seconds: float
) -> Offer | None:
    """The models of one server, or None if it does not list them."""
    import httpx  # noqa: PLC0415

    from bot.http.bounded import read_body  # noqa: PLC0415

    url = f"{provider.base_url.rstrip('/')}/models"
    key = provider.api_key.get_secret_value() if provider.api_key else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        async with asyncio.timeout(seconds), client.stream("GET", url, headers=headers) as answer:
            body = await read_body(answer, _LONGEST_LIST)
        parsed = json.loads(body) if answer.is_success else None
    except (httpx.HTTPError, TimeoutError, ValueError, RecursionError):
        return None
    return _read(parsed, paid=is_blockrun(provider.base_url))


def _read(parsed: Any, paid: bool) -> Offer | None:
    listed = mapping(parsed).get("data")
    if not isinstance(listed, list):
        return None
    entries = [mapping(entry) for entry in listed]
    # llama.cpp answers to any name with its one model, and Blockrun serves more than it lists.
    owners = {text(entry.get("owned_by")) for entry in entries}
    ids = tuple(filter(None, (text(entry.get("id")) for entry in entries)))
    exact, loads = bool(owners & _EXACT), bool(owners & _LOADING)
    return Offer(chat_models(ids), exact, not paid, loads, frozenset(owners), ids)
