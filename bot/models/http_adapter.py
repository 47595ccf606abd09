"""The base of adapters for hosted models: slots, the HTTP call, and unsupported parameters."""

import logging
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import AsyncGenerator, Collection, Iterator, Mapping
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import httpx
from pydantic import SecretStr

from bot.http.bounded import read_beginning
from bot.http.client import WRITE_SECONDS, _transport_error
from bot.messages.models import ModelErrorText
from bot.models.answer_reader import AnswerReader
from bot.models.conversation import sendable_body
from bot.models.failures import Parameters, error_from_response
from bot.models.queue import Slots
from bot.models.redaction import excerpt
from bot.models.sse import ERROR_BYTES, Patience, WaitLimits, answer_events
from bot.panels.providers import HostedProvider
from bot.types.model_port import ErrorKind, ModelError, ModelEvent, ModelRequest

_REQUEST_IDS = ("request-id", "x-request-id", "x-generation-id")
"""Headers by which providers can find a call again."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One HTTP request; `optional` names what can be left out of its body."""

    url: str
    body: Mapping[str, Any]
    reader: AnswerReader
    optional: frozenset[str] = frozenset()


class HttpAdapter(ABC):
    """Calls one provider over HTTP; the client is shared and owned by the caller.

    Its only retries leave out a parameter that the model does not support.
    """

    droppable: ClassVar[Parameters]
    """Optional parameters, with the words by which errors name them."""
    output_limits: ClassVar[frozenset[str]] = frozenset()
    """The parameters that limit the output."""

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr | None,
        client: httpx.AsyncClient,
        max_concurrent: int,
        limits: WaitLimits | None = None,
    ) -> None:
        self._base = base_url.rstrip("/")
        self._key = api_key.get_secret_value().strip() if api_key else ""
        self._client = client
        self._slots = Slots(max_concurrent)
        self._limits = limits or WaitLimits()
        # No read timeout: Patience watches for content, which a timeout cannot tell from comments.
        connect = self._limits.connect
        self._timeout = httpx.Timeout(connect=connect, read=None, write=WRITE_SECONDS, pool=connect)
        self._unsupported: defaultdict[str, set[str]] = defaultdict(set)

    @classmethod
    def of(
        cls, provider: HostedProvider, api_key: SecretStr | None, client: httpx.AsyncClient
    ) -> Self:
        """The port for a provider of panels.json."""
        return cls(provider.base_url, api_key, client, provider.max_concurrent)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream one answer; raises ModelError."""
        patience = Patience(
            self._limits,
            request.deadline_seconds,
            request.linger_seconds,
            request.first_word_seconds,
        )
        place = self._slots.enter()
        cuts = await (place if self._slots.free else patience.wait(place))
        try:
            if request.before_sending is not None:
                await request.before_sending()
            async with aclosing(self._attempts(request, patience)) as events:
                async for event in events:
                    yield event
            self._slots.served()
        except ModelError as error:
            if error.kind is ErrorKind.RATE_LIMITED:
                self._slots.refused(cuts)
            raise
        finally:
            self._slots.leave()

    async def close(self) -> None:  # noqa: B027 (most adapters have nothing to add)
        """Nothing to close: the client belongs to the caller."""

    @abstractmethod
    def _outgoing(self, request: ModelRequest, without: Collection[str]) -> Outgoing:
        """The request without parameters the model is known not to support."""

    @abstractmethod
    def _credentials(self, key: str) -> Mapping[str, str]:
        """The headers that carry the key."""

    @property
    def _secrets(self) -> tuple[str, ...]:
        return (self._key,) if self._key else ()

    async def _attempts(
        self, request: ModelRequest, patience: Patience
    ) -> AsyncGenerator[ModelEvent, None]:
        """Try once, and once more for each parameter that turns out to be unsupported."""
        unsupported = self._unsupported[request.model]
        too_much: frozenset[str] = frozenset()
        while True:
            outgoing = self._outgoing(request, unsupported | too_much)
            begun = False
            try:
                async with aclosing(self._attempt(outgoing, patience)) as events:
                    async for event in events:
                        begun = True
                        yield event
            except ModelError as error:
                if begun:
                    raise
                limits = self.output_limits & outgoing.optional
                if error.kind is ErrorKind.CONTEXT_EXCEEDED and limits:
                    # Prompt and output limit together exceed the context window.
                    too_much = self.output_limits
                elif error.parameter in outgoing.optional:
                    unsupported.add(error.parameter)
                else:
                    raise
            else:
                return

    async def _attempt(
        self, outgoing: Outgoing, patience: Patience
    ) -> AsyncGenerator[ModelEvent, None]:
        patience.sent()
        with _broken_connections():
            response = await patience.wait(self._client.send(self._call(outgoing), stream=True))
            try:
                await self._refuse_failure(response, patience)
                events = answer_events(response, outgoing.reader, patience)
                async with aclosing(events):
                    async for event in events:
                        yield event
            finally:
                await response.aclose()

    def _call(self, outgoing: Outgoing) -> httpx.Request:
        return self._client.build_request(
            "POST",
            outgoing.url,
            json=sendable_body(outgoing.body),
            headers=self._headers(),
            timeout=self._timeout,
        )

    async def _refuse_failure(self, response: httpx.Response, patience: Patience) -> None:
        if response.is_success:
            return
        try:
            body = await patience.wait(read_beginning(response, ERROR_BYTES))
        except (ModelError, httpx.HTTPError):
            body = b""  # the status is enough if reading the explanation fails
        status, headers = response.status_code, response.headers
        named = next((headers[name] for name in _REQUEST_IDS if name in headers), "")
        _log.info("HTTP %d, request %s", status, excerpt(named, self._secrets) or "without an id")
        raise error_from_response(status, headers, body, self.droppable, self._secrets)

    def _headers(self) -> dict[str, str]:
        headers = {"Accept": "text/event-stream, application/json", "Cache-Control": "no-store"}
        if not self._key:
            return headers
        if not (self._key.isascii() and self._key.isprintable()):
            raise ModelError(ErrorKind.NOT_AUTHORISED, ModelErrorText.UNSENDABLE_KEY)
        return {**headers, **self._credentials(self._key)}


@contextmanager
def _broken_connections() -> Iterator[None]:
    """Turn httpx errors into ModelErrors; the original is dropped, because it may hold a key."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise _transport_error(error) from None
