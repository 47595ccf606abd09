"""The port to the native Gemini API."""

import re
from collections.abc import Collection, Mapping

from bot.models.gemini.body import DROPPABLE, OUTPUT_LIMITS, optional_parts, request_body
from bot.models.gemini.chunks import ChunkReader
from bot.models.hosted import HostedPort, Outgoing
from bot.models.port import ErrorKind, ModelError, ModelRequest
from bot.words import model_errors

PATH = "/v1beta"
_MODEL = re.compile(r"(?:(models|tunedModels)/)?([A-Za-z0-9][A-Za-z0-9._-]{0,127})")


class GeminiPort(HostedPort):
    """Calls Gemini; the key travels in a header, for URLs end up in logs."""

    droppable = DROPPABLE
    output_limits = OUTPUT_LIMITS

    def _outgoing(self, request: ModelRequest, without: Collection[str]) -> Outgoing:
        body = request_body(request, without)
        reader = ChunkReader(request.model, self._secrets)
        url = f"{self._base.removesuffix(PATH)}{PATH}/{model_path(request.model)}"
        return Outgoing(f"{url}:streamGenerateContent?alt=sse", body, reader, optional_parts(body))

    def _credentials(self, key: str) -> Mapping[str, str]:
        return {"x-goog-api-key": key}


def model_path(model: str) -> str:
    """The model's place in the URL; a name that could change anything else there is refused."""
    found = _MODEL.fullmatch(model)
    if not found:
        raise ModelError(ErrorKind.NOT_AUTHORISED, model_errors.NO_GEMINI_NAME)
    return f"{found[1] or 'models'}/{found[2]}"
