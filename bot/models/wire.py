"""What adapters that speak HTTP share: the client, the patience of a call, broken connections."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TypeVar
from urllib.request import getproxies

import httpx

from bot.models.aiohttp_transport import AiohttpTransport
from bot.models.bounded import BoundedClient, TooLargeError
from bot.models.port import ErrorKind, ModelError
from bot.version import VERSION
from bot.words import model_errors as words

T = TypeVar("T")

KEPT_CONNECTIONS = 100
KEPT_SECONDS = 60.0
CONNECT_SECONDS = 10.0
WRITE_SECONDS = 30.0
READ_SECONDS = 90.0
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")


@dataclass(frozen=True, slots=True)
class WaitLimits:
    """How long a call may wait, in seconds, whatever its deadline."""

    connect: float = CONNECT_SECONDS
    first_token: float = 90.0
    silence: float = 60.0
    tail: float = 2.0
    """For usage and the end of the stream after the answer itself is whole."""


def make_client(verify: ssl.SSLContext | bool = True) -> httpx.AsyncClient:
    """The one HTTP client of the process; `verify` is the TLS context, or True for the usual one.

    The pool has no upper limit: semaphores per provider limit the calls, and httpcore loses a
    slot of a limited pool when a call is cancelled just as it gets its connection.
    """
    tls = verify if isinstance(verify, ssl.SSLContext) else httpx.create_ssl_context(verify)
    # A proxy is httpx's own business: it knows every kind.
    transport = None if getproxies() else AiohttpTransport(tls, KEPT_SECONDS)
    return BoundedClient(
        verify=tls,
        transport=transport,
        timeout=httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, write=WRITE_SECONDS),
        limits=httpx.Limits(
            max_connections=None,
            max_keepalive_connections=KEPT_CONNECTIONS,
            keepalive_expiry=KEPT_SECONDS,
        ),
        headers={"User-Agent": f"roundtable/{VERSION}"},
        mounts={f"all://{host}": None for host in LOOPBACK},
        follow_redirects=False,
        # No API needs cookies, and they would tie the calls of different people together.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
    )


class Patience:
    """The clock of one call: its deadline, and how much silence is left.

    Only time spent waiting for the server counts as silence, and only `alive` restores it, so
    neither a slow reader nor a keep-alive changes the outcome.
    """

    def __init__(
        self,
        limits: WaitLimits,
        deadline_seconds: float,
        linger_seconds: float = 0.0,
        first_word_seconds: float | None = None,
    ) -> None:
        self._limits = limits
        self._first_word = first_word_seconds or limits.first_token
        self._linger = linger_seconds
        self._seconds = deadline_seconds
        self._deadline = asyncio.get_running_loop().time() + deadline_seconds
        self._left = self._granted = deadline_seconds
        self._queueing = True
        self._complaint: Callable[[float], str] = words.did_not_begin

    def sent(self) -> None:
        """The request goes out now: wait for the first token, and linger past the deadline."""
        self._queueing = False
        self._deadline += self._linger
        self._linger = 0.0
        self._left = self._granted = self._first_word
        self._complaint = words.did_not_begin

    def alive(self) -> None:
        """Content came: the silence begins anew."""
        self._left = self._granted = self._limits.silence
        self._complaint = words.fell_silent

    def wind_down(self) -> None:
        """The answer is whole: wait only a little for what follows it."""
        self._left = self._limits.tail

    async def wait(self, step: Awaitable[T]) -> T:
        """Await a step as long as patience lasts; raises ModelError with kind TIMEOUT."""
        now = asyncio.get_running_loop().time
        began = now()
        try:
            async with asyncio.timeout_at(min(began + self._left, self._deadline)):
                return await step
        except TimeoutError:
            raise self._failure(now()) from None
        finally:
            self._left -= now() - began

    def _failure(self, now: float) -> ModelError:
        error = ModelError(ErrorKind.TIMEOUT, self._verdict(now))
        waits = self._complaint is words.did_not_begin and not self._queueing
        error.stalled = waits and now < self._deadline
        return error

    def _verdict(self, now: float) -> str:
        if self._queueing:
            return words.TOO_MANY_CALLS
        if now < self._deadline:
            return self._complaint(self._granted)
        return words.did_not_finish(self._seconds)


@contextmanager
def broken_connections() -> Iterator[None]:
    """Turn what httpx raises into a ModelError; the original is dropped, for it may hold a key."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise transport_error(error) from None


def transport_error(error: Exception) -> ModelError:
    """The error behind a connection that failed before or during the answer."""
    if isinstance(error, TooLargeError):
        return ModelError(ErrorKind.BAD_OUTPUT, words.TOO_LONG)
    if isinstance(error, httpx.TimeoutException):
        return ModelError(ErrorKind.TIMEOUT, words.NO_ANSWER_IN_TIME)
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return ModelError(ErrorKind.NETWORK, words.UNREACHABLE)
    if isinstance(error, httpx.UnsupportedProtocol | httpx.LocalProtocolError | httpx.InvalidURL):
        return ModelError(ErrorKind.NOT_AUTHORISED, words.NOT_CALLABLE)
    return ModelError(ErrorKind.NETWORK, words.CONNECTION_BROKE)
