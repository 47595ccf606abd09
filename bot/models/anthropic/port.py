"""The port to the Anthropic Messages API."""

from collections.abc import Collection, Mapping

from bot.models.anthropic.body import DROPPABLE, OUTPUT_LIMITS, optional_parts, request_body
from bot.models.anthropic.events import EventReader
from bot.models.hosted import HostedPort, Outgoing
from bot.models.port import ModelRequest

API_VERSION = "2023-06-01"
PATH = "/v1"


class AnthropicPort(HostedPort):
    """Calls Claude, or any server with an Anthropic-compatible `/v1/messages`."""

    droppable = DROPPABLE
    output_limits = OUTPUT_LIMITS

    def _outgoing(self, request: ModelRequest, without: Collection[str]) -> Outgoing:
        body = request_body(request, without)
        reader = EventReader(request.model, self._secrets)
        url = f"{self._base.removesuffix(PATH)}{PATH}/messages"
        return Outgoing(url, body, reader, optional_parts(body))

    def _headers(self) -> dict[str, str]:
        return {**super()._headers(), "anthropic-version": API_VERSION}

    def _credentials(self, key: str) -> Mapping[str, str]:
        return {"x-api-key": key}
