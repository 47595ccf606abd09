"""The port to OpenAI-compatible chat completions."""

from collections.abc import Collection, Mapping
from typing import Self

import httpx
from pydantic import SecretStr

from bot.models.hosted import HostedPort, Outgoing
from bot.models.loading import LOAD_SECONDS
from bot.models.openai.body import DROPPABLE, optional_parts, request_body
from bot.models.openai.chunks import ChunkReader
from bot.models.port import ModelRequest
from bot.models.wire import WaitLimits
from bot.panels.providers import HostedProvider, OpenAIProvider
from bot.panels.urls import is_blockrun, is_loopback, is_openrouter


class OpenAIPort(HostedPort):
    """Calls any server that speaks chat completions.

    `deny_data_collection` asks OpenRouter for providers that keep nothing; None decides by host.
    """

    droppable = DROPPABLE

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr | None,
        client: httpx.AsyncClient,
        max_concurrent: int,
        limits: WaitLimits | None = None,
        deny_data_collection: bool | None = None,
    ) -> None:
        super().__init__(base_url, api_key, client, max_concurrent, limits)
        self._router = is_openrouter(base_url)
        self._local = is_loopback(base_url) and not is_blockrun(base_url)
        self.denies_data_collection = (
            self._router if deny_data_collection is None else deny_data_collection
        )

    @classmethod
    def of(
        cls, provider: HostedProvider, api_key: SecretStr | None, client: httpx.AsyncClient
    ) -> Self:
        """The port of a provider of panels.json; one on this machine may have to load a model."""
        limits = None
        if is_loopback(provider.base_url) and not is_blockrun(provider.base_url):
            limits = WaitLimits(first_token=WaitLimits().first_token + LOAD_SECONDS)
        policy = provider.data_collection if isinstance(provider, OpenAIProvider) else None
        denied = None if policy is None else policy == "deny"
        return cls(provider.base_url, api_key, client, provider.max_concurrent, limits, denied)

    def _outgoing(self, request: ModelRequest, without: Collection[str]) -> Outgoing:
        body = request_body(request, self.denies_data_collection, without, self._router)
        suspected = request.prompt if self._local else None
        reader = ChunkReader(request.model, self._secrets, suspected)
        return Outgoing(f"{self._base}/chat/completions", body, reader, optional_parts(body))

    def _credentials(self, key: str) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"}
