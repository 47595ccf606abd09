"""The port to servers that speak OpenAI's formats: chat completions, and Responses where needed."""

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Self

import httpx
from pydantic import SecretStr

from bot.models.adapters.openai import responses
from bot.models.adapters.openai.chat import (
    DROPPABLE,
    LIMITS,
    ChunkReader,
    optional_parts,
    request_body,
)
from bot.models.adapters.openai.vendors import Vendor, VendorName
from bot.models.failures import CHAT
from bot.models.http_adapter import HttpAdapter, Outgoing
from bot.models.local_servers import LOAD_SECONDS
from bot.models.sse import WaitLimits
from bot.panels.providers import HostedProvider, OpenAIProvider
from bot.panels.urls import is_blockrun, is_loopback
from bot.types.model_port import ModelRequest


class OpenAIPort(HttpAdapter):
    """Calls any server that speaks chat completions.

    A model that only the Responses API serves is called there: at once where the vendor is known
    for it, else after the first refusal. `deny_data_collection` asks OpenRouter for providers that
    store nothing; None uses the vendor's default. Without a `vendor` it is derived from the host.
    """

    droppable = MappingProxyType({**DROPPABLE, **responses.DROPPABLE, CHAT: ()})
    output_limits = frozenset({*LIMITS, "max_output_tokens"})

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr | None,
        client: httpx.AsyncClient,
        max_concurrent: int,
        limits: WaitLimits | None = None,
        deny_data_collection: bool | None = None,
        vendor: VendorName | None = None,
    ) -> None:
        super().__init__(base_url, api_key, client, max_concurrent, limits)
        self._vendor = Vendor.of(base_url, vendor)
        self._local = is_loopback(base_url) and not is_blockrun(base_url)
        self.denies_data_collection = (
            self._vendor.routes if deny_data_collection is None else deny_data_collection
        )

    @classmethod
    def of(
        cls, provider: HostedProvider, api_key: SecretStr | None, client: httpx.AsyncClient
    ) -> Self:
        """The port for a provider of panels.json; a local server may have to load a model first."""
        limits = None
        if is_loopback(provider.base_url) and not is_blockrun(provider.base_url):
            limits = WaitLimits(first_token=WaitLimits().first_token + LOAD_SECONDS)
        policy = provider.data_collection if isinstance(provider, OpenAIProvider) else None
        denied = None if policy is None else policy == "deny"
        vendor = provider.vendor if isinstance(provider, OpenAIProvider) else None
        at_once = provider.max_concurrent
        return cls(provider.base_url, api_key, client, at_once, limits, denied, vendor)

    def serve_by_responses(self, model: str) -> None:
        """Call a model at the Responses API from the start."""
        self._unsupported[model].add(CHAT)

    def _outgoing(self, request: ModelRequest, without: Collection[str]) -> Outgoing:
        if CHAT in without or self._vendor.needs_responses(request.model):
            return self._response(request, without)
        body = request_body(request, self.denies_data_collection, without, self._vendor)
        suspected = request.prompt if self._local else None
        reader = ChunkReader(request.model, self._secrets, suspected)
        optional = optional_parts(body) | {CHAT}
        return Outgoing(f"{self._base}/chat/completions", body, reader, optional)

    def _response(self, request: ModelRequest, without: Collection[str]) -> Outgoing:
        body = responses.request_body(request, without)
        reader = responses.ResponseReader(request.model, self._secrets)
        return Outgoing(f"{self._base}/responses", body, reader, responses.optional_parts(body))

    def _credentials(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"}
