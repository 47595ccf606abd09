"""The one HTTP client of the process: httpx over aiohttp, and what its failures mean."""

import ssl
from collections.abc import AsyncIterator
from http.cookiejar import CookieJar, DefaultCookiePolicy
from urllib.request import getproxies

import aiohttp
import httpx
from aiohttp import hdrs

from bot import VERSION
from bot.http.bounded import BoundedClient, TooLargeError
from bot.messages.models import ModelErrorText
from bot.types.model_port import ErrorKind, ModelError

_KEPT_CONNECTIONS = 100
_KEPT_SECONDS = 60.0
CONNECT_SECONDS = 10.0
WRITE_SECONDS = 30.0
_READ_SECONDS = 90.0
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_LONGEST_HEADER = 64 * 1024
_FAILURES = (aiohttp.ClientError, OSError, ValueError)
# httpx logs every request by itself; that is enough.
_UNWANTED = (hdrs.ACCEPT, hdrs.ACCEPT_ENCODING, hdrs.USER_AGENT, hdrs.CONTENT_TYPE)


def make_client(verify: ssl.SSLContext | bool = True) -> httpx.AsyncClient:
    """The one HTTP client of the process; `verify` is the TLS context, or True for the usual one.

    The pool has no upper limit: semaphores per provider limit the calls, and httpcore loses a
    slot of a limited pool when a call is cancelled just as it gets its connection.
    """
    tls = verify if isinstance(verify, ssl.SSLContext) else httpx.create_ssl_context(verify)
    # httpx handles proxies itself.
    transport = None if getproxies() else _AiohttpTransport(tls, _KEPT_SECONDS)
    return BoundedClient(
        verify=tls,
        transport=transport,
        timeout=httpx.Timeout(_READ_SECONDS, connect=CONNECT_SECONDS, write=WRITE_SECONDS),
        limits=httpx.Limits(
            max_connections=None,
            max_keepalive_connections=_KEPT_CONNECTIONS,
            keepalive_expiry=_KEPT_SECONDS,
        ),
        headers={"User-Agent": f"roundtable/{VERSION}"},
        mounts={f"all://{host}": None for host in _LOOPBACK},
        follow_redirects=False,
        # No API needs cookies, and they would tie the calls of different people together.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
    )


def _transport_error(error: Exception) -> ModelError:
    """The error for a connection that failed before or during the response."""
    if isinstance(error, TooLargeError):
        return ModelError(ErrorKind.BAD_OUTPUT, ModelErrorText.TOO_LONG)
    if isinstance(error, httpx.TimeoutException):
        return ModelError(ErrorKind.TIMEOUT, ModelErrorText.NO_ANSWER_IN_TIME)
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return ModelError(ErrorKind.NETWORK, ModelErrorText.UNREACHABLE)
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.InvalidURL):
        return ModelError(ErrorKind.NOT_AUTHORISED, ModelErrorText.NOT_CALLABLE)
    return ModelError(ErrorKind.NETWORK, ModelErrorText.CONNECTION_BROKE)


class _AiohttpTransport(httpx.AsyncBaseTransport):
    """A transport without proxies; the number of connections is the callers' business.

    A free connection is kept for `keep_seconds`.
    """

    def __init__(self, tls: ssl.SSLContext, keep_seconds: float) -> None:
        self._tls = tls
        self._keep_seconds = keep_seconds
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request and return once the headers of the answer are there."""
        session = self._session = self._session or self._open()
        limits = request.extensions.get("timeout", {})
        try:
            answer = await session.request(
                request.method,
                _address(request.url),
                headers=_as_sent(request.headers),
                data=request.content or None,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(
                    sock_connect=limits.get("connect"), sock_read=limits.get("read")
                ),
            )
        except _FAILURES as error:
            raise _as_httpx(error)(str(error)) from error
        return httpx.Response(
            answer.status,
            headers=list(answer.raw_headers),
            stream=_Body(answer),
            extensions={"reason_phrase": (answer.reason or "").encode("ascii", "ignore")},
        )

    async def aclose(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session:
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        """Created with the first request, because it belongs to the running event loop."""
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                ssl=self._tls, limit=0, keepalive_timeout=self._keep_seconds
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=_UNWANTED,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )


def _address(url: httpx.URL) -> str:
    """The URL without its password, which httpx has made a header of."""
    return str(url.copy_with(userinfo=b"") if url.userinfo else url)


def _as_sent(headers: httpx.Headers) -> list[tuple[str, str]]:
    """The headers with the capital letters they were given."""
    encoding = headers.encoding
    return [(name.decode(encoding), value.decode(encoding)) for name, value in headers.raw]


class _Body(httpx.AsyncByteStream, AsyncIterator[bytes]):
    """The answer's bytes as they come; what is not read to its end is cut off."""

    def __init__(self, answer: aiohttp.ClientResponse) -> None:
        self._answer = answer

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await self._answer.content.readany()
        except _FAILURES as error:
            raise _as_httpx(error)(str(error)) from error
        if not piece:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        self._answer.close()


def _as_httpx(error: Exception) -> type[httpx.TransportError]:
    """The exception that httpx's own transport would raise."""
    match error:
        case aiohttp.ConnectionTimeoutError():
            return httpx.ConnectTimeout
        case TimeoutError():
            return httpx.ReadTimeout
        case aiohttp.ClientConnectorError():
            return httpx.ConnectError
        case aiohttp.InvalidURL() | aiohttp.NonHttpUrlClientError():
            return httpx.UnsupportedProtocol
        case aiohttp.ClientPayloadError() | aiohttp.ServerDisconnectedError():
            return httpx.RemoteProtocolError
        case aiohttp.ClientResponseError():
            return httpx.RemoteProtocolError
        case OSError():
            return httpx.ReadError
        case ValueError():
            return httpx.LocalProtocolError
    return httpx.NetworkError
