"""Reads what servers send within a limit, counted after unpacking, so that nothing inflates."""

import asyncio
import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

import httpx

_STEP: Final = 64 * 1024
"""So much is unpacked at once, however much a server packed into a few bytes."""
_LARGEST_BODY: Final = 8 * 1024 * 1024
"""The default for callers that neither stream nor set a limit."""
_ENCODINGS: Final = "gzip, deflate"
_PLAIN: Final = frozenset({"", "identity"})
_PACKING: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class TooLargeError(httpx.DecodingError):
    """A body is larger than its reader allows."""


class BoundedClient(httpx.AsyncClient):
    """A client that reads no whole body beyond LARGEST_BODY; with a smaller limit, stream."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.headers["Accept-Encoding"] = _ENCODINGS

    async def send(
        self, request: httpx.Request, *, stream: bool = False, **options: Any
    ) -> httpx.Response:
        """Send the request; unless it is streamed, the body is read whole or refused."""
        response = await super().send(request, stream=True, **options)
        if stream:
            return response
        try:
            body = await read_body(response, _LARGEST_BODY)
        finally:
            await response.aclose()
        kept = [(n, v) for n, v in response.headers.multi_items() if n.lower() not in _PACKING]
        return httpx.Response(response.status_code, headers=kept, content=body, request=request)


async def read_body(response: httpx.Response, limit: int) -> bytes:
    """The whole body, unpacked; raises TooLargeError as soon as it is larger than the limit."""
    body = bytearray()
    async with aclosing(pieces_of(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > limit:
                raise TooLargeError(f"more than {limit} bytes")
    return bytes(body)


async def read_beginning(response: httpx.Response, size: int) -> bytes:
    """The beginning of a body, unpacked, at most so many bytes."""
    body = bytearray()
    async with aclosing(pieces_of(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) >= size:
                break
    return bytes(body[:size])


async def pieces_of(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body as it comes, unpacked in small steps; raises httpx.DecodingError."""
    encoding = response.headers.get("content-encoding", "").strip().casefold()
    unpacker = None if encoding in _PLAIN else _Unpacker(encoding)
    async for piece in _packed(response):
        if unpacker is None:
            yield piece
            continue
        rest = piece
        while rest:
            unpacked, rest = unpacker.step(rest)
            if unpacked:
                yield unpacked
            # Hours of text may be packed into one piece; others want their turn.
            await asyncio.sleep(0)
        if unpacker.ended:
            return
    if unpacker and (unpacked := unpacker.rest()):
        yield unpacked


def _packed(response: httpx.Response) -> httpx.AsyncByteStream:
    """The body as it was sent; closing the response closes it."""
    stream = response.stream
    if not isinstance(stream, httpx.AsyncByteStream):
        raise TypeError("the response of a synchronous client")
    return stream


class _Unpacker:
    """Unpacks one body; whatever else than what we asked for comes is refused."""

    def __init__(self, encoding: str) -> None:
        if encoding not in _ENCODINGS.split(", "):
            raise httpx.DecodingError(f"cannot unpack {encoding[:40]!r}")
        # 32 on top lets zlib tell gzip from zlib by the first bytes.
        self._zlib = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._may_be_bare = encoding == "deflate"

    @property
    def ended(self) -> bool:
        """Whether the packed data ended; what follows it is nobody's."""
        return self._zlib.eof

    def step(self, packed: bytes) -> tuple[bytes, bytes]:
        """Unpack a little, and return it with what is still packed."""
        try:
            unpacked = self._zlib.decompress(packed, _STEP)
        except zlib.error as error:
            if not self._may_be_bare:
                raise httpx.DecodingError(str(error)) from None
            # Some servers call a stream deflate that lacks zlib's header.
            self._zlib, self._may_be_bare = zlib.decompressobj(-zlib.MAX_WBITS), False
            return self.step(packed)
        self._may_be_bare = False
        return unpacked, self._zlib.unconsumed_tail

    def rest(self) -> bytes:
        """The few bytes that may be left of a body that broke off."""
        return self._zlib.flush()
