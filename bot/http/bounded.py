"""Reads response bodies up to a limit, counted after decompression."""

import asyncio
import zlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Final

import httpx

_STEP: Final = 64 * 1024
"""How many bytes are decompressed at once."""
_LARGEST_BODY: Final = 8 * 1024 * 1024
"""The default for callers that neither stream nor set a limit."""
_ENCODINGS: Final = "gzip, deflate"
_PLAIN: Final = frozenset({"", "identity"})
_PACKING: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class TooLargeError(httpx.DecodingError):
    """A body is larger than its reader allows."""


class BoundedClient(httpx.AsyncClient):
    """A client that refuses bodies larger than LARGEST_BODY; stream for a smaller limit."""

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
    """The whole body, decompressed; raises TooLargeError when it exceeds the limit."""
    body = bytearray()
    async with aclosing(pieces_of(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) > limit:
                raise TooLargeError(f"more than {limit} bytes")
    return bytes(body)


async def read_beginning(response: httpx.Response, size: int) -> bytes:
    """The beginning of a body, decompressed, up to so many bytes."""
    body = bytearray()
    async with aclosing(pieces_of(response)) as pieces:
        async for piece in pieces:
            body += piece
            if len(body) >= size:
                break
    return bytes(body[:size])


async def pieces_of(response: httpx.Response) -> AsyncGenerator[bytes, None]:
    """The body in decompressed pieces; raises httpx.DecodingError."""
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
            # A small piece may decompress to a lot of text, so let other tasks run.
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
    """Decompresses one body; encodings we did not ask for are refused."""

    def __init__(self, encoding: str) -> None:
        if encoding not in _ENCODINGS.split(", "):
            raise httpx.DecodingError(f"cannot unpack {encoding[:40]!r}")
        # 32 on top lets zlib tell gzip from zlib by the first bytes.
        self._zlib = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._may_be_bare = encoding == "deflate"

    @property
    def ended(self) -> bool:
        """Whether the compressed data ended; anything after it is ignored."""
        return self._zlib.eof

    def step(self, packed: bytes) -> tuple[bytes, bytes]:
        """Decompress one step; returns the result and the remaining input."""
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
        """The rest of a body that broke off."""
        return self._zlib.flush()
